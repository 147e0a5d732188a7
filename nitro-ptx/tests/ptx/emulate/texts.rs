//! Texts as people and compilers write them: what is read is what the assembler reads, printed again it is the
//! same, and it runs.

use nitro_ptx::emulate::{Emulator, Launch, Memory, Options};
use nitro_ptx::{Module, machine_code};

use crate::support::{assemble, ptxas};

const HEAD: &str = ".version 9.0\n.target sm_90\n.address_size 64\n";

/// A kernel's begin: its only pointer is in `%to`.
const BEGIN: &str = ".reg .b64 %to; .reg .b32 %r<9>; .reg .b64 %d<9>; .reg .f32 %f<9>; .reg .pred %p<9>; \
    ld.param.u64 %to, [p];";

/// A kernel of these statements; `n` is its second parameter.
fn body(statements: &str) -> String {
    format!(".visible .entry k(.param .u64 p, .param .u32 n)\n{{\n{BEGIN}\n{statements}\nret;\n}}\n")
}

/// A kernel that stores what is in `%r1`.
fn storing(statements: &str) -> String {
    body(&format!("{statements} st.global.u32 [%to], %r1;"))
}

/// What stands between functions, the statements of a kernel that stores `%r1`, and what that is.
const STATEMENTS: [(&str, &str, u32); 52] = [
    // Directives that are written as one word, and statements on one line.
    (".global.u32 g = 77;", "ld.global.u32 %r1, [g];", 77),
    (".visible.global.align 8 .v2.u32 g = {3, 4};", "ld.global.u32 %r1, [g+4];", 4),
    (".const.u32 c[2] = {1,2};", "ld.const.u32 %r1, [c+4];", 2),
    ("", ".shared.b32 s[4]; mov.u32 %r2, 9; st.shared.u32 [s+4], %r2; ld.shared.u32 %r1, [s+4];", 9),
    ("", ".local.align 8 .b8 l[8]; st.local.u32 [l+4], 6; ld.local.u32 %r1, [l+4];", 6),
    ("", ".reg.b32 a; mov.b32 a, 5; mov.b32 %r1, a;", 5),
    ("", ".reg.v2.b32 v; mov.b32 v.x, 5; mov.b32 v.y, 6; add.u32 %r1, v.x, v.y;", 11),
    ("", ".reg .b32 a <3>, b; mov.b32 a2, 5; mov.b32 b, a2; mov.b32 %r1, b;", 5),
    ("", "mov.u32%r1, 5;", 5),
    ("", "mov .u32 %r1, 5; add\n\t.u32 %r1, %r1, 1;", 6),
    ("", "setp.eq.u32 %p1, 1, 1; mov.u32 %r1, 1; @ %p1 mov.u32 %r1, 2; @ ! %p1 mov.u32 %r1, 3;", 2),
    (
        "",
        "mov.u32 %r1, 1; bra $L; L1: L2 : mov.u32 %r1, 2; $L: bra M; M /* here */ : add.u32 %r1, %r1, 1;",
        2,
    ),
    ("", "mov.u32 /* to */ %r1, // five\n 5 /* ; */ ;", 5),
    (
        ".file 1 \"a.cu\"",
        ".loc 1 2 3 mov.u32 %r1, 5; .loc 1 2 3\n .pragma \"nounroll\"; add.u32 %r1, %r1, 1;",
        6,
    ),
    // Numbers.
    ("", "mov.u32 %r1, 0x1FU;", 31),
    ("", "mov.u32 %r1, 0b101U;", 5),
    ("", "mov.u32 %r1, 017;", 15),
    ("", "mov.u32 %r1, -1;", u32::MAX),
    ("", "add.f32 %f1, 0f3F800000, 1.0E+1; mov.b32 %r1, %f1;", 0x4130_0000),
    ("", "add.f32 %f1, 0F3F800000, 100.0e-1; mov.b32 %r1, %f1;", 0x4130_0000),
    ("", "mov.f32 %f1, -1.5; mov.b32 %r1, %f1;", 0xbfc0_0000),
    ("", "mov.f32 %f1, .5; mov.b32 %r1, %f1;", 0x3f00_0000),
    ("", "mov.f32 %f1, 0d3FF0000000000000; mov.b32 %r1, %f1;", 0x3f80_0000),
    ("", "mov.b32 %r1, 0f3F800000;", 0x3f80_0000),
    ("", "mov.b64 %d1, 1.0; shr.u64 %d1, %d1, 32; cvt.u32.u64 %r1, %d1;", 0x3ff0_0000),
    // Constant expressions.
    ("", "mov.u32 %r1, (3+4)*2;", 14),
    ("", "mov.u32 %r1, 1 << 3 | 1;", 9),
    ("", "mov.u32 %r1, 3 > 2 && 1 != 1 ? 7 : ~8 & 7;", 7),
    ("", "mov.u32 %r1, 17 % 5 - - 1;", 3),
    ("", "mov.u32 %r1, (.u64)-8 >> 60;", 15),
    ("", "mov.u32 %r1, WARP_SZ*2;", 64),
    ("", "mov.f32 %f1, -(1.0*3.0); mov.b32 %r1, %f1;", 0xc040_0000),
    (".global .u32 g[4] = {1, 2, 1+2, (3+1)*2};", "ld.global.u32 %r1, [g+4*(1+2)];", 8),
    (".global .u32 g[4] = {1, 2, 3, 4};", "mov.u64 %d1, g+4*2; ld.global.u32 %r1, [%d1+-4];", 2),
    // What variables begin with.
    (".global .u32 g[2][2] = {{1}, {2}};", "ld.global.u32 %r1, [g+8];", 2),
    (".global .u32 g[2][2] = {{1}, {2}};", "ld.global.u32 %r1, [g+4];", 0),
    (".global .u32 g[][2] = {{1, 2}, {3}};", "ld.global.u32 %r1, [g+8];", 3),
    (".global .u32 g[3] = {};", "ld.global.u32 %r1, [g+8];", 0),
    (".global .u32 g<3>;", "st.global.u32 [g2], 4; ld.global.u32 %r1, [g2];", 4),
    (".global .b32 g = 1.0;", "ld.global.u32 %r1, [g];", 0x3f80_0000),
    (
        ".global .u32 b = 6; .global .u64 a[2] = {0, generic(b)};",
        "ld.global.u64 %d1, [a+8]; ld.u32 %r1, [%d1];",
        6,
    ),
    (
        ".global .u32 b[2] = {6, 7}; .global .u64 a = b+2*2;",
        "ld.global.u64 %d1, [a]; ld.global.u32 %r1, [%d1];",
        7,
    ),
    // Pairs of results.
    ("", "lop3.or.b32 %r1|%p1, 1, 2, 4, 0xFE, 0;", 7),
    ("", "lop3.and.b32 _|%p1, 1, 2, 4, 0xFE, 1; selp.u32 %r1, 3, 4, %p1;", 3),
    ("", "setp.lt.u32 %p1|%p2, 1, 2; selp.u32 %r1, 3, 4, %p2;", 4),
    ("", "setp.lt.u32 _|%p2, 1, 2; selp.u32 %r1, 3, 4, !%p2;", 3),
    ("", "setp.eq.u32 %p1, 1, 1; and.pred %p2, %p1, !%p1; mov.pred %p3, !%p2; selp.u32 %r1, 3, 4, %p3;", 3),
    ("", "mov.pred %p1, -1; selp.u32 %r1, 3, 4, %p1;", 3),
    ("", "mov.b32 %r2, 0x10002; .reg .b16 a, b; mov.b32 {a, b}, %r2; mov.b32 %r1, {b, a};", 0x2_0001),
    ("", "mov.b64 %d1, 0x100000002; mov.b64 {_, %r1}, %d1;", 1),
    // Branches among labels that are numbered.
    ("", "mov.u32 %r1, 1; T: .branchtargets L<3>; brx.idx %r1, T; L0: L2: trap; L1: mov.u32 %r1, 8;", 8),
    ("", "{ .reg .b32 %r1; mov.u32 %r1, 1; { .reg .f32 %r1; mov.f32 %r1, 1.0; } } mov.u32 %r1, 9;", 9),
];

