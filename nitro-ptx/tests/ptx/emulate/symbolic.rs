//! Launches whose data are symbols.

use nitro_ptx::emulate::{Emulator, Fault, Launch, Memory, Options, SymbolicBytes, Symbols};
use nitro_ptx::{Base, Module};
use nitro_stats::random::Random;

use super::support::pack;

const THREADS: usize = 64;

/// A stencil by way of shared memory, with a store that is overwritten, a barrier too many and dead code.
const STENCIL: &str = "\
.version 9.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 floats, .param .u64 integers, .param .u64 to)
{
    .reg .pred %p<3>;
    .reg .b32 %r<10>;
    .reg .f32 %f<12>;
    .reg .b64 %rd<10>;
    .shared .align 4 .b8 part[256];
    ld.param.u64 %rd1, [floats];
    ld.param.u64 %rd2, [integers];
    ld.param.u64 %rd3, [to];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd4, %r1, 4;
    add.s64 %rd5, %rd1, %rd4;
    add.s64 %rd6, %rd2, %rd4;
    add.s64 %rd7, %rd3, %rd4;
    ld.global.f32 %f1, [%rd5];
    ld.global.u32 %r2, [%rd6];
    shl.b32 %r3, %r1, 2;
    mov.u32 %r4, part;
    add.s32 %r5, %r4, %r3;
    st.shared.f32 [%r5], %f1;
    bar.sync 0;
    bar.sync 0;
    shl.b32 %r6, %r2, 2;
    add.s32 %r7, %r4, %r6;
    ld.shared.f32 %f2, [%r7];
    mul.rn.f32 %f9, %f1, %f1;
    st.global.f32 [%rd7], %f2;
    setp.lt.f32 %p1, %f1, %f2;
    selp.f32 %f3, %f1, %f2, %p1;
    fma.rn.f32 %f4, %f1, %f2, %f3;
    max.f32 %f5, %f4, 0fC9742400;
    @%p1 mov.f32 %f5, %f2;
    add.rn.f32 %f6, %f5, 0f00000000;
    st.global.f32 [%rd7], %f6;
    ret;
}
";

/// A sum over a warp by shuffles, of pairs that are loaded at once, with an approximate quotient and a count.
const SUM: &str = "\
.version 9.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 floats, .param .u64 integers, .param .u64 to)
{
    .reg .pred %p<3>;
    .reg .b32 %r<12>;
    .reg .f32 %f<14>;
    .reg .b64 %rd<10>;
    ld.param.u64 %rd1, [floats];
    ld.param.u64 %rd2, [integers];
    ld.param.u64 %rd3, [to];
    mov.u32 %r1, %tid.x;
    and.b32 %r2, %r1, 31;
    mul.wide.u32 %rd4, %r2, 8;
    add.s64 %rd5, %rd1, %rd4;
    ld.global.v2.f32 {%f1, %f2}, [%rd5];
    mov.b64 %rd8, {%f1, %f2};
    mov.b64 {%r3, %r4}, %rd8;
    mov.b32 %f3, %r3;
    sub.rn.f32 %f4, %f3, %f2;
    mov.u32 %r5, 16;
$loop:
    mov.b32 %r6, %f4;
    shfl.sync.bfly.b32 %r7, %r6, %r5, 31, -1;
    mov.b32 %f5, %r7;
    add.rn.f32 %f4, %f4, %f5;
    shr.u32 %r5, %r5, 1;
    setp.ne.u32 %p1, %r5, 0;
    @%p1 bra $loop;
    div.full.f32 %f6, %f4, 0f42000000;
    cvt.f64.f32 %rd9, %f6;
    mul.wide.u32 %rd4, %r1, 4;
    add.s64 %rd6, %rd2, %rd4;
    add.s64 %rd7, %rd3, %rd4;
    st.global.f32 [%rd7], %f6;
    red.global.add.u32 [%rd6], %r1;
    ret;
}
";

/// What a kernel takes: floats, indices, and what it leaves.
struct Data {
    floats: Vec<f32>,
    integers: Vec<u32>,
}

impl Data {
    /// Floats of all kinds that matter to rounding and comparisons, and a permutation of the threads.
    fn drawn(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let special = [0.0, -0.0, 1.0, -2.5e6, 3e-39, f32::INFINITY, 1.5e38];
        let mut float = |at: usize| match (seed, random.below(8)) {
            (0, _) => at as f32 + 0.5,
            (_, 0) => special[random.below(special.len())],
            _ => (random.below(2000) as f32 - 1000.0) / 7.0,
        };
        let floats = (0..THREADS).map(&mut float).collect();
        Self { floats, integers: (0..THREADS as u32).map(|at| at ^ 1).collect() }
    }
}

