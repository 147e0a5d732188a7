//! The template of a workload, to fill in.

use std::fmt::Write as _;

use nitro_ptx::{DeviceVariable, Module, Parameter, Pointed};

use crate::words::{is_word, several};
use crate::workload::Element;

/// Writes a workload for a kernel of a module, which has to be named where there are several.
///
/// What cannot be known is guessed, and marked so.
pub(super) fn of(module: &Module, kernel: Option<&str>) -> Result<String, String> {
    let kernels: Vec<&str> = module.kernel_names().collect();
    let kernel = match (kernel, &kernels[..]) {
        (_, []) => return Err("there is no kernel in it".to_owned()),
        (None, [only]) => only,
        (None, _) => {
            return Err(format!("which kernel? --kernel names one of {}", several(&kernels)));
        }
        (Some(name), _) => match kernels.iter().find(|kernel| **kernel == name) {
            Some(kernel) => kernel,
            None => {
                return Err(format!(
                    "--kernel: there is no kernel `{name}` in it, only {}",
                    several(&kernels)
                ));
            }
        },
    };
    // What begins with a value of the text is a table of the compiler's, or none of the host's business.
    let mut variables = module.variables_of(&[kernel]);
    variables.retain(|variable| !variable.is_initialised);
    match module.parameters(kernel) {
        Some(parameters)
            if parameters.iter().any(|parameter| is_pointer(parameter) || is_structure(parameter))
                || variables.iter().any(|variable| !variable.is_constant) =>
        {
            Ok(text(module, kernel, &parameters, &variables))
        }
        Some(_) => Err(format!("`{kernel}` takes no pointer, so that no buffer could hold a result of it")),
        None => Err(format!("the parameters of `{kernel}` are written in a way that is not known")),
    }
}

/// Tells whether a parameter may be a pointer.
fn is_pointer(parameter: &Parameter) -> bool {
    parameter.bytes == 8 && !parameter.is_float
}

/// Tells whether a parameter is a structure.
fn is_structure(parameter: &Parameter) -> bool {
    !matches!(parameter.bytes, 1 | 2 | 4 | 8)
}

/// Returns the names of parameters in a workload.
///
/// They are those of the text, unless a compiler has made them up of the kernel's name and a number.
fn names(kernel: &str, parameters: &[Parameter]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for (at, parameter) in parameters.iter().enumerate() {
        let is_made_up = parameter.name.contains(kernel) || !is_word(&parameter.name);
        let is_taken =
            matches!(parameter.name.as_str(), "i" | "n" | "seed") || names.contains(&parameter.name);
        names.push(match is_made_up || is_taken {
            true => format!("p{at}"),
            false => parameter.name.clone(),
        });
    }
    names
}

fn text(module: &Module, kernel: &str, parameters: &[Parameter], variables: &[DeviceVariable]) -> String {
    let compiled_for = module.block(kernel);
    let mut text = format!(
        "# How `{kernel}` is run, and what of its results counts. What is marked with `guess` has to be looked \
         at.\n\n# The most error that a result may have; 0: bit for bit the original's.\nmax_error = 0.0\n"
    );
    let names = names(kernel, parameters);
    let last_pointer = parameters.iter().rposition(is_pointer);
    let mut arguments = Vec::new();
    for (at, (parameter, name)) in parameters.iter().zip(&names).enumerate() {
        match parameter.bytes {
            _ if is_pointer(parameter) => match module.pointed(kernel, &parameter.name) {
                Some(pointed) => {
                    text.push_str(&buffer(name, &pointed, Some(at) == last_pointer));
                    arguments.push(format!("\"{name}\""));
                }
                None => arguments.push("{ i64 = \"n\" }".to_owned()),
            },
            4 if parameter.is_float => arguments.push("{ f32 = 1.0 }".to_owned()),
            8 => arguments.push("{ f64 = 1.0 }".to_owned()),
            1 => arguments.push("{ u8 = 0 }".to_owned()),
            2 => arguments.push("{ u16 = 0 }".to_owned()),
            4 => arguments.push("{ i32 = \"n\" }".to_owned()),
            bytes => arguments.push(format!("[{}]", vec!["{ u8 = 0 }"; bytes].join(", "))),
        }
    }
    let arguments = arguments.join(", ");
    if last_pointer.is_none() && parameters.iter().any(is_structure) {
        text.push_str(&buffer("result", &Pointed::default(), true));
    }
    variables.iter().for_each(|variable| text.push_str(&variable_buffer(variable, &names)));
    if parameters.iter().any(is_structure) {
        text.push_str(
            "\n# guess: a structure is a list of its members, as in [{ f32 = 1 }, { i32 = \"n\" }, \"p0\"]; \
             its bytes stand below.\n",
        );
    }
    let of = match names.is_empty() {
        true => String::new(),
        false => format!("  # guess: of {}", names.join(", ")),
    };
    let (block, why) = match &compiled_for {
        Some(block) => (block.clone(), "# as the kernel was compiled"),
        None => (vec![256], "# guess"),
    };
    let threads: u64 = block.iter().copied().map(u64::from).product();
    let grid = format!("grid = [\"ceil_div(n, {threads})\"]");
    let block = format!("block = {block:?}");
    let _ = write!(
        text,
        "\n[[step]]\nkernel = \"{kernel}\"\n{grid:29}# guess\n{block:29}{why}\narguments = [{arguments}]{of}\n\n\
         # What evolution sees: a few small inputs.\n[[search]]\nn = 100000\n\n\
         # What decides among its best.\n[[validation]]\nn = 70001\nseed = 1\n\n\
         # What accepts a patch, once: other sizes, and such as are odd.\n[[test]]\nn = 1000003\nseed = 2\n\
         [[test]]\nn = 1\nseed = 3\n"
    );
    text
}