/// Whole texts without their first lines, and the first words that the kernel writes; its second parameter is 5.
fn texts() -> Vec<(String, Vec<u32>)> {
    let function =
        "{ .reg .b32 %r<3>; ld.param.b32 %r1, [x]; add.u32 %r1, %r1, %r1; st.param.b32 [r], %r1; ret; }";
    let call = |name: &str| {
        storing(&format!(
            "{{ .param.b32 i; .param .b32 r; st.param.b32 [i], 4; call.uni (r), {name}, (i); ld.param.b32 %r1, [r]; }}"
        ))
    };
    let entry = |directives: &str| {
        storing("ld.param.u32 %r1, [n];").replacen("\n{", &format!("\n{directives}\n{{"), 1)
    };
    let simple = storing("mov.u32 %r1, 7;");
    let printing = storing(
        "{ .param .b64 f; st.param.b64 [f], 0; .param .b64 a; st.param.b64 [a], 0; .param .b32 r; \
         call.uni (r), vprintf, (f, a); ld.param.b32 %r1, [r]; } add.u32 %r1, %r1, 7;",
    );
    let prototype = ".visible .func (.param .b32 r) f (.param .b32 x)";
    let vectors = "{ add.u32 o.x, i.x, i.y; mov.u32 o.y, i.x; ret; }";
    let mut texts = vec![
        (entry(".maxntid 64\n.pragma \"nounroll\";"), vec![5]),
        (entry(".pragma \"nounroll\";"), vec![5]),
        (entry(".pragma \"a{b\", \"c;d\"; .maxntid 64, 1, 1 .minnctapersm 2"), vec![5]),
        (entry(".maxnreg 32 /* { */ .pragma \"nounroll\"; // {\n.reqntid 1"), vec![5]),
        (
            entry("")
                .replace(".param .u64 p, .param .u32 n", ".param.u64.ptr.global.align 4 p, .param.u32 n"),
            vec![5],
        ),
        (entry("").replace(".visible .entry k(", ".visible.entry k /* kernel */ (\n// of two\n"), vec![5]),
        (
            format!(".extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);\n{printing}"),
            vec![7],
        ),
        // Prototypes with and without a semicolon, before and after what they are of.
        (format!("{prototype}\n{}{prototype} {function}", call("f")), vec![8]),
        (format!("{prototype};\n{}{prototype} {function}", call("f")), vec![8]),
        (format!("{prototype} // f\n;\n{prototype}{function}{}", call("f")), vec![8]),
        (format!("{prototype}\n.pragma \"nounroll\";\n{prototype}\n{function}{}", call("f")), vec![8]),
        (format!(".func (.param.b32 r) f(.param.b32 x){function}{}", call("f")), vec![8]),
        (
            format!(".func (.param .b32 f) f(.param .b32 x) {}{}", function.replace("[r]", "[f]"), call("f")),
            vec![8],
        ),
        (
            format!(
                "{prototype}\n.global .u32 g = 21;\n{prototype}{function}{}",
                storing("ld.global.u32 %r1, [g];")
            ),
            vec![21],
        ),
        (format!("{prototype} .abi_preserve 4 {function}{}", call("f")), vec![8]),
        // Other names of functions.
        (
            format!(
                "{prototype}{function}\n.visible .func (.param .b32 r) a(.param .b32 x);\n.alias a, f;\n{}",
                call("a")
            ),
            vec![8],
        ),
        (
            format!(
                ".visible .func (.param .b32 r) a(.param .b32 x)\n{prototype};\n.alias a,f;\n{}{prototype}{function}",
                call("a")
            ),
            vec![8],
        ),
        // Registers, and vectors of them, as parameters.
        (
            format!(
                ".func (.reg .v2 .b32 o) f(.reg .v2 .b32 i) {vectors}\n{}",
                body(
                    ".reg .v2 .b32 a; .reg .v2 .b32 r; mov.u32 a.x, 3; mov.u32 a.y, 4; call.uni (r), f, \
                    (a); st.global.v2.u32 [%to], r;"
                )
            ),
            vec![7, 3],
        ),
        (
            format!(
                ".func (.reg.v4.b32 o, .reg .b32 q) f(.reg.v4 .b32 i, .reg .b32 j) {{ mov.v4.b32 o, i; \
                add.u32 q, j, i.w; ret; }}\n{}",
                body(
                    ".reg .v4 .b32 a, r; mov.v4.b32 a, {%r1, %r1, %r1, %r1}; mov.u32 a.z, 2; mov.u32 a.w, \
                    3; call (r, %r2), f, (a, 4); mov.u32 r.x, %r2; mov.u32 r.y, r.w; \
                    st.global.v2.u32 [%to], {r.x, r.y};"
                )
            ),
            vec![7, 3],
        ),
        (
            format!(
                ".func (.reg .f32 o) f(.reg .f32 i, .param .f32 j) {{ ld.param.f32 o, [j]; add.f32 o, o, \
                i; ret; }}\n{}",
                body(
                    "call (%f1), f, (1.5, 2.5); call (%f2), f, (0f3F800000, 0d4000000000000000); \
                    st.global.v2.f32 [%to], {%f1, %f2};"
                )
            ),
            vec![0x4080_0000, 0x4040_0000],
        ),
        // Sections of debug information around them.
        (
            format!(
                "{simple}.section .debug_str {{\n.b8 46, 101 // .entry k2() {{\nL: .b8 0\n}}\n\
                .section .debug_abbrev {{ .b8 1 }}"
            ),
            vec![7],
        ),
    ];
    texts.extend(
        STATEMENTS
            .iter()
            .map(|(between, statements, word)| (format!("{between}\n{}", storing(statements)), vec![*word])),
    );
    texts
}

