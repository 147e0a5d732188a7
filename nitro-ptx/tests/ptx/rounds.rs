//! Loops that go several rounds in one, or load a round ahead, and do the same.

use nitro_ptx::emulate::{Emulator, Launch, Memory, Options};
use nitro_ptx::{Base, Module, Patch, Reason};

use crate::support::{assemble, ptxas};

const THREADS: u32 = 64;

/// The elements that a thread has: one more than it goes rounds at most.
const ELEMENTS: u32 = 12;

/// Each thread goes through its own elements in a loop, between 1 and 11 times; `%f4` and what is stored is left.
fn kernel(body: &str) -> String {
    format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 of, .param .u32 n) {{\n\
         .reg .pred %p<6>; .reg .b32 %r<9>; .reg .f32 %f<9>; .reg .b64 %rd<7>; .shared .align 4 .b8 tile[256];\n\
         ld.param.u64 %rd1, [of]; mov.u32 %r1, %tid.x; mul.lo.s32 %r2, %r1, {ELEMENTS};\n\
         mul.wide.u32 %rd2, %r2, 4; add.s64 %rd3, %rd1, %rd2; mov.u64 %rd5, %rd3; rem.u32 %r3, %r1, 11;\n\
         ld.param.u32 %r6, [n]; mov.f32 %f4, 0f00000000; mov.u32 %r5, tile; shl.b32 %r7, %r1, 2;\n\
         add.s32 %r5, %r5, %r7;\n\
         $L_next:\n{body}\n@%p1 bra $L_next;\n\
         $L_over: st.global.f32 [%rd3+44], %f4; ret;\n}}\n"
    )
}

/// Rounds of several kinds, with the number of loads in one block once two of them are one.
const BODIES: [(&str, &str, usize); 6] = [
    (
        "straight",
        "ld.global.f32 %f1, [%rd5]; fma.rn.f32 %f4, %f4, 0f3F000000, %f1; add.s64 %rd5, %rd5, 4;\n\
         sub.u32 %r3, %r3, 1; setp.ge.s32 %p1, %r3, 0;",
        2,
    ),
    (
        "with guards of its own",
        "ld.global.f32 %f1, [%rd5]; setp.lt.f32 %p2, %f1, 0f00000000; neg.f32 %f2, %f1; @%p2 neg.f32 %f2, %f2;\n\
         @!%p2 ld.global.f32 %f3, [%rd5+4]; @!%p2 add.f32 %f4, %f4, %f3; add.f32 %f4, %f4, %f2;\n\
         @%p2 st.global.f32 [%rd5], %f4; add.s64 %rd5, %rd5, 4;\n\
         sub.u32 %r3, %r3, 1; setp.ge.s32 %p1, %r3, 0;",
        4,
    ),
    (
        "with a branch over something",
        "ld.global.f32 %f1, [%rd5]; setp.lt.f32 %p2, %f1, 0f00000000; @%p2 bra $L_less;\n\
         mul.f32 %f2, %f1, %f1; add.f32 %f4, %f4, %f2; st.global.f32 [%rd5], %f4;\n\
         $L_less: add.s64 %rd5, %rd5, 4; sub.u32 %r3, %r3, 1; setp.ge.s32 %p1, %r3, 0;",
        2,
    ),
    (
        "that data may end",
        "ld.global.f32 %f1, [%rd5]; setp.gt.f32 %p2, %f1, 0f3F000000; @%p2 bra $L_over;\n\
         add.f32 %f4, %f4, %f1; add.s64 %rd5, %rd5, 4; sub.u32 %r3, %r3, 1; setp.ge.s32 %p1, %r3, 0;",
        1,
    ),
    (
        "in which threads meet",
        "ld.global.f32 %f1, [%rd5]; st.shared.f32 [%r5], %f1; bar.sync 0; ld.shared.f32 %f2, [tile];\n\
         add.f32 %f4, %f4, %f2; bar.sync 0; add.s64 %rd5, %rd5, 4; sub.u32 %r6, %r6, 1; setp.ge.s32 %p1, %r6, 0;",
        1,
    ),
    (
        "with sums in memory",
        "ld.global.f32 %f1, [%rd5]; red.global.add.f32 [%rd3], %f1; add.s64 %rd5, %rd5, 4;\n\
         sub.u32 %r3, %r3, 1; setp.ge.s32 %p1, %r3, 0;",
        2,
    ),
];

fn patched(text: &str, edits: &str) -> String {
    let base = Base::new(Module::parse(text).unwrap());
    let patch: Patch = format!("patch of {}\n{edits}", base.module().digest()).parse().unwrap();
    base.apply(&patch.edits).unwrap_or_else(|error| panic!("{error}\n{text}")).to_string()
}

