use super::*;
use crate::emulate::{Emulator, Launch, Memory, Options};

const HEAD: &str = ".version 9.0\n.target sm_90\n.address_size 64\n";
/// What stands in a text for the table as it is declared.
const EMPTY: &str = "nitro_bounds[129] = { 0 }";

/// Runs a body in 32 threads with a buffer of 64 bytes, in the text with bounds; why threads were ended, and what
/// the buffer then holds.
fn run(body: &str) -> (Option<Violation>, Vec<u32>) {
    let text = format!(
        "{HEAD}.visible .entry k(.param .u64 to) {{ .reg .pred %p<4>; .reg .b32 %r<9>; .reg .b64 %rd<9>; \
        .shared .align 16 .b8 s[64];\n\
         ld.param.u64 %rd1, [to]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2;\
         \n{body}\nret;\n}}"
    );
    let bounded = Module::parse(&text).unwrap().with_bounds().to_string();
    let mut memory = Memory::new();
    let to = memory.allocate(vec![0; 64]);
    let with_table = bounded.replace(EMPTY, &format!("nitro_bounds[129] = {{ 2, 16, 4, {to}, 64 }}"));
    assert_ne!(bounded, with_table, "the table is declared so");
    let emulator = Emulator::new(&Module::parse(&with_table).unwrap()).unwrap();
    let parameters = [to.to_le_bytes().to_vec()];
    let launch =
        Launch { kernel: "k", grid: [1; 3], block: [32, 1, 1], shared_bytes: 0, parameters: &parameters };
    emulator
        .launch(&launch, &mut memory, &Options::default())
        .unwrap_or_else(|fault| panic!("{body}: {fault}"));
    let violation = emulator.variable(Violation::VARIABLE, &memory).unwrap().try_into().unwrap();
    let values = memory.bytes(to).chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().unwrap()));
    (Violation::of(u32::from_le_bytes(violation)), values.collect())
}

fn violation(body: &str) -> Option<Violation> {
    run(body).0
}

#[test]
fn threads_end_before_they_leave_the_ranges_and_the_others_go_on() {
    let (violation, values) = run("st.global.u32 [%rd3], 7; st.global.u32 [%rd3+0], 9;");
    assert_eq!((violation, values), (Some(Violation::Global), vec![9; 16]), "16 of 32 threads have a word");
    let (violation, values) = run("setp.lt.u32 %p1, %r1, 16; @%p1 st.global.u32 [%rd3], %r1;");
    assert_eq!((violation, values), (None, (0..16).collect()), "what is not done is not looked at");
    let (violation, values) =
        run("setp.lt.u32 %p1, %r1, 16; @!%p1 ret; atom.global.add.u32 %r2, [%rd1+4], 1;");
    assert_eq!((violation, values[1]), (None, 16));
}

