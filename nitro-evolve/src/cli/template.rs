//! A workload to fill in.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::Path;

use nitro_codegen::ptx::Module;

/// Writes a workload for the first kernel of a module: what it cannot know is guessed, and said to be.
pub(super) fn write(module: &Module, path: &Path, out: &mut dyn Write) -> io::Result<()> {
    let kernel = module.functions().find_map(|name| Some((name, module.parameter_bytes(name)?)));
    let Some((kernel, parameters)) = kernel else {
        return Err(io::Error::other(format!("{}: there is no kernel in it", path.display())));
    };
    out.write_all(text(kernel, &parameters).as_bytes())
}

fn text(kernel: &str, parameters: &[usize]) -> String {
    let mut text = format!(
        "# How `{kernel}` is run, and what of its results counts. What is marked with `guess` has to be looked at.\n\n\
         # The most error that a result may have; 0: bit for bit the original's.\nmax_error = 0.0\n"
    );
    let last_pointer = parameters.iter().rposition(|&bytes| bytes == 8);
    let (mut arguments, mut structures) = (Vec::new(), 0);
    for (at, bytes) in parameters.iter().enumerate() {
        match bytes {
            8 => {
                let (role, values) = match Some(at) == last_pointer {
                    true => ("out", ""),
                    false => ("in", "values = \"uniform(-1, 1)\"  # guess: of element i\n"),
                };
                let _ = write!(
                    text,
                    "\n[[buffer]]\nname = \"p{at}\"\ntype = \"f32\"               # guess: u8 i8 u16 i16 u32 i32 u64 i64 f32 f64\n\
                     length = \"n\"               # guess\nrole = \"{role}\"                # guess: in, out, inout, scratch\n{values}"
                );
                arguments.push(format!("\"p{at}\""));
            }
            1 => arguments.push("{ u8 = 0 }".to_owned()),
            2 => arguments.push("{ u16 = 0 }".to_owned()),
            4 => arguments.push("{ i32 = \"n\" }".to_owned()),
            _ => {
                structures += 1;
                arguments.push(format!("[{}]", vec!["{ u8 = 0 }"; *bytes].join(", ")));
            }
        }
    }
    let arguments = arguments.join(", ");
    if structures > 0 {
        text.push_str("\n# guess: a structure is a list of its members, as in [{ f32 = 1 }, { i32 = \"n\" }, \"p0\"]; its bytes stand below.\n");
    }
    let _ = write!(
        text,
        "\n[[step]]\nkernel = \"{kernel}\"\ngrid = [\"ceil_div(n, 256)\"]  # guess\nblock = [256]                # guess\narguments = [{arguments}]\n\n\
         # What evolution sees: a few small inputs.\n[[search]]\nn = 100000\n\n# What decides among its best.\n[[validation]]\nn = 70001\nseed = 1\n\n\
         # What accepts a patch, once: other sizes, and such as are odd.\n[[test]]\nn = 1000003\nseed = 2\n[[test]]\nn = 1\nseed = 3\n"
    );
    text
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::text;
    use crate::{Set, Workload};

    #[test]
    fn a_template_is_a_workload() {
        let workload = Workload::parse(Path::new("k.toml"), &text("k", &[8, 8, 4])).unwrap();
        let inputs = workload.inputs(Set::Search, 0).unwrap();
        assert_eq!(inputs.launches[0].arguments.len(), 3);
        assert_eq!(inputs.launches[0].grid, [391, 1, 1]);
        let workload = Workload::parse(Path::new("k.toml"), &text("k", &[8, 24])).unwrap();
        let inputs = workload.inputs(Set::Search, 0).unwrap();
        assert_eq!(inputs.launches[0].arguments[1].size_bytes(), 24);
    }
}