/// What is left, where all threads go `n` more rounds together if they meet.
fn run(text: &str, n: u32) -> Vec<u8> {
    let emulator = Emulator::new(&Module::parse(text).unwrap()).unwrap_or_else(|why| panic!("{why}\n{text}"));
    let mut memory = Memory::new();
    let number = |at: u32| ((at * 37 % 23) as f32 - 14.0) / 16.0;
    let of = memory.allocate((0..THREADS * ELEMENTS).flat_map(|at| number(at).to_le_bytes()).collect());
    let parameters = [of.to_le_bytes().to_vec(), n.to_le_bytes().to_vec()];
    let (grid, block) = ([1, 1, 1], [THREADS, 1, 1]);
    let launch = Launch { kernel: "k", grid, block, shared_bytes: 0, parameters: &parameters };
    let launched = emulator.launch(&launch, &mut memory, &Options::default());
    launched.unwrap_or_else(|fault| panic!("{fault}\n{text}"));
    memory.bytes(of).to_vec()
}

/// The most loads of global memory of which no branch stands between two, nor where one leads to.
fn loads_of_a_block(text: &str) -> usize {
    let mut most = 0;
    let mut own = 0;
    for line in text.lines() {
        let is_target = line.strip_suffix(':').is_some_and(|label| text.contains(&format!("bra \t{label};")));
        own = if line.contains("bra") || is_target { 0 } else { own };
        own += usize::from(line.contains("ld.global"));
        most = most.max(own);
    }
    most
}

#[test]
fn several_rounds_in_one_do_the_same_however_many_there_are() {
    let ptxas = ptxas();
    for (what, body, loads) in BODIES {
        let text = kernel(body);
        let base = Base::new(Module::parse(&text).unwrap());
        let proposed: Vec<_> =
            base.rewrites().into_iter().filter(|own| own.reason == Reason::Rounds).collect();
        assert_eq!(proposed.len(), 2, "{what}: by 2 and by 4");
        for rounds in [2, 3, 4, 7] {
            let many = patched(&text, &format!("unroll all of k by {rounds}\n"));
            let count = |text: &str| text.matches("ld.global").count();
            assert_eq!(count(&many), count(&text) * rounds, "{what}");
            for n in 0..6 {
                assert!(run(&text, n) == run(&many, n), "{what}, {rounds} rounds in one:\n{many}");
            }
            if rounds == 2 {
                assert_eq!(loads_of_a_block(&many), loads, "{what}:\n{many}");
            }
            if let Some(ptxas) = &ptxas {
                assemble(ptxas, &many).unwrap_or_else(|error| panic!("{what}: {error}\n{many}"));
            }
        }
    }
}

#[test]
fn an_edit_is_about_one_loop_and_has_its_number_of_rounds() {
    let text = kernel(BODIES[0].1);
    let both = text.replace(
        "$L_over:",
        "$L_again: add.s64 %rd5, %rd5, -4; setp.gt.u64 %p1, %rd5, %rd3;\n\
         @%p1 bra $L_again;\n$L_over:",
    );
    let of = |edits: &str| patched(&both, edits);
    let sorted = |text: String| text.lines().map(str::to_owned).collect::<std::collections::BTreeSet<_>>();
    assert_eq!(sorted(of("unroll b17 by 2\nunroll b20 by 2\n")), sorted(of("unroll all of k by 2\n")));
    let one = of("unroll b20 by 2\n").replace('\t', "");
    assert_eq!(one.matches("ld.global").count(), 1);
    assert!(one.contains("mov.pred %goes_on_b20_1, %p1;\n@%goes_on_b20_1 add.s64 %rd5, %rd5, -4;"), "{one}");
    let base = Base::new(Module::parse(&both).unwrap());
    let patch = |edits: &str| format!("patch of {}\n{edits}", base.module().digest()).parse::<Patch>();
    assert_eq!(patch("unroll b17 by 4\n").unwrap().edits[0].operation.to_string(), "unroll b17 by 4");
    assert!(patch("unroll b17 by 4\n").unwrap().edits[0].operation.keeps_meaning());
    let refused = patch("unroll b17 by 1\n").unwrap_err().to_string();
    assert_eq!(refused, "line 2: `1` is no number of rounds from 2 to 16");
    let nothing = base.apply(&patch("unroll b16 by 2\n").unwrap().edits).unwrap_err().to_string();
    assert_eq!(nothing, "`unroll b16 by 2`: there is nothing that it could change");
}