/// Runs a kernel, by symbols where there are some; returns what it leaves and its memory.
fn run(text: &str, data: &Data, symbols: Option<&mut Symbols>) -> Result<Left, Fault> {
    let emulator = Emulator::new(&Module::parse(text).unwrap()).unwrap_or_else(|why| panic!("{why}"));
    let mut memory = Memory::new();
    let floats = memory.allocate(pack(&data.floats));
    let integers = memory.allocate(pack(&data.integers));
    let to = memory.allocate(vec![0; 4 * THREADS]);
    let parameters = [floats, integers, to].map(|address| address.to_le_bytes().to_vec());
    let (grid, block) = ([1; 3], [THREADS as u32, 1, 1]);
    let launch = Launch { kernel: "k", grid, block, shared_bytes: 0, parameters: &parameters };
    let options = Options { same_value_races: true, max_instructions: 10_000, ..Options::default() };
    let Some(symbols) = symbols else {
        emulator.launch(&launch, &mut memory, &options)?;
        let bytes = [floats, integers, to].map(|address| memory.bytes(address).to_vec());
        return Ok(Left { bytes, terms: Vec::new() });
    };
    symbols.begin();
    symbols.data(floats, 4 * THREADS, 4);
    symbols.data(to, 4 * THREADS, 4);
    emulator.launch_symbolic(&launch, &mut memory, &options, symbols)?;
    let bytes = [floats, integers, to].map(|address| memory.bytes(address).to_vec());
    let terms = [floats, integers, to].map(|address| symbols.left(address, &memory)).to_vec();
    Ok(Left { bytes, terms })
}

struct Left {
    bytes: [Vec<u8>; 3],
    terms: Vec<SymbolicBytes>,
}

/// Tells whether a text leaves the same as another one with all floats; none where that cannot be said.
fn is_proved(original: &str, patched: &str) -> Result<bool, String> {
    let (mut symbols, data) = (Symbols::new(100_000), Data::drawn(0));
    let expected = run(original, &data, Some(&mut symbols)).map_err(|fault| fault.to_string())?;
    let found = run(patched, &data, Some(&mut symbols)).map_err(|fault| fault.to_string())?;
    let mut pairs = found.terms.iter().zip(&expected.terms);
    let is_same = pairs.all(|(found, expected)| found.first_difference(expected).is_none());
    if symbols.may_be_fused() { Err("it may be fused".to_owned()) } else { Ok(is_same) }
}

/// Replaces a line of a kernel.
fn edited(text: &str, from: &str, to: &str) -> String {
    assert_eq!(text.matches(from).count(), 1, "{from}");
    text.replace(from, to)
}

#[test]
fn what_is_right_is_proved() {
    let moved = edited(STENCIL, "    ld.global.f32 %f1, [%rd5];\n", "");
    let reads = "ld.global.u32 %r2, [%rd6];\n";
    for (what, patched) in [
        ("nothing", STENCIL.to_owned()),
        ("loads exchanged", edited(&moved, reads, &format!("{reads}ld.global.f32 %f1, [%rd5];\n"))),
        ("an overwritten store", edited(STENCIL, "st.global.f32 [%rd7], %f2;", "")),
        ("a barrier too many", edited(STENCIL, "bar.sync 0;\n    bar.sync 0;", "bar.sync 0;")),
        ("dead code", edited(STENCIL, "mul.rn.f32 %f9, %f1, %f1;", "")),
        ("factors exchanged", edited(STENCIL, "%f4, %f1, %f2, %f3", "%f4, %f2, %f1, %f3")),
        (
            "a choice as a guard",
            edited(STENCIL, "selp.f32 %f3, %f1, %f2, %p1;", "mov.f32 %f3, %f2;\n@%p1 mov.f32 %f3, %f1;"),
        ),
    ] {
        assert_eq!(is_proved(STENCIL, &patched), Ok(true), "{what}");
    }
    let apart = edited(
        SUM,
        "ld.global.v2.f32 {%f1, %f2}, [%rd5];",
        "ld.global.f32 %f2, [%rd5+4]; ld.global.f32 %f1, [%rd5];",
    );
    let at_once = edited(SUM, "mov.b64 %rd8, {%f1, %f2};", "ld.global.b64 %rd8, [%rd5];");
    let direct = edited(SUM, "mov.b32 %f3, %r3;", "mov.f32 %f3, %f1;");
    for (what, patched) in
        [("nothing", SUM), ("single loads", &apart), ("one load", &at_once), ("a move", &direct)]
    {
        assert_eq!(is_proved(SUM, patched), Ok(true), "{what}");
    }
}