/// The first words that a module's kernel writes.
fn words(module: &Module, count: usize) -> Vec<u32> {
    let emulator = Emulator::new(module).unwrap_or_else(|unsupported| panic!("{unsupported}\n{module}"));
    let mut memory = Memory::new();
    let to = memory.allocate(vec![0; 64]);
    let parameters = [to.to_le_bytes().to_vec(), 5_u32.to_le_bytes().to_vec()];
    let launch =
        Launch { kernel: "k", grid: [1; 3], block: [1; 3], shared_bytes: 0, parameters: &parameters };
    emulator
        .launch(&launch, &mut memory, &Options::default())
        .unwrap_or_else(|fault| panic!("{fault}\n{module}"));
    let word = |bytes: &[u8]| u32::from_le_bytes(bytes.try_into().unwrap());
    memory.bytes(to).chunks(4).map(word).take(count).collect()
}

#[test]
fn texts_are_read_printed_and_run_as_they_are_meant() {
    for (text, expected) in texts() {
        let text = format!("{HEAD}{text}");
        let module = Module::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert_eq!(module.kernel_names().collect::<Vec<_>>(), ["k"], "{text}");
        assert_eq!(words(&module, expected.len()), expected, "{text}");
        let printed = module.to_string();
        let again = Module::parse(&printed).unwrap_or_else(|error| panic!("{error}\n{printed}"));
        assert_eq!(printed, again.to_string(), "{text}");
        assert_eq!(words(&again, expected.len()), expected, "{printed}");
        // Taken out of its module it is the same kernel.
        let alone = module.kernels(&["k"]).unwrap();
        assert_eq!(words(&alone, expected.len()), expected, "{alone}");
    }
}