/// Writes a buffer, of what is accessed. Where the text does not show that, the last one is a result.
fn buffer(name: &str, pointed: &Pointed, is_last: bool) -> String {
    let types: Vec<&str> = pointed.types.iter().map(String::as_str).collect();
    let element = match types.first() {
        Some(&"f64") => "f64",
        Some(&("u8" | "s8" | "b8")) => "u8",
        Some(&("u16" | "s16" | "b16")) => "u16",
        Some(&("u32" | "s32" | "b32")) => "i32",
        Some(&("u64" | "s64" | "b64")) => "i64",
        _ => "f32",
    };
    let seen = match types.len() {
        0 => String::new(),
        1 => format!("accessed as {}; ", types[0]),
        _ => format!("accessed as {}, which may be members of structures; ", several(&types)),
    };
    let role = match (pointed.is_loaded, pointed.is_stored) {
        (false, false) if !is_last => "in",
        (true, true) => "inout",
        (true, false) => "in",
        _ => "out",
    };
    let numbers = if element.starts_with('f') { "uniform(-1, 1)" } else { "integer(0, 99)" };
    let values = match role {
        "out" => String::new(),
        _ => format!("{:27}# guess: of element i\n", format!("values = \"{numbers}\"")),
    };
    format!(
        "\n[[buffer]]\nname = \"{name}\"\n\
         {:27}# guess: {seen}u8 i8 u16 i16 u32 i32 u64 i64 f32 f64; of structures [[buffer.member]]\n\
         length = \"n\"               # guess\n\
         {:27}# guess: in, out, inout, scratch\n{values}",
        format!("type = \"{element}\""),
        format!("role = \"{role}\"")
    )
}

/// Writes the buffer of a variable that the text begins with nothing, so that the host sets it, or reads it.
fn variable_buffer(variable: &DeviceVariable, taken: &[String]) -> String {
    let DeviceVariable { name, bytes, .. } = variable;
    let own = if taken.contains(name) { format!("{name}_variable") } else { name.clone() };
    let (element, is_known) = element(variable);
    let guess = if is_known { "" } else { "# guess: u8 i8 u16 i16 u32 i32 u64 i64 f32 f64" };
    let (role, values) = match variable.is_constant {
        true => (
            "role = \"in\"                # a constant",
            "values = \"uniform(-1, 1)\"  # guess: of element i\n",
        ),
        false => {
            ("role = \"inout\"             # guess: in, out, inout, scratch; as it is, it begins with 0", "")
        }
    };
    let line = format!("type = \"{}\"", element.name());
    format!(
        "\n[[buffer]]\nname = \"{own}\"\n\
         variable = \"{name}\"    # of the PTX: what the program copies to it or from it, as by cudaMemcpyToSymbol\n\
         {}\nlength = {}\n{role}\n{values}",
        format!("{line:27}{guess}").trim_end(),
        bytes / element.bytes()
    )
}