#[test]
fn a_loop_stays_as_it_is_where_others_come_in_or_something_is_not_known() {
    let text = kernel(BODIES[2].1);
    for (from, to) in [
        ("$L_next:", "setp.eq.u32 %p3, %r1, 7; @%p3 bra $L_less;\n$L_next:"),
        ("@%p1 bra", "@%p2 bra $L_next; @%p1 bra"),
        ("@%p1 bra $L_next;", "bra $L_next;"),
        ("mul.f32 %f2, %f1, %f1;", "add.cc.u32 %r7, %r1, %r1; addc.u32 %r7, %r7, %r1;"),
        ("mul.f32 %f2, %f1, %f1;", "{ .reg .f32 %g; mul.f32 %g, %f1, %f1; }"),
    ] {
        let other = text.replace(from, to);
        let base = Base::new(Module::parse(&other).unwrap());
        assert!(base.rewrites().iter().all(|own| own.reason != Reason::Rounds), "{to}");
    }
}

#[test]
fn loads_a_round_ahead_give_the_same_and_none_is_made_for_nothing() {
    let ptxas = ptxas();
    for (what, body, _) in BODIES {
        let text = kernel(body);
        let base = Base::new(Module::parse(&text).unwrap());
        let proposed: Vec<_> =
            base.rewrites().into_iter().filter(|own| own.reason == Reason::Ahead).collect();
        let proposed: Vec<String> = proposed.iter().map(|own| own.operation.to_string()).collect();
        assert_eq!(proposed, ["ahead b12"], "{what}");
        let ahead = patched(&text, "ahead b12\n");
        assert_eq!(ahead, patched(&text, "ahead all of k\n"), "{what}");
        for n in 0..6 {
            // A load behind the last element would be refused here.
            assert!(run(&text, n) == run(&ahead, n), "{what}:\n{ahead}");
        }
        let both = patched(&text, "ahead b12\nunroll all of k by 3\n");
        assert!((0..6).all(|n| run(&text, n) == run(&both, n)), "{what}:\n{both}");
        if let Some(ptxas) = &ptxas {
            assemble(ptxas, &ahead).unwrap_or_else(|error| panic!("{what}: {error}\n{ahead}"));
        }
    }
}

#[test]
fn a_load_is_made_ahead_before_all_else_of_its_round() {
    let ahead = patched(&kernel(BODIES[4].1), "ahead b12\n").replace('\t', "").replace(" \n", "\n");
    let expected = "\
ld.global.f32 %f1_ahead, [%rd5];
$L_next:
mov.f32 %f1, %f1_ahead;
add.s64 %rd5_of_b12_1, %rd5, 4;
sub.u32 %r6_of_b12_1, %r6, 1;
setp.ge.s32 %p1_of_b12_1, %r6_of_b12_1, 0;
@%p1_of_b12_1 ld.global.f32 %f1_ahead, [%rd5_of_b12_1];
st.shared.f32 [%r5], %f1;
bar.sync 0;
";
    assert!(ahead.contains(expected), "{ahead}");
}

#[test]
fn a_load_stays_in_its_round_where_it_is_not_known_before() {
    let text = kernel(BODIES[0].1);
    for (from, to) in [
        ("add.s64 %rd5, %rd5, 4;", "ld.global.u64 %rd5, [%rd5];"),
        ("sub.u32 %r3, %r3, 1;", "cvt.rzi.s32.f32 %r3, %f1;"),
        ("ld.global.f32 %f1", "setp.eq.u32 %p2, %r3, 1; @%p2 bra $L_over; ld.global.f32 %f1"),
        ("ld.global.f32 %f1, [%rd5];", "setp.eq.u32 %p2, %r3, 1; @%p2 ld.global.f32 %f1, [%rd5];"),
        (
            "ld.global.f32 %f1, [%rd5];",
            "@%p2 bra $L_in; mov.f32 %f1, %f4; ld.global.f32 %f1, [%rd5];\n$L_in:",
        ),
        ("ld.global", "ld.volatile.global"),
        ("add.s64 %rd5, %rd5, 4;", "add.s64 %rd5, %rd5, 4; add.s64 %rd5, %rd5, 4;"),
        ("add.s64 %rd5, %rd5, 4;", "@%p2 add.s64 %rd5, %rd5, 4;"),
    ] {
        let base = Base::new(Module::parse(&text.replace(from, to)).unwrap());
        assert!(base.rewrites().iter().all(|own| own.reason != Reason::Ahead), "{to}");
    }
}
