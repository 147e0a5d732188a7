//! What is read, and what is refused.

use nitro_test_support::random::Random;

use super::Module;
use crate::text::module::{Class, Content, Function, Instruction};

const HEADER: &str = ".version 9.0\n.target sm_90\n.address_size 64\n";

/// A module of one kernel with this body.
pub(super) fn kernel(body: &str) -> Module {
    let text = format!("{HEADER}.visible .entry kernel(\n\t.param .u64 kernel_param_0\n)\n{{\n{body}\n}}\n");
    Module::parse(&text).unwrap_or_else(|error| panic!("{error}"))
}

pub(super) fn body(module: &Module) -> &Function {
    module.bodies().next().unwrap()
}

fn instructions(module: &Module) -> Vec<&Instruction> {
    body(module).instructions().map(|(_, instruction)| instruction).collect()
}

/// The lines of the body, without the space at their beginnings.
fn lines(module: &Module) -> Vec<String> {
    let text = module.to_string();
    text[text.find('{').unwrap() + 2..].lines().map(|line| line.trim().replace(" \t", " ")).collect()
}

#[test]
fn instructions_are_taken_apart() {
    let module = kernel(
        ".reg .pred %p<3>; .reg .f32 %f<9>; .reg .b64 %rd<3>;\n\
         @!%p1 ld.global.nc.L2::128B.v2.f32 {%f1,%f2}, [%rd1+-16];\n\
         setp.lt.or.s32 %p1|%p2, -5, %tid.x, !%p2;\n\
         call (r), f, (a, b), proto;",
    );
    let all = instructions(&module);
    assert_eq!(all.iter().map(|instruction| instruction.operands.len()).collect::<Vec<_>>(), [2, 4, 4]);
    assert!(all[0].guard.is_some_and(|guard| guard.negated));
    assert_eq!(all[0].opcode, "ld.global.nc.L2::128B.v2.f32");
    assert_eq!(lines(&module)[3], "@!%p1 ld.global.nc.L2::128B.v2.f32 {%f1,%f2}, [%rd1+-16];");
    assert_eq!(lines(&module)[4], "setp.lt.or.s32 %p1|%p2, -5, %tid.x, !%p2;");
    assert_eq!(lines(&module)[5], "call (r), f, (a,b), proto;");
}

#[test]
fn what_is_no_instruction_stays_as_it_is() {
    let kept = "\t.loc 1 12 3, function_name $L__info_string0, inlined_at 1 22 8\n\t// a { comment ;\n\
                \t.pragma \"nounroll; {\";\n\t.local .align 8 .b8 \t__local_depot0[16];\n\
                $L_targets: .branchtargets $L_a, $L_b;\n$L_a:\n";
    let text = kernel(kept).to_string();
    for line in kept.lines() {
        assert!(text.contains(line.trim()), "{line} in {text}");
    }
    let global = ".global .align 4 .b8 x[4] = {1, 2, 3, 4}; // .entry {\n.extern .func f\n;\n";
    let text = format!("{HEADER}{global}.entry k() {{ ret; }}\n.section .debug_str {{ .b8 0 }}\n");
    let module = Module::parse(&text).unwrap();
    assert_eq!(module.functions().collect::<Vec<_>>(), ["k"]);
    assert!(module.to_string().starts_with(&format!("{HEADER}{global}")));
    assert!(module.to_string().ends_with(".section .debug_str { .b8 0 }\n"));
}

#[test]
fn comments_inside_of_a_statement_come_before_it() {
    let module = kernel(".reg .b32 %r<2>; mov.u32 %r1, /* five; */ 5; // done");
    assert_eq!(lines(&module)[1..4], ["/* five; */", "mov.u32 %r1, 5;", "// done"]);
}

#[test]
fn registers_of_nested_scopes_get_names_of_their_own() {
    let module = kernel(
        ".reg .b32 %r<3>;\n{ .reg .b32 %t, %r1; .reg .f32 u<5>; mov.b32 %t, %r1;\n{ .reg .b64 t; \
        cvt.u64.u32 t, %r2; }\n\
         mov.f32 u4, 0f00000000; mov.b32 %r2, u5; }\nmov.b32 %r1, t;",
    );
    let shown: Vec<String> = lines(&module);
    assert!(shown.contains(&"mov.b32 %scope1_t, %scope1_r1;".to_owned()), "{shown:?}");
    assert!(shown.contains(&"cvt.u64.u32 %scope2n_t, %r2;".to_owned()));
    assert!(shown.contains(&"mov.f32 %scope1n_u4, 0f00000000;".to_owned()));
    assert!(shown.contains(&"mov.b32 %r2, u5;".to_owned()), "only five are declared");
    assert!(shown.contains(&"mov.b32 %r1, t;".to_owned()), "and none outside of the scope");
    assert!(shown.contains(&".reg .b64 %scope2n_t;".to_owned()));
    let classes: Vec<Class> = body(&module).registers.iter().map(|register| register.class).collect();
    assert!(classes.contains(&Class::Float(32)) && classes.contains(&Class::Bits(64)));
}