/// What is read is what the assembler reads, and what is printed is the same program.
#[test]
fn they_are_the_same_machine_code() {
    let Some(ptxas) = ptxas() else { return };
    for (text, _) in texts() {
        let text = format!("{HEAD}{text}");
        let module = Module::parse(&text).unwrap();
        let before = assemble(&ptxas, &text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let printed = module.to_string();
        let after = assemble(&ptxas, &printed).unwrap_or_else(|error| panic!("{error}\n{printed}"));
        assert!(
            machine_code(&before).is_some() && machine_code(&before) == machine_code(&after),
            "{text}\n{printed}"
        );
        let alone = module.kernels(&["k"]).unwrap().to_string();
        assemble(&ptxas, &alone).unwrap_or_else(|error| panic!("{error}\n{alone}"));
    }
}

/// What the emulator cannot do it refuses, with the line and what is wrong.
#[test]
fn what_is_not_known_is_refused_with_its_line() {
    let cases = [
        (
            "add.f32 %f1, %f1;",
            "line 6: `add.f32` in `k` cannot be emulated: it takes 3 operands in this form and has 2",
        ),
        (
            "add.f32 %f1, %f1, %f1, %f1;",
            "line 6: `add.f32` in `k` cannot be emulated: it takes 3 operands in this form and has 4",
        ),
        (
            "add.frob.f32 %f1, %f1, %f1;",
            "line 6: `add.frob.f32` in `k` cannot be emulated: `.frob` is not known here",
        ),
        (
            "add.sat.u32 %r1, %r1, %r1;",
            "line 6: `add.sat.u32` in `k` cannot be emulated: it is not known with these modifiers together",
        ),
        (
            "add.u32 %r1, %p1, %r1;",
            "line 6: `add.u32` in `k` cannot be emulated: its operand 2 is of another kind in this form",
        ),
        (
            "add.u32 %r1.y, %r1, %r1;",
            "line 6: `add.u32` in `k` cannot be emulated: `%1.y` is no operand that is known",
        ),
        (
            "mov.u32 %r1, 1/0;",
            "line 6: `mov.u32` in `k` cannot be emulated: `1/0` is no operand that is known",
        ),
        (
            "mov.u32 %r1, 1.0;",
            "line 6: `mov.u32` in `k` cannot be emulated: `1.0` is no operand that is known",
        ),
        (
            "fence.proxy.async;",
            "line 6: `fence.proxy.async` in `k` cannot be emulated: `.proxy` is not known here",
        ),
        (
            "st.async.weak.u32 [%d1], %r1;",
            "line 6: `st.async.weak.u32` in `k` cannot be emulated: `.async` is not known here",
        ),
        (
            "ld.global.u32 %r1, [%to+%r1];",
            "line 6: `ld.global.u32` in `k` cannot be emulated: `[%0+%1]` is no address that is known",
        ),
    ];
    for (statement, expected) in cases {
        let module = Module::parse(&format!("{HEAD}{}", body(statement))).unwrap();
        let refused: Vec<String> = Emulator::unsupported(&module).iter().map(ToString::to_string).collect();
        assert!(
            refused.len() == 1 && refused[0].ends_with(expected.split_once("line 6").unwrap().1),
            "{refused:?}"
        );
        assert!(refused[0].starts_with("line 7"), "{refused:?}");
    }
}