/// A step of 64 bits between floats of 32 bits is rounded twice, to the same bits as once.
#[test]
fn one_step_of_64_bits_is_the_same_of_32_and_two_are_not() {
    let step = |step: &str| edited(STENCIL, "add.rn.f32 %f6, %f5, 0f00000000;", step);
    let wide = |arithmetic: &str| {
        step(&format!(
            ".reg .f64 %fd<4>; cvt.f64.f32 %fd1, %f5; cvt.f64.f32 %fd2, %f2;\n{arithmetic}\ncvt.rn.f32.f64 %f6, %fd3;"
        ))
    };
    for (arithmetic, narrow, is_same) in [
        ("add.f64 %fd3, %fd1, %fd2;", "add.rn.f32 %f6, %f2, %f5;", true),
        ("sub.rn.f64 %fd3, %fd1, %fd2;", "sub.rn.f32 %f6, %f5, %f2;", true),
        ("mul.f64 %fd3, %fd1, %fd2;", "mul.rn.f32 %f6, %f5, %f2;", true),
        ("div.rn.f64 %fd3, %fd1, %fd2;", "div.rn.f32 %f6, %f5, %f2;", true),
        ("mul.f64 %fd3, %fd1, 0d3FF8000000000000;", "mul.rn.f32 %f6, %f5, 0f3FC00000;", true),
        ("fma.rn.f64 %fd3, %fd1, 0d3FE0000000000000, %fd2;", "fma.rn.f32 %f6, %f5, 0f3F000000, %f2;", true),
        ("mov.f64 %fd3, %fd1;", "mov.f32 %f6, %f5;", true),
        ("fma.rn.f64 %fd3, %fd1, %fd2, %fd1;", "fma.rn.f32 %f6, %f5, %f2, %f5;", false),
        ("mul.f64 %fd3, %fd1, 0d3FB999999999999A;", "mul.rn.f32 %f6, %f5, 0f3DCCCCCD;", false),
        ("add.f64 %fd3, %fd1, %fd2; mul.f64 %fd3, %fd3, %fd1;", "add.rn.f32 %f6, %f2, %f5;", false),
    ] {
        let (original, narrow) = (wide(arithmetic), step(narrow));
        assert_eq!(is_proved(&original, &narrow), Ok(is_same), "{arithmetic}");
        let left = |text: &str, seed| run(text, &Data::drawn(seed), None).unwrap().bytes;
        let are_same = (1..200).all(|seed| left(&original, seed) == left(&narrow, seed));
        assert!(are_same || !is_same, "{arithmetic}");
    }
}

/// With the data that are drawn first all of these leave the same bits.
#[test]
fn what_is_right_by_chance_is_not_proved() {
    let zero = edited(STENCIL, "add.rn.f32 %f6, %f5, 0f00000000;", "mov.f32 %f6, %f5;");
    let most = edited(STENCIL, "max.f32 %f5, %f4, 0fC9742400;", "mov.f32 %f5, %f4;");
    let sign = edited(STENCIL, "st.shared.f32 [%r5], %f1;", "abs.f32 %f10, %f1;\nst.shared.f32 [%r5], %f10;");
    let never = edited(
        STENCIL,
        "@%p1 mov.f32 %f5, %f2;",
        "setp.eq.f32 %p2, %f1, 0f4EDCA000;\n@%p2 mov.f32 %f5, %f1;\n@%p1 mov.f32 %f5, %f2;",
    );
    let same = |text: &str| {
        let [original, patched] = [STENCIL, text].map(|text| run(text, &Data::drawn(0), None).unwrap().bytes);
        original == patched
    };
    for (what, patched) in [("-0.0", zero), ("max", most), ("sign", sign), ("never", never)] {
        assert!(same(&patched), "{what}");
        assert_eq!(is_proved(STENCIL, &patched), Ok(false), "{what}");
    }
}