#[test]
fn a_name_that_the_text_has_already_is_not_made_again() {
    let module = kernel(".reg .b32 %scope1_t;\n{ .reg .b32 t; mov.b32 t, %scope1_t; }");
    assert!(lines(&module).contains(&"mov.b32 %scope_1n_t, %scope1_t;".to_owned()), "{module}");
}

#[test]
fn names_that_leave_no_other_are_refused_at_once() {
    let text = |count: usize| format!(".entry k() {{ .reg .b32 %scope{}; ret; }}", "_".repeat(count));
    assert!(Module::parse(&text(63)).is_ok());
    let refused = Module::parse(&text(1 << 20)).unwrap_err().to_string();
    assert!(refused.starts_with("line 1: a name begins with `%scope` and 64 or more `_`"), "{refused}");
}

#[test]
fn labels_are_no_qualifiers() {
    let module = kernel("$L_a: ret;\nb : fence.proxy.async::generic;\nc:");
    let labels = body(&module).items.iter().filter(|item| matches!(item.content, Content::Label(_))).count();
    assert_eq!((labels, instructions(&module).len()), (3, 2));
}

#[test]
fn damaged_texts_are_refused_or_read_as_they_are_printed() {
    let whole = kernel(
        ".reg .b32 %r<3>; .reg .pred p;\n{ .reg .b32 t; @!p mov.b32 t, %r1; // here\n}\n$L: .branchtargets $L, $M;\n\
         $M: add.s32 %r1, /* one */ %r2, -1;\n.loc 1 2 3\n.pragma \"x\"; st.global.v2.u32 [%r1+4], {%r1, %r2};",
    );
    let whole = whole.to_string().into_bytes();
    let mut random = Random::new(5);
    let mut read = 0;
    for _ in 0..20_000 {
        let mut bytes = whole.clone();
        for _ in 0..=random.below(4) {
            let at = random.below(bytes.len() as u64) as usize;
            match random.below(3) {
                0 => bytes[at] = b"{}[]();:,.@!%/*\"\\ \n\tab01"[random.below(24) as usize],
                1 => drop(bytes.drain(at..bytes.len().min(at + 7))),
                _ => bytes.insert(at, whole[random.below(whole.len() as u64) as usize]),
            }
        }
        let text = String::from_utf8(bytes).unwrap();
        let Ok(module) = Module::parse(&text) else { continue };
        read += 1;
        let printed = module.to_string();
        let again = Module::parse(&printed).unwrap_or_else(|error| panic!("{error}\n{text}\n{printed}"));
        assert_eq!(again.to_string(), printed, "{text}");
        assert_eq!(again.instructions(), module.instructions(), "{text}");
    }
    assert!((1000..19_000).contains(&read), "{read}");
}

#[test]
fn bad_texts_are_refused_with_line_and_reason() {
    let deep = "{".repeat(100);
    let brackets = format!(".entry k() {{ mov.u32 {} ; }}", "[".repeat(100));
    let cases = [
        (".entry k() {\nret;", "line 2: the body of a function is not closed by `}`"),
        (".entry k() {\n\nret }", "line 3: a statement has no `;`: ret"),
        (".version 9.0\n/* .entry", "line 2: a comment that begins with `/*` has no `*/`"),
        (".pragma \"x", "line 1: a string has no closing `\"`"),
        (".entry k(] {", "line 1: a `]` closes what was not opened"),
        (".entry k() { mov.u32 [; }", "line 1: a `}` closes what was not opened"),
        (".entry () { ret; }", "line 1: a function has no name"),
        (".entry k() { @p ret; }", "line 1: `@p ret` is guarded by a register that is not declared"),
        (".entry k() { 5 ret; }", "line 1: this is no instruction: 5 ret"),
        (brackets.as_str(), "line 1: more than 64 brackets are open"),
    ];
    for (text, message) in cases {
        assert_eq!(Module::parse(text).unwrap_err().to_string(), message, "{text}");
    }
    let nested = Module::parse(&format!(".entry k() {deep}")).unwrap_err().to_string();
    assert_eq!(nested, "line 1: more than 64 scopes are nested");
}

/// As in the inline assembly of `cuda_fp16.hpp`.
#[test]
fn a_declaration_needs_no_space_before_its_type() {
    let text = ".entry k() { {.reg.pred p; .reg.b16 h; @p mov.u16 h, 1;} ret; }";
    let printed = Module::parse(text).unwrap().to_string();
    assert!(printed.contains(".reg .pred \t%scope1n_p;") && printed.contains("@%scope1n_p mov"), "{printed}");
}