/// Returns the type of a variable's elements, and whether the text says it.
fn element(variable: &DeviceVariable) -> (Element, bool) {
    let known = match variable.element.as_str() {
        "u8" => Some(Element::U8),
        "s8" => Some(Element::I8),
        "u16" => Some(Element::U16),
        "s16" => Some(Element::I16),
        "u32" => Some(Element::U32),
        "s32" => Some(Element::I32),
        "u64" => Some(Element::U64),
        "s64" => Some(Element::I64),
        "f32" => Some(Element::F32),
        "f64" => Some(Element::F64),
        _ => None,
    };
    let guess = if variable.bytes.is_multiple_of(4) { Element::F32 } else { Element::U8 };
    (known.unwrap_or(guess), known.is_some())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use nitro_ptx::Module;

    use super::of;
    use crate::workload::{Element, Inputs, Role};
    use crate::{Set, Workload};

    fn template(kernels: &str, kernel: Option<&str>) -> Result<String, String> {
        let text = format!(".version 9.0\n.target sm_90\n.address_size 64\n{kernels}");
        of(&Module::parse(&text).unwrap(), kernel)
    }

    fn inputs(template: &str) -> Inputs {
        Workload::parse(Path::new("k.toml"), template).unwrap().inputs(Set::Search, 0).unwrap()
    }

    #[test]
    fn a_template_is_a_workload() {
        let text = template(
            ".entry k(.param .u64 k_param_0, .param .u64 .ptr .align 4 k_param_1, .param .u32 k_param_2) { ret; }",
            None,
        );
        let inputs = inputs(&text.unwrap());
        assert_eq!(inputs.launches[0].arguments.len(), 3);
        assert_eq!(inputs.launches[0].grid, [391, 1, 1]);
        assert_eq!((inputs.buffers[0].name.as_str(), inputs.buffers[1].name.as_str()), ("p0", "p1"));
        let text = template(
            ".entry k(.param .u64 x, .param .align 8 .b8 pair[24], .param .f64 by, .param .f32 to) { ret; }",
            None,
        );
        let sizes: Vec<usize> = self::inputs(&text.unwrap()).launches[0]
            .arguments
            .iter()
            .map(|argument| argument.size_bytes())
            .collect();
        assert_eq!(sizes, [8, 24, 8, 4]);
        let text = template(".entry k(.param .align 8 .b8 all[16]) { ret; }", None).unwrap();
        assert_eq!(self::inputs(&text).buffers[0].name, "result", "a member may point to it");
        assert_eq!(
            template(".entry k(.param .u32 n) { ret; }", None).unwrap_err(),
            "`k` takes no pointer, so that no buffer could hold a result of it"
        );
    }

    #[test]
    fn what_the_text_accesses_is_guessed_of_each_parameter() {
        let text = template(
            ".entry k(.param .u64 from, .param .u64 sums, .param .u64 many, .param .u64 to, .param .u64 all) {\n\
             .reg .b64 %rd<20>; .reg .f64 %fd; .reg .b32 %r<3>; ld.param.u64 %rd1, [from];\n\
             ld.param.u64 %rd2, [sums]; ld.param.u64 %rd3, [many]; ld.param.u64 %rd4, [to]; ld.param.u64 %rd5, [all];\n\
             cvta.to.global.u64 %rd6, %rd1; cvta.to.global.u64 %rd7, %rd2; cvta.to.global.u64 %rd8, %rd4;\n\
             cvta.to.global.u64 %rd12, %rd5; shl.b64 %rd9, %rd3, 3; add.s64 %rd10, %rd6, %rd9;\n\
             ld.global.f64 %fd, [%rd10+-8]; add.s64 %rd11, %rd7, %rd9; ld.global.u32 %r1, [%rd11];\n\
             st.global.u32 [%rd11], %r1; st.global.u8 [%rd8], %r1; ld.global.f32 %r2, [%rd12];\n\
             ld.global.u32 %r2, [%rd12+4]; ret; }",
            None,
        )
        .unwrap();
        let inputs = inputs(&text);
        let found: Vec<_> = inputs
            .buffers
            .iter()
            .map(|buffer| (buffer.name.as_str(), buffer.layout.number().unwrap(), buffer.role))
            .collect();
        let expected = [
            ("from", Element::F64, Role::In),
            ("sums", Element::I32, Role::InOut),
            ("to", Element::U8, Role::Out),
            ("all", Element::F32, Role::In),
        ];
        assert_eq!(found, expected, "{text}");
        assert!(text.contains("[\"from\", \"sums\", { i64 = \"n\" }, \"to\", \"all\"]"), "{text}");
        assert!(text.contains("accessed as f32, u32, which may be members of structures"), "{text}");
    }

    #[test]
    fn a_block_is_what_the_kernel_was_compiled_for() {
        let of = |head: &str| {
            let text = template(&format!(".entry k(.param .u64 x, .param .u32 n) {head} {{ ret; }}"), None);
            let launch = inputs(&text.unwrap()).launches[0].clone();
            (launch.grid, launch.block)
        };
        assert_eq!(of(".reqntid 128"), ([782, 1, 1], [128, 1, 1]));
        assert_eq!(of(".maxntid 16, 8, 2 .minnctapersm 2"), ([391, 1, 1], [16, 8, 2]));
        assert_eq!(of(".maxntid 1024, 1, 1 .reqntid 32, 2, 1"), ([1563, 1, 1], [32, 2, 1]));
        assert_eq!(of(".reqntid 0"), ([391, 1, 1], [256, 1, 1]), "there is no such block");
        let text = template(".entry k(.param .u64 x) .reqntid 64 { ret; }", None).unwrap();
        let expected = "grid = [\"ceil_div(n, 64)\"]   # guess\nblock = [64]                 # as the kernel was compiled\n";
        assert!(text.contains(expected), "{text}");
    }

    #[test]
    fn variables_that_the_text_begins_with_nothing_are_buffers() {
        let kernels = ".const .align 4 .b8 far[20];\n.visible .global .align 4 .u32 over;\n\
             .const .f64 table = 0d4000000000000000;\n\
             .global .align 1 .b8 mask[3];\n.const .f32 other;\n\
             .entry k(.param .u64 to, .param .u32 n) { .reg .b32 %r<4>; .reg .b64 %rd<2>; ld.const.b32 %r1, [far]; \
             st.global.u32 [over], %r1; ld.const.b64 %rd1, [table]; ld.global.u8 %r2, [mask]; ret; }\n\
             .entry b() { .reg .b32 %r<2>; ld.const.b32 %r1, [far]; ret; }";
        let text = template(kernels, Some("k")).unwrap();
        let inputs = inputs(&text);
        let found = inputs.buffers.iter().map(|buffer| {
            (buffer.variable.as_deref(), buffer.layout.number().unwrap(), buffer.bytes.len(), buffer.role)
        });
        let expected = [
            (None, Element::F32, 400_000, Role::Out),
            (Some("far"), Element::F32, 20, Role::In),
            (Some("over"), Element::U32, 4, Role::InOut),
            (Some("mask"), Element::U8, 3, Role::InOut),
        ];
        assert_eq!(found.collect::<Vec<_>>(), expected, "{text}");
        let said = template(kernels, Some("b")).unwrap_err();
        assert_eq!(said, "`b` takes no pointer, so that no buffer could hold a result of it");
        let alone =
            ".global .u32 count;\n.entry k() { .reg .b32 %r<2>; atom.global.add.u32 %r1, [count], 1; ret; }";
        let alone = template(alone, None).unwrap();
        assert_eq!(self::inputs(&alone).buffers.len(), 1, "{alone}");
    }

    #[test]
    fn buffers_are_called_as_parameters_where_these_have_names() {
        let text = template(
            ".entry k(.param .u64 from, .param .u64 n, .param .u64 %to, .param .u64 from_2) { ret; }",
            None,
        );
        let inputs = inputs(&text.unwrap());
        let names: Vec<&str> = inputs.buffers.iter().map(|buffer| buffer.name.as_str()).collect();
        assert_eq!(names, ["from", "p1", "p2", "from_2"]);
    }

    #[test]
    fn of_several_kernels_one_is_named() {
        let kernels = ".func f() { ret; }\n.entry a() { ret; }\n.entry b(.param .u64 to) { ret; }";
        assert_eq!(template(kernels, None).unwrap_err(), "which kernel? --kernel names one of a, b");
        assert_eq!(
            template(kernels, Some("f")).unwrap_err(),
            "--kernel: there is no kernel `f` in it, only a, b"
        );
        assert!(template(kernels, Some("b")).unwrap().contains("kernel = \"b\""));
        assert_eq!(template(".func f() { ret; }", None).unwrap_err(), "there is no kernel in it");
    }
}
