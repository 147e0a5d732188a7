//! Proofs that patches are exact, and their words.

use super::{REVERSE, REVERSE_RUN, TWICE, TWICE_RUN, small_inputs, subject};
use crate::check::Check;
use crate::deadline::Deadline;

/// A float of each thread by way of an index, without those that are zero.
const GATHER: &str = "\
.version 9.0
.target sm_90
.address_size 64
.visible .entry gather(.param .u64 from, .param .u64 index, .param .u64 to, .param .u32 n)
{
    .reg .pred %p<3>;
    .reg .b32 %r<3>;
    .reg .f32 %f<3>;
    .reg .b64 %rd<9>;
    ld.param.u64 %rd1, [from];
    ld.param.u64 %rd2, [index];
    ld.param.u64 %rd3, [to];
    ld.param.u32 %r1, [n];
    mov.u32 %r2, %tid.x;
    setp.ge.u32 %p1, %r2, %r1;
    @%p1 ret;
    mul.wide.u32 %rd4, %r2, 4;
    add.s64 %rd5, %rd2, %rd4;
    ld.global.u32 %r2, [%rd5];
    mul.wide.u32 %rd6, %r2, 4;
    add.s64 %rd7, %rd1, %rd6;
    ld.global.f32 %f1, [%rd7];
    add.rn.f32 %f1, %f1, 0f00000000;
    add.s64 %rd8, %rd3, %rd4;
    st.global.f32 [%rd8], %f1;
    ret;
}
";

const GATHER_RUN: &str = "\
[[buffer]]
name = \"from\"
type = \"f32\"
length = \"n\"
role = \"in\"
values = \"i + 1\"
[[buffer]]
name = \"index\"
type = \"i32\"
length = \"n\"
role = \"in\"
values = \"n - 1 - i\"
[[buffer]]
name = \"to\"
type = \"f32\"
length = \"n\"
role = \"out\"
[[step]]
kernel = \"gather\"
grid = [1]
block = [64]
arguments = [\"from\", \"index\", \"to\", { i32 = \"n\" }]
[[search]]
n = 20
[[validation]]
n = 33
[[test]]
n = 64
";

/// Returns what is proved of a text that stands for another one, in words.
fn proved((text, run): (&str, &str), from: &str, to: &str) -> String {
    assert_eq!(text.matches(from).count(), 1, "{from}");
    let check = small_inputs(&subject(text, run));
    check.prove(&text.replace(from, to), Deadline::NEVER).unwrap().to_string()
}

#[test]
fn a_right_patch_is_proved_for_all_data() {
    let without_store = proved((TWICE, TWICE_RUN), "st.global.u32 [%rd3], %r5;", "");
    assert!(without_store.starts_with("proved for all data at "), "{without_store}");
    let exchanged = proved((REVERSE, REVERSE_RUN), "shl.b32 %r8, %r2, 2;", "mul.lo.s32 %r8, %r2, 4;");
    assert!(exchanged.starts_with("proved for all data at "), "{exchanged}");
    let by_index = proved((GATHER, GATHER_RUN), "%f1, %f1, 0f00000000", "%f1, 0f00000000, %f1");
    assert!(
        by_index.starts_with("proved for all floats, with the integers that were drawn, at "),
        "{by_index}"
    );
}

#[test]
fn a_patch_that_is_not_proved_says_why() {
    // The two differ for -0.0 alone, which no input has.
    let zero = proved((GATHER, GATHER_RUN), "add.rn.f32 %f1, %f1, 0f00000000;", "");
    let branch = "setp.eq.f32 %p2, %f1, 0f00000000; @%p2 ret;\n    st.global";
    let branch = proved((GATHER, GATHER_RUN), "st.global", branch);
    let race = proved((REVERSE, REVERSE_RUN), "bar.sync 0;", "");
    for (found, why) in [
        (zero, "element 0 of `to` is not the same term"),
        (branch, "branches or addresses depend on something else of the data"),
        (race, "race"),
    ] {
        assert!(found.starts_with("tested, and not proved: with n=") || why == "race", "{found}");
        assert!(found.contains(why), "{found}");
    }
}
