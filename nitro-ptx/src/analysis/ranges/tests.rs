use std::collections::BTreeMap;

use super::KnownLaunches;
use crate::Module;

const HEAD: &str = ".visible .entry k(.param .u64 a, .param .u32 n)\n{\n.reg .pred %p<9>; .reg .b32 %r<20>; .reg .b64 %rd<9>;\n\
    mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; ld.param.u32 %r3, [n]; ld.param.u64 %rd1, [a];\n";

/// Returns the instructions of a body behind the first ones, with 100 threads a block and numbers from 3.
fn given(body: &str) -> String {
    let known = KnownLaunches { block: Some([100, 1, 1]), least: vec![None, Some(3)] };
    let module = Module::parse(&format!("{HEAD}{body}\nret;\n}}\n")).unwrap();
    let text = module.in_launches(&BTreeMap::from([("k".to_owned(), known)])).to_string();
    let (_, rest) = text.split_once("[a];").unwrap();
    rest.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn what_is_one_number_in_all_launches_is_that_number() {
    for (body, computed) in [
        ("shr.u32 %r4, %r1, 7;", "mov.b32 %r4, 0;"),
        ("shr.s32 %r4, %r3, 31;", "mov.b32 %r4, 0;"),
        ("setp.lt.s32 %p1, %r3, 1;", "mov.pred %p1, 0;"),
        ("setp.gt.u32 %p1, %r1, 99;", "mov.pred %p1, 0;"),
        ("add.s32 %r4, %r1, -100; setp.lt.s32 %p1, %r4, 0;", "mov.pred %p1, 1;"),
        ("and.b32 %r4, %r2, 7; div.u32 %r5, %r4, 8;", "mov.b32 %r5, 0;"),
        ("mul.wide.s32 %rd2, %r1, 4; setp.lt.s64 %p1, %rd2, 397;", "mov.pred %p1, 1;"),
        ("min.s32 %r4, %r3, 2;", "mov.b32 %r4, 2;"),
        ("mad.lo.s32 %r4, %r2, 100, %r1; shr.s32 %r5, %r4, 31;", "mov.b32 %r5, 0;"),
        ("rem.u32 %r4, %r1, 100; setp.eq.s32 %p1, %r4, 100;", "mov.pred %p1, 0;"),
        // The rounds of a loop from the thread's number on in steps of a block.
        (
            "max.s32 %r4, %r1, -28; add.s32 %r5, %r4, 127; sub.s32 %r6, %r5, %r1; shr.u32 %r7, %r6, 7;",
            "mov.b32 %r7, 0;",
        ),
        (
            "min.s32 %r4, %r3, 2; or.b32 %r5, %r4, 5; xor.b32 %r6, %r5, -1;",
            "mov.b32 %r5, 7; mov.b32 %r6, -8;",
        ),
        ("add.s32 %r4, %r1, 9; sub.s32 %r5, %r4, 2; sub.s32 %r6, %r5, %r4;", "mov.b32 %r6, -2;"),
        ("setp.lt.s32 %p1, %r3, 1; not.pred %p2, %p1; and.pred %p3, %p2, %p2;", "mov.pred %p3, 1;"),
    ] {
        assert!(given(body).contains(computed), "{body}: {}", given(body));
    }
}

#[test]
fn what_may_be_other_numbers_is_left_as_it_is() {
    for body in [
        "shr.u32 %r4, %r1, 6;",
        "setp.lt.s32 %p1, %r3, 4;",
        "setp.gt.u32 %p1, %r1, 98;",
        // A register that another instruction has changed since is not the same.
        "add.s32 %r4, %r1, 9; mov.u32 %r1, %ctaid.x; sub.s32 %r6, %r4, %r1;",
        "setp.lt.s32 %p1, %r3, 9; add.s32 %r4, %r1, 9; @%p1 add.s32 %r4, %r4, 1; sub.s32 %r6, %r4, %r1;",
        "add.s32 %r4, %r3, 9; sub.s32 %r5, %r4, %r3;",
        // The sum of two numbers may be beyond all that a register holds.
        "add.s32 %r4, %r3, %r3; setp.lt.s32 %p1, %r4, 0;",
        "mul.lo.s32 %r4, %r3, %r1; shr.s32 %r5, %r4, 31;",
        "shl.b32 %r4, %r3, 1; setp.ge.s32 %p1, %r4, 0;",
        "add.s32 %r4, %r1, -1; shr.u32 %r5, %r4, 31; setp.lt.u32 %p1, %r4, 100;",
        "sub.s32 %r4, %r1, %r2; cvt.u64.u32 %rd2, %r4; setp.lt.s64 %p1, %rd2, 100;",
        "cvt.u32.u64 %r4, %rd1; setp.ge.s32 %p1, %r4, 0;",
        "ld.global.u32 %r4, [%rd1]; and.b32 %r5, %r4, -8; setp.ge.s32 %p1, %r5, 0;",
        "setp.lt.f32 %p1, 0f00000000, 0f3F800000;",
        "setp.lt.s32 %p1, %r3, 9; @%p1 mov.u32 %r4, 5; setp.eq.s32 %p2, %r4, 5;",
    ] {
        let plain = body.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(given(body), format!("{plain} ret; }}"), "{body}");
    }
}

#[test]
fn where_no_thread_comes_nothing_is_left() {
    let strided = "setp.gt.s32 %p1, %r1, 99; @%p1 bra OUT; mov.u32 %r4, %r1;\nAGAIN:\n bar.sync 0; add.s32 %r4, %r4, 100;\n\
        setp.lt.s32 %p2, %r4, 100; @%p2 bra AGAIN; st.global.u32 [%rd1], %r4;\nOUT:\n";
    let text = given(strided);
    assert!(!text.contains("bra ") && text.contains("bar.sync") && text.contains("st.global"), "{text}");
    // Behind a guard it is known what the guard says.
    let text = given(
        "setp.gt.s32 %p1, %r1, 49; @%p1 bra OUT; setp.lt.s32 %p2, %r1, 50; @%p2 bra OUT; bar.sync 0;\nOUT:\n",
    );
    assert!(!text.contains("bar.sync") && text.contains("@%p1 bra OUT; mov.pred %p2, 1; bra OUT;"), "{text}");
    let text = given(
        "setp.le.s32 %p1, %r1, 49; @!%p1 bra OUT; setp.lt.s32 %p2, %r1, 49; @%p2 bra OUT; bar.sync 0;\nOUT:\n",
    );
    assert!(text.contains("bar.sync"), "{text}");
}

#[test]
fn a_loop_has_no_more_bounds_than_its_guard_gives() {
    let loop_ = |last: &str| {
        format!(
            "mov.u32 %r4, 0;\nAGAIN:\n bar.sync 0; add.s32 %r4, %r4, 1; {last}; @%p2 bra AGAIN;\n\
        setp.lt.s32 %p3, %r4, 0; @%p3 bra OUT; st.global.u32 [%rd1], %r4;\nOUT:\n"
        )
    };
    let text = given(&loop_("setp.lt.s32 %p2, %r4, 50"));
    assert!(text.contains("mov.pred %p3, 0;") && text.contains("@%p2 bra AGAIN"), "{text}");
    let text = given(&loop_("ld.global.u32 %r5, [%rd1]; setp.ne.s32 %p2, %r4, %r5"));
    assert!(text.contains("setp.lt.s32 %p3"), "{text}");
}
