use std::path::Path;

use super::*;
use crate::workload::Workload;

/// Elements of a block from the last to the first, in blocks of two warps: one barrier is needed, one is not, and
/// one no input comes to.
const REVERSE: &str = "\
.version 9.0
.target sm_90
.address_size 64
.visible .entry reverse(.param .u64 of, .param .u32 n)
{
    .reg .pred %p<2>;
    .reg .b32 %r<9>;
    .reg .b64 %rd<4>;
    .shared .align 4 .b8 part[256];
    ld.param.u64 %rd1, [of]; ld.param.u32 %r1, [n];
    mov.u32 %r2, %ctaid.x; mov.u32 %r3, %tid.x; shl.b32 %r4, %r2, 6; add.s32 %r4, %r4, %r3;
    mul.wide.s32 %rd2, %r4, 4; add.s64 %rd3, %rd1, %rd2; ld.global.u32 %r5, [%rd3];
    shl.b32 %r6, %r3, 2; mov.u32 %r7, part; add.s32 %r8, %r7, %r6;
    bar.sync 0;
    st.shared.u32 [%r8], %r5;
    bar.sync 0;
    setp.lt.u32 %p1, %r1, 1000000; @%p1 bra FEW;
    bar.sync 0;
FEW:
    sub.s32 %r8, 252, %r6; add.s32 %r8, %r8, %r7; ld.shared.u32 %r5, [%r8];
    st.global.u32 [%rd3], %r5; ret;
}
";

const RUN: &str = "\
[[buffer]]
name = \"of\"
type = \"u32\"
length = \"64 * blocks\"
role = \"inout\"
values = \"integer(0, 1000000)\"
[[step]]
kernel = \"reverse\"
grid = [\"blocks\"]
block = [64]
arguments = [\"of\", { u32 = \"64 * blocks\" }]
[[search]]
blocks = 9
[[search]]
blocks = 3
[[validation]]
blocks = 5
[[test]]
blocks = 2
";

fn with_proposals(ptx: &str) -> Subject {
    let workload = Workload::parse(Path::new("k.toml"), RUN).unwrap();
    Subject::new(ptx, workload).unwrap().with_proposals(2)
}

fn proposed(subject: &Subject) -> Vec<String> {
    subject.base().proposed().map(|proposal| format!("{:?} {proposal}", proposal.reason)).collect()
}

#[test]
fn a_barrier_is_proposed_where_nothing_races_without_it_and_threads_come_there() {
    let found = proposed(&with_proposals(REVERSE));
    let barriers: Vec<&String> = found.iter().filter(|proposal| proposal.starts_with("Barrier")).collect();
    assert_eq!(barriers, ["Barrier delete b12"], "{found:#?}");
    assert!(found.contains(&"OneWay operand b16 slot guard = 1".to_owned()), "{found:#?}");
    assert_eq!(with_proposals(REVERSE).proposed()["barriers without which nothing races"], 1);
    assert_eq!(proposed(&with_proposals(REVERSE)), found, "the same again");
    assert!(found.contains(&"Block block reverse = 64 1 1".to_owned()), "{found:#?}");
}

/// Each thread hands a number to the next of its block, twice, and one of the first half of the first warp to the
/// second.
const HANDED: &str = "\
.version 9.0
.target sm_90
.address_size 64
.visible .entry reverse(.param .u64 of, .param .u32 n)
{
    .reg .pred %p<2>;
    .reg .b32 %r<9>;
    .reg .b64 %rd<4>;
    .shared .align 4 .b8 part[256];
    ld.param.u64 %rd1, [of];
    mov.u32 %r1, %tid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, part; mad.lo.s32 %r4, %r1, 4, %r3;
    st.shared.u32 [%r4], %r1; bar.sync 0;
    add.s32 %r5, %r1, 1; rem.u32 %r5, %r5, %r2; mad.lo.s32 %r5, %r5, 4, %r3; ld.shared.u32 %r6, [%r5];
    bar.sync 0; st.shared.u32 [%r4], %r6; bar.sync 0;
    setp.lt.u32 %p1, %r1, 16; @%p1 ld.shared.u32 %r6, [%r4+64];
    bar.sync 0; @%p1 st.shared.u32 [%r4], %r6; bar.sync 0;
    ld.shared.u32 %r6, [part+32];
    mov.u32 %r7, %ctaid.x; mad.lo.s32 %r7, %r7, %r2, %r1; mul.wide.u32 %rd2, %r7, 4; add.s64 %rd3, %rd1, %rd2; st.global.u32 [%rd3], %r6;
    ret;
}
";

#[test]
fn where_a_warp_hands_something_to_itself_alone_its_own_barriers_are_proposed_and_all_of_them() {
    let proposed_for = |threads: u32| {
        let run = RUN
            .replace("64 * blocks", &format!("{threads} * blocks"))
            .replace("block = [64]", &format!("block = [{threads}]"));
        let workload = Workload::parse(Path::new("k.toml"), &run).unwrap();
        let found = proposed(&Subject::new(HANDED, workload).unwrap().with_proposals(2));
        found.into_iter().filter(|proposal| proposal.contains("arrier")).collect::<Vec<_>>()
    };
    let of_one = [
        "Barrier delete b16",
        "Warp warp-barrier b6",
        "Warp warp-barrier b11",
        "Warp warp-barrier b13",
        "Warp warp-barrier b18",
        "Warp warp-barrier b6 b11 b13 b18",
    ];
    assert_eq!(proposed_for(32), of_one);
    assert_eq!(proposed_for(64), ["Barrier delete b16", "Warp warp-barrier b13"]);
}

#[test]
fn what_cannot_be_emulated_or_fails_there_is_not_with_proposals() {
    let unknown = REVERSE.replace("shl.b32 %r6, %r3, 2;", "frobnicate.b32 %r6, %r3;");
    let of_text = ["Registers ", "Block "];
    let found = proposed(&with_proposals(&unknown));
    assert!(found.iter().all(|own| of_text.iter().any(|kind| own.starts_with(kind))), "{found:#?}");
    // It leaves its buffer at once: what was seen before is all there is.
    let stray = REVERSE.replace("ld.global.u32 %r5, [%rd3];", "ld.global.u32 %r5, [%rd3+4096];");
    assert!(proposed(&with_proposals(&stray)).iter().all(|proposal| !proposal.starts_with("Barrier")));
}