#[test]
fn what_cannot_be_proved_says_why() {
    let branch = edited(STENCIL, "@%p1 mov.f32 %f5, %f2;", "@%p1 bra $end;\nmov.f32 %f5, %f2;\n$end:");
    let address = edited(
        STENCIL,
        "mov.u32 %r4, part;",
        "cvt.rzi.u32.f32 %r8, %f1; and.b32 %r8, %r8, 0;\nmov.u32 %r4, part; add.s32 %r4, %r4, %r8;",
    );
    let race = edited(STENCIL, "bar.sync 0;\n    bar.sync 0;", "");
    let fused =
        edited(STENCIL, "add.rn.f32 %f6, %f5, 0f00000000;", "mul.f32 %f7, %f1, %f2; add.f32 %f6, %f7, %f1;");
    let atomic = edited(SUM, "st.global.f32 [%rd7], %f6;", "red.global.add.f32 [%rd7], %f6;");
    let counted = "red.global.add.u32 [%rd6], %r1;";
    let mixed = edited(SUM, counted, &format!("{counted}\nred.global.max.u32 [%rd6], %r1;"));
    let unwritten = edited(STENCIL, "st.shared.f32 [%r5], %f1;", "");
    for (text, why) in [
        (&branch, "control depends on data"),
        (&address, "its address depends on data"),
        (&race, "race"),
        (&fused, "may be fused"),
        (&atomic, "order of threads"),
        (&mixed, "order of threads"),
    ] {
        let found = is_proved(text, text).unwrap_err();
        assert!(found.contains(why), "{found}");
    }
    assert_eq!(is_proved(&unwritten, &unwritten), Ok(false), "nothing is known of memory that nobody wrote");
}

/// Edits that are drawn: those with which some data give other bits are never proved, and a part of the others is.
#[test]
fn no_wrong_edit_is_proved() {
    for text in [STENCIL, SUM] {
        let (mut wrong, mut right, mut proved) = (0, 0, 0);
        let base = Base::new(Module::parse(text).unwrap());
        let data: Vec<Data> = (0..6).map(Data::drawn).collect();
        let expected: Vec<_> = data.iter().map(|data| run(text, data, None).unwrap().bytes).collect();
        for seed in 0..1000 {
            let Some(edit) = base.mutate(&[], seed) else { continue };
            let Ok(patched) = base.apply(&[edit]) else { continue };
            let patched = patched.to_string();
            let is_right = data
                .iter()
                .zip(&expected)
                .all(|(data, expected)| run(&patched, data, None).is_ok_and(|left| left.bytes == *expected));
            let is_proved = is_proved(text, &patched) == Ok(true);
            assert!(is_right || !is_proved, "{patched}");
            wrong += u32::from(!is_right);
            right += u32::from(is_right);
            proved += u32::from(is_proved);
        }
        println!("{wrong} wrong edits, none proved; {proved} of {right} others proved");
        assert!(wrong >= 250 && proved >= 100, "{wrong} are wrong, {proved} of {right} others proved");
    }
}

/// The floats that are above 1, and their doubles elsewhere, by a branch.
const BRANCH: &str = "\
.version 9.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 floats, .param .u64 integers, .param .u64 to)
{
    .reg .pred %p<2>;
    .reg .b32 %r<2>;
    .reg .f32 %f<3>;
    .reg .b64 %rd<6>;
    ld.param.u64 %rd1, [floats];
    ld.param.u64 %rd2, [to];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd3, %r1, 4;
    add.s64 %rd4, %rd1, %rd3;
    add.s64 %rd5, %rd2, %rd3;
    ld.global.f32 %f1, [%rd4];
    setp.gt.f32 %p1, %f1, 0f3F800000;
    @%p1 bra $last;
    add.rn.f32 %f1, %f1, %f1;
$last:
    st.global.f32 [%rd5], %f1;
    ret;
}
";