#[test]
fn what_is_no_access_of_a_buffer_is_told() {
    let cases = [
        ("ld.global.u32 %r2, [%rd1+60];", None),
        ("ld.global.u32 %r2, [%rd1+64];", Some(Violation::Global)),
        ("ld.global.u32 %r2, [%rd1+-4];", Some(Violation::Global)),
        ("mov.u64 %rd4, -4; ld.global.nc.u32 %r2, [%rd4];", Some(Violation::Global)),
        ("mov.u64 %rd4, 0; st.global.u32 [%rd4], %r1;", Some(Violation::Global)),
        ("ld.global.v4.u32 {%r2, %r3, %r4, %r5}, [%rd1+48];", None),
        ("ld.global.v4.u32 {%r2, %r3, %r4, %r5}, [%rd1+52];", Some(Violation::Misaligned)),
        ("ld.global.v4.u32 {%r2, %r3, %r4, %r5}, [%rd1+64];", Some(Violation::Global)),
        ("red.global.add.f64 [%rd1+4], 0d3FF0000000000000;", Some(Violation::Misaligned)),
        ("ld.u32 %r2, [%rd1];", None),
        ("ld.u32 %r2, [%rd1+64];", Some(Violation::Global)),
        ("ld.relaxed.gpu.global.u32 %r2, [%rd1+64];", Some(Violation::Global)),
        ("mov.u32 %r2, s; st.shared.u32 [%r2+60], 1;", None),
        ("mov.u32 %r2, s; st.shared.u32 [%r2+4096], 1;", Some(Violation::Shared)),
        ("mov.u32 %r2, s; st.shared.u32 [%r2+2], 1;", Some(Violation::Misaligned)),
        ("mov.u64 %rd4, s; cvta.shared.u64 %rd5, %rd4; st.u32 [%rd5], 1;", None),
        ("mov.u64 %rd4, s; cvta.shared.u64 %rd5, %rd4; st.u32 [%rd5+4096], 1;", Some(Violation::Shared)),
        ("mov.u64 %rd4, s; cvta.shared.u64 %rd5, %rd4; st.u32 [%rd5+2], 1;", Some(Violation::Misaligned)),
        ("setp.eq.u32 %p1, %r1, 5; @%p1 trap;", Some(Violation::Trap)),
        ("setp.eq.u32 %p1, %r1, 32; @%p1 trap;", None),
        ("st.shared.u32 [s], 1;", None),
    ];
    for (body, expected) in cases {
        assert_eq!(violation(body), expected, "{body}");
    }
}

#[test]
fn accesses_that_are_not_looked_at_stay_as_they_are() {
    for opcode in [
        "ld.param.u64",
        "ld.local.f32",
        "ld.const.u8",
        "red.async.relaxed.cluster.global.u32",
        "ld.shared::cluster.u32",
        "ld.global.frob",
    ] {
        assert_eq!(access(opcode), None, "{opcode}");
    }
    let cases = [
        ("ld.global.nc.L1::no_allocate.L2::128B.v2.f32", "nitro_global", 8),
        ("atom.shared.cas.b64", "nitro_shared", 8),
        ("ld.shared::cta.f16x2", "nitro_shared", 4),
        ("red.global.add.noftz.bf16x2", "nitro_global", 4),
        ("st.v2.b128", "nitro_generic", 32),
        ("ld.volatile.u8", "nitro_generic", 1),
    ];
    for (opcode, function, bytes) in cases {
        assert_eq!(access(opcode), Some((function, bytes)), "{opcode}");
    }
    let narrow = ".version 9.0\n.target sm_90\n.address_size 32\n.entry k() { ret; }";
    assert!(!Module::parse(narrow).unwrap().with_bounds().to_string().contains(Module::BOUNDS_VARIABLE));
}

/// The other way round, too: what is declared comes before all that uses it.
#[test]
fn a_text_with_bounds_may_have_a_deadline() {
    let text = format!(
        "{HEAD}.visible .entry k(.param .u64 to) {{ .reg .b64 %rd<2>; ld.param.u64 %rd1, [to];\n\
        $L: st.global.u32 [%rd1], 1; bra $L;\n}}"
    );
    let module = Module::parse(&text).unwrap();
    for module in [module.clone().with_deadline(9).with_bounds(), module.with_bounds().with_deadline(9)] {
        let text = module.to_string();
        let declared = [Violation::VARIABLE, Module::BOUNDS_VARIABLE, "nitro_deadline_ns", "nitro_global"];
        for (name, words) in declared.iter().zip([
            ".u32 nitro_violation = 0",
            "nitro_bounds[129] =",
            ".u64 nitro_deadline_ns =",
            ".func nitro_global(",
        ]) {
            assert_eq!(text.matches(words).count(), 1, "{text}");
            assert!(text.find(name).unwrap() >= text.find(words).unwrap(), "{name}: {text}");
        }
    }
}

#[test]
fn a_table_has_so_many_ranges_and_not_more() {
    assert_eq!(Module::bounds_table(&[(1, 2); 64]).unwrap().len(), 8 * 129);
    assert!(Module::bounds_table(&[(1, 2); 65]).is_none());
}
