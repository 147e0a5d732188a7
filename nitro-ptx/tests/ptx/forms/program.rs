//! Kernels that try many instructions on many operands.

use nitro_ptx::Module;
use nitro_ptx::emulate::{Emulator, Launch, Memory, Options};

use super::case::Case;

/// For each case the two results of each thread.
pub type Results = Vec<Vec<(u64, u64)>>;

/// The architectures that forms are of.
pub const TARGETS: [&str; 2] = ["sm_90", "sm_100a"];

/// Cases of one kernel.
pub const CASES: usize = 128;
/// Threads of a block.
pub const BLOCK: usize = 256;

/// The first architecture of [`TARGETS`] that a case needs.
pub fn target(case: &Case) -> &'static str {
    let is_of_three = matches!(case.name.as_str(), "min" | "max") && case.sources.len() == 3;
    let is_mixed = matches!(case.name.as_str(), "add" | "sub" | "fma") && case.types().len() == 2;
    if is_of_three || is_mixed { TARGETS[1] } else { TARGETS[0] }
}

/// What stands before the instructions of each kernel, a line each.
const BEGIN: [&str; 13] = [
    "{ .reg .pred %p<4>, %z1, %y1; .reg .b16 %h<4>, %z16; .reg .b32 %r<4>, %z32, %i, %n; .reg .b64 %d<4>, \
    %z64, %y, %at, %to;",
    "ld.param.u64 %at, [in]; ld.param.u64 %to, [out];",
    "mov.u32 %i, %ctaid.x; mov.u32 %n, %ntid.x; mul.lo.u32 %n, %i, %n; mov.u32 %i, %tid.x; add.u32 %i, %i, %n;",
    "mad.wide.u32 %at, %i, 32, %at; mad.wide.u32 %to, %i, 16, %to;",
    "ld.global.u64 %d0, [%at]; ld.global.u64 %d1, [%at+8]; ld.global.u64 %d2, [%at+16]; ld.global.u64 %d3, [%at+24];",
    "cvt.u32.u64 %r0, %d0; cvt.u32.u64 %r1, %d1; cvt.u32.u64 %r2, %d2; cvt.u32.u64 %r3, %d3;",
    "cvt.u16.u64 %h0, %d0; cvt.u16.u64 %h1, %d1; cvt.u16.u64 %h2, %d2; cvt.u16.u64 %h3, %d3;",
    "and.b64 %y, %d0, 1; setp.ne.u64 %p0, %y, 0;",
    "and.b64 %y, %d1, 1; setp.ne.u64 %p1, %y, 0;",
    "and.b64 %y, %d2, 1; setp.ne.u64 %p2, %y, 0;",
    "and.b64 %y, %d3, 1; setp.ne.u64 %p3, %y, 0;",
    "mov.b32 %z32, 0; mov.b16 %z16, 0; mov.b64 %z64, 0;",
    "setp.ne.u64 %z1, %y, %y; setp.ne.u64 %y1, %y, %y;",
];

/// The kernels `k0`, `k1` and so on for these cases, and so many threads.
pub fn text(cases: &[Case], target: &str, threads: usize) -> String {
    let mut text = format!(".version 9.0\n.target {target}\n.address_size 64\n");
    for (kernel, cases) in cases.chunks(CASES).enumerate() {
        text.push_str(&format!(
            ".visible .entry k{kernel}(.param .u64 in, .param .u64 out)\n{}\n",
            BEGIN.join("\n")
        ));
        for (at, case) in cases.iter().enumerate() {
            let instruction = &case.text;
            // A part of a result, or a carry, depends on what was there.
            let before = if case.part.is_empty() { "" } else { "mov.b32 %z32, 0; " };
            let first = match case.width {
                1 => "selp.u64 %y, 1, 0, %z1;".to_owned(),
                64 => "mov.b64 %y, %z64;".to_owned(),
                width => format!("cvt.u64.u{width} %y, %z{width};"),
            };
            let second = if case.is_pair { "selp.u64 %y, 1, 0, %y1;" } else { "mov.b64 %y, 0;" };
            let offset = at * threads * 16;
            text.push_str(&format!(
                "{before}{instruction} {first} st.global.u64 [%to+{offset}], %y; \
                {second} st.global.u64 [%to+{}], %y;\n",
                offset + 8
            ));
        }
        text.push_str("ret; }\n");
    }
    text
}

/// Lines before the first case of a kernel.
const LINES: usize = BEGIN.len() + 1;

/// Messages of the assembler, with the instructions that they are of.
pub fn by_line(messages: &str, cases: &[Case], target: &str, threads: usize) -> String {
    let text = text(cases, target, threads);
    let lines: Vec<&str> = text.lines().collect();
    let each = messages.lines().map(|message| {
        let number = message.split("line ").nth(1).and_then(|rest| rest.split([';', ':']).next());
        let line = number.and_then(|number| number.trim().parse::<usize>().ok());
        let instruction =
            line.and_then(|line| lines.get(line - 1)).map_or("", |line| line.split(';').next().unwrap());
        format!("{instruction}: {message}")
    });
    assert!(lines.len() > LINES);
    each.collect::<Vec<_>>().join("\n")
}

/// Operands as they are in memory.
pub fn packed(operands: &[[u64; 4]]) -> Vec<u8> {
    operands.iter().flatten().flat_map(|value| value.to_le_bytes()).collect()
}

/// Results of one kernel.
pub fn unpacked(bytes: &[u8], threads: usize) -> Results {
    let word = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().unwrap());
    let of_case = |bytes: &[u8]| bytes.chunks(16).map(|pair| (word(&pair[..8]), word(&pair[8..]))).collect();
    bytes.chunks(threads * 16).map(of_case).collect()
}

/// What the emulator gives.
pub fn emulated(cases: &[Case], operands: &[[u64; 4]]) -> Results {
    let text = text(cases, "sm_100a", operands.len());
    let emulator =
        Emulator::new(&Module::parse(&text).unwrap()).unwrap_or_else(|unsupported| panic!("{unsupported}"));
    let mut results = Vec::new();
    for (kernel, cases) in cases.chunks(CASES).enumerate() {
        let mut memory = Memory::new();
        let input = memory.allocate(packed(operands));
        let output = memory.allocate(vec![0; cases.len() * operands.len() * 16]);
        let parameters = [input.to_le_bytes().to_vec(), output.to_le_bytes().to_vec()];
        let launch = Launch {
            kernel: &format!("k{kernel}"),
            grid: [(operands.len() / BLOCK) as u32, 1, 1],
            block: [BLOCK as u32, 1, 1],
            shared_bytes: 0,
            parameters: &parameters,
        };
        let options = Options { races: nitro_ptx::emulate::Races::Ignored, ..Options::default() };
        emulator.launch(&launch, &mut memory, &options).unwrap();
        results.extend(unpacked(memory.bytes(output), operands.len()));
    }
    results
}
