//! What the texts alone show, and what they do not.

use crate::tests::kernel;

const BEGINNING: &str = ".reg .pred %p<4>; .reg .f32 %f<8>; .reg .b32 %r<8>; .reg .b64 %rd<4>;\n\
    ld.param.u64 %rd1, [kernel_param_0]; add.s64 %rd2, %rd1, 64; mov.u32 %r1, %tid.x;\n\
    setp.lt.s32 %p1, %r1, 7;\n";
/// A sum of seven elements, with a load of each.
const LOOP: &str = "mov.u32 %r2, 0; mov.f32 %f1, 0f00000000; mov.u64 %rd3, %rd1;\n\
    L: ld.global.f32 %f2, [%rd3]; add.f32 %f1, %f1, %f2; add.s64 %rd3, %rd3, 4; add.s32 %r2, %r2, 1;\n\
    setp.lt.s32 %p2, %r2, 7; @%p2 bra L; st.global.f32 [%rd2], %f1; ret;";

fn same(original: &str, patched: &str) -> bool {
    let module = |body: &str| kernel(&format!("{BEGINNING}{body}"));
    module(original).does_the_same(&module(patched)).is_some()
}

#[test]
fn what_computes_the_same_is_seen_in_the_text() {
    for (original, patched) in [
        ("st.global.u32 [%rd1], %r1; ret;", "st.global.wt.u32 [%rd1], %r1; ret;"),
        (
            "@%p1 add.s32 %r1, %r1, 1; st.global.u32 [%rd1], %r1; ret;",
            "mov.u32 %r3, 1;\n\
         @%p1 add.s32 %r1, %r3, %r1; st.global.u32 [%rd1], %r1; ret;",
        ),
        (
            "@%p1 bra L; mov.u32 %r2, 5; add.s32 %r1, %r1, %r2; L: st.global.u32 [%rd1], %r1; ret;",
            "add.s32 %r4, %r1, 5; @%p1 bra L; mov.u32 %r1, %r4; L: st.global.u32 [%rd1], %r1; ret;",
        ),
        (
            "ld.global.u32 %r2, [%rd1]; st.shared.u32 [%rd2], %r1; st.global.u32 [%rd2], %r2; ret;",
            "st.shared.u32 [%rd2], %r1; ld.global.u32 %r2, [%rd1]; st.global.u32 [%rd2], %r2; ret;",
        ),
    ] {
        assert!(same(original, patched), "{original} {patched}");
    }
    let invariant = LOOP.replace("add.s32 %r2, %r2, 1;", "mov.u32 %r3, 1; add.s32 %r2, %r3, %r2;");
    let outside = LOOP.replace("mov.u32 %r2, 0;", "mov.u32 %r2, 0; mov.u32 %r3, 1;");
    let outside = outside.replace("%r2, %r2, 1;", "%r2, %r2, %r3;");
    assert!(same(LOOP, &invariant) && same(LOOP, &outside));
}

#[test]
fn what_differs_for_some_data_or_may_stray_is_not_the_same() {
    for (original, patched) in [
        // A load over a store, a barrier, a call, and a branch behind which alone it is made.
        (
            "ld.global.u32 %r2, [%rd1]; st.global.u32 [%rd2], %r1; st.global.u32 [%rd2+4], %r2; ret;",
            "st.global.u32 [%rd2], %r1; ld.global.u32 %r2, [%rd1]; st.global.u32 [%rd2+4], %r2; ret;",
        ),
        (
            "ld.shared.u32 %r2, [%rd1]; bar.sync 0; st.global.u32 [%rd2], %r2; ret;",
            "bar.sync 0; ld.shared.u32 %r2, [%rd1]; st.global.u32 [%rd2], %r2; ret;",
        ),
        (
            "ld.global.u32 %r2, [%rd1]; call f; st.global.u32 [%rd2], %r2; ret;",
            "call f; ld.global.u32 %r2, [%rd1]; st.global.u32 [%rd2], %r2; ret;",
        ),
        (
            "@%p1 bra L; ld.global.u32 %r2, [%rd1]; st.global.u32 [%rd2], %r2; L: ret;",
            "ld.global.u32 %r2, [%rd1]; @%p1 bra L; st.global.u32 [%rd2], %r2; L: ret;",
        ),
        (
            "@%p1 ld.global.u32 %r1, [%rd1]; st.global.u32 [%rd2], 1; ret;",
            "ld.global.u32 %r2, [%rd1]; st.global.u32 [%rd2], 1; ret;",
        ),
        // A store, a barrier, a guard.
        ("st.global.u32 [%rd1], %r1; st.global.u32 [%rd1], 0; ret;", "st.global.u32 [%rd1], 0; ret;"),
        ("bar.sync 0; ret;", "ret;"),
        ("@%p1 bra L; st.global.u32 [%rd1], 0; L: ret;", "@!%p1 bra L; st.global.u32 [%rd1], 0; L: ret;"),
        ("@%p1 st.global.u32 [%rd1], %r1; ret;", "st.global.u32 [%rd1], %r1; ret;"),
        (
            "mov.u32 %r1, %clock; mov.u32 %r2, %clock; st.global.u32 [%rd1], %r2; ret;",
            "mov.u32 %r1, %clock; mov.u32 %r2, %r1; st.global.u32 [%rd1], %r2; ret;",
        ),
        (
            "sub.s32 %r2, %r1, 7; st.global.u32 [%rd1], %r2; ret;",
            "sub.s32 %r2, 7, %r1; st.global.u32 [%rd1], %r2; ret;",
        ),
    ] {
        assert!(!same(original, patched), "{original} {patched}");
        assert!(same(original, original));
    }
    // The number of an earlier round is none of this one.
    for (from, to) in [
        ("add.s64 %rd3, %rd3, 4; add.s32 %r2, %r2, 1;\n", "add.s32 %r2, %r2, 1;\n"),
        ("L: ld.global.f32 %f2, [%rd3];", "ld.global.f32 %f2, [%rd3];\nL: "),
        ("mov.f32 %f1, 0f00000000;", "mov.f32 %f1, 0f3F800000;"),
        ("%r2, 7; @%p2", "%r2, 8; @%p2"),
    ] {
        assert!(LOOP.contains(from) && !same(LOOP, &LOOP.replace(from, to)), "{to}");
    }
}