#[test]
fn branches_on_data_are_proved_where_they_decide_alike() {
    let data = Data::drawn(1);
    assert!(run(BRANCH, &data, Some(&mut Symbols::new(1000))).is_err(), "control depends on data");
    let guard = edited(BRANCH, "@%p1 bra $last;\n    add", "@!%p1 add");
    let other = edited(BRANCH, "setp.gt.f32", "setp.ge.f32");
    let negated = edited(&edited(BRANCH, "setp.gt.f32", "setp.leu.f32"), "@%p1 bra", "@!%p1 bra");
    let never = edited(BRANCH, "    @%p1 bra $last;\n", "");
    for (patched, is_alike, is_same) in
        [(&guard, true, true), (&other, false, false), (&negated, false, true), (&never, false, false)]
    {
        let mut symbols = Symbols::deciding(1000);
        let expected = run(BRANCH, &data, Some(&mut symbols)).unwrap();
        let decisions = symbols.decisions();
        let found = run(patched, &data, Some(&mut symbols)).unwrap();
        assert_eq!(symbols.decisions() == decisions, is_alike, "{patched}");
        assert_eq!(found.terms[2].first_difference(&expected.terms[2]).is_none(), is_same, "{patched}");
    }
}

/// A weighted sum by a function that another one calls twice, with a structure of two floats; and what it keeps.
const CALLS: &str = "\
.version 9.0
.target sm_90
.address_size 64
.func (.param .b32 result) weigh(.param .b32 a, .param .align 8 .b8 pair[8])
{
    .reg .f32 %f<5>;
    .local .align 4 .b8 own[4];
    ld.param.f32 %f1, [a];
    ld.param.f32 %f2, [pair];
    ld.param.f32 %f3, [pair+4];
    st.local.f32 [own], %f1;
    fma.rn.f32 %f4, %f1, %f2, %f3;
    st.param.f32 [result], %f4;
    ret;
}
.func (.reg .f32 %by) twice(.reg .f32 %from)
{
    .reg .f32 %f<2>;
    add.rn.f32 %by, %from, %from;
    ret;
}
.visible .entry k(.param .u64 floats, .param .u64 integers, .param .u64 to)
{
    .reg .f32 %f<6>;
    .reg .b32 %r<2>;
    .reg .b64 %rd<9>;
    ld.param.u64 %rd1, [floats];
    ld.param.u64 %rd2, [to];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd3, %r1, 4;
    add.s64 %rd4, %rd1, %rd3;
    add.s64 %rd5, %rd2, %rd3;
    ld.global.f32 %f1, [%rd4];
    call.uni (%f2), twice, (%f1);
    {
    .param .b32 a;
    .param .align 8 .b8 pair[8];
    .param .b32 r;
    st.param.f32 [a], %f1;
    st.param.f32 [pair], %f2;
    st.param.f32 [pair+4], 0f3F800000;
    call.uni (r), weigh, (a, pair);
    ld.param.f32 %f3, [r];
    }
    {
    .param .b32 a;
    .param .align 8 .b8 pair[8];
    .param .b32 r;
    st.param.f32 [a], %f3;
    st.param.f32 [pair], 0f40000000;
    st.param.f32 [pair+4], %f1;
    call.uni (r), weigh, (a, pair);
    ld.param.f32 %f4, [r];
    }
    st.global.f32 [%rd5], %f4;
    ret;
}
";

#[test]
fn terms_go_through_calls() {
    assert_eq!(is_proved(CALLS, CALLS), Ok(true));
    let without_call = edited(CALLS, "call.uni (%f2), twice, (%f1);", "add.rn.f32 %f2, %f1, %f1;");
    let in_registers = edited(CALLS, "st.local.f32 [own], %f1;", "");
    for right in [without_call, in_registers] {
        assert_eq!(is_proved(CALLS, &right), Ok(true), "{right}");
    }
    for (from, to) in [
        ("st.param.f32 [pair+4], %f1;", "st.param.f32 [pair+4], %f3;"),
        ("st.param.f32 [pair+4], 0f3F800000;", "st.param.f32 [pair+4], 0f3F800001;"),
        ("fma.rn.f32 %f4, %f1, %f2, %f3;", "fma.rn.f32 %f4, %f1, %f1, %f3;"),
        ("add.rn.f32 %by, %from, %from;", "mov.f32 %by, %from;"),
        ("ld.param.f32 %f4, [r];", "mov.f32 %f4, %f3;"),
        // It has what the first call has left there.
        ("st.local.f32 [own], %f1;", "ld.local.f32 %f1, [own];"),
    ] {
        assert_eq!(is_proved(CALLS, &edited(CALLS, from, to)), Ok(false), "{to}");
    }
    // Nothing is known of a frame that nobody wrote, even if another call wrote there.
    let kept = edited(CALLS, "    ld.param.f32 %f1, [a];\n", "    ld.local.f32 %f1, [own];\n");
    assert_eq!(is_proved(&kept, &kept), Ok(false));
}
