//! Proofs that patches are exact, and their words.

use nitro_search::threads::{cores, on_threads};

use super::{EmulatorCheck, REVERSE, REVERSE_RUN, TWICE, TWICE_RUN, small_inputs, subject};
use crate::check::{Check, CheckOutcome, Depth};
use crate::deadline::Deadline;
use crate::exactness::Exactness;

/// A float of each thread by way of an index, without those that are zero.
const GATHER: &str = "\
.version 9.0
.target sm_90
.address_size 64
.visible .entry gather(.param .u64 from, .param .u64 index, .param .u64 to, .param .u32 n)
{
    .reg .pred %p<4>;
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

/// How an element is found, and the same by a shift.
const OFFSET: &str = "mul.wide.u32 %rd6, %r2, 4;";
const SHIFTED: &str = "cvt.u64.u32 %rd6, %r2; shl.b64 %rd6, %rd6, 2;";

/// Returns what is proved of a text that stands for another one, in words.
fn proved((text, run): (&str, &str), from: &str, to: &str) -> String {
    assert_eq!(text.matches(from).count(), 1, "{from}");
    let check = small_inputs(&subject(text, run));
    check.prove(&text.replace(from, to), text, Deadline::NEVER).unwrap().to_string()
}

#[test]
fn a_right_patch_is_proved_for_all_data() {
    let without_store = proved((TWICE, TWICE_RUN), "st.global.u32 [%rd3], %r5;", "");
    assert!(without_store.starts_with("proved for all data at "), "{without_store}");
    let exchanged = proved((REVERSE, REVERSE_RUN), "shl.b32 %r8, %r2, 2;", "mul.lo.s32 %r8, %r2, 4;");
    assert!(exchanged.starts_with("proved for all data at "), "{exchanged}");
    let by_text = proved((GATHER, GATHER_RUN), "%f1, %f1, 0f00000000", "%f1, 0f00000000, %f1");
    assert_eq!(by_text, "proved for all data at all sizes");
    let by_index = proved((GATHER, GATHER_RUN), OFFSET, SHIFTED);
    assert!(
        by_index.starts_with("proved for all floats, with the integers that were drawn, at "),
        "{by_index}"
    );
}

#[test]
fn a_patch_that_is_not_proved_says_why() {
    // The two differ for -0.0 alone, which no input has.
    let zero = proved((GATHER, GATHER_RUN), "add.rn.f32 %f1, %f1, 0f00000000;", "");
    let branch = "setp.eq.f32 %p2, %f1, 0f40A00000; @%p2 ret;\n    st.global";
    let branch = proved((GATHER, GATHER_RUN), "st.global", branch);
    let race = proved((REVERSE, REVERSE_RUN), "bar.sync 0;", "");
    for (found, why) in [
        (zero, "element 0 of `to` is not the same term"),
        (branch, "branches or addresses depend on something else of the data"),
        (race, "race"),
    ] {
        let is_by_chance = found.starts_with("by chance of the inputs that were tried: with n=");
        assert_eq!(is_by_chance, why != "race", "{found}");
        assert!(found.contains(why), "{found}");
    }
}

/// Puts an addition behind a branch that only elements beyond a number take.
fn rare(beyond: f32, number: f32) -> String {
    let [beyond, number] = [beyond, number].map(f32::to_bits);
    let rare = format!(
        "setp.gt.f32 %p2, %f1, 0f{beyond:08X};\n    @!%p2 bra OUT;\n    add.rn.f32 %f1, %f1, 0f{number:08X};\nOUT:\n    add.s64 %rd8"
    );
    GATHER.replace("add.s64 %rd8", &rare)
}

#[test]
fn what_no_input_comes_to_is_not_proved() {
    let text = rare(1e6, 2.0);
    for (from, to, hidden) in [
        ("0f40000000", "0f40000001", "add.rn.f32"),
        ("add.rn.f32 %f1, %f1, 0f40000000;", "", "add.rn.f32"),
        ("setp.gt.f32 %p2, %f1, 0f", "setp.gt.f32 %p2, %f2, 0f", "setp.gt.f32"),
    ] {
        let found = proved((&text, GATHER_RUN), from, to);
        let why = format!("tested, and not proved: no small input shows all that `{hidden}");
        assert!(found.starts_with(&why), "{found}");
    }
    // Inputs come to what decides no longer, and to nothing behind it.
    let found = proved((&text, GATHER_RUN), "@!%p2 bra OUT;", "bra OUT;");
    assert!(found.starts_with("by chance of the inputs that were tried: with n="), "{found}");
    // What all inputs come to is proved beside.
    let found = proved((&text, GATHER_RUN), OFFSET, SHIFTED);
    assert!(found.starts_with("proved for all floats with the branches"), "{found}");
}

#[test]
fn a_barrier_is_proved_to_be_needless_where_inputs_come_to_all_that_it_may_order() {
    let found = proved((TWICE, TWICE_RUN), "bar.sync 0;", "");
    assert!(found.starts_with("proved for all data at "), "{found}");
    let text = rare(1e6, 2.0).replace("setp.gt.f32", "bar.sync 0;\n    setp.gt.f32");
    let found = proved((&text, GATHER_RUN), "bar.sync 0;", "");
    assert!(found.starts_with("tested, and not proved: no small input shows all that `"), "{found}");
}

#[test]
fn what_some_input_comes_to_is_proved_and_of_1000_wrong_edits_there_none_is() {
    let text = rare(40.0, 2.0);
    let found = proved((&text, GATHER_RUN), "%f1, %f1, 0f40000000", "%f1, 0f40000000, %f1");
    assert_eq!(found, "proved for all data at all sizes");
    let seeds: Vec<u32> = (0..1000).collect();
    let checks: Vec<(String, EmulatorCheck)> = (0..8u8)
        .map(|group| {
            let text = rare(10.0 * f32::from(group) + 1.0, 2.0);
            let check = small_inputs(&subject(&text, GATHER_RUN));
            (text, check)
        })
        .collect();
    on_threads(cores(), &seeds, |&seed| {
        let (text, check) = &checks[seed as usize % checks.len()];
        let wrong = format!("0f{:08X}", 2.0f32.to_bits() + 1 + seed);
        let found = check.prove(&text.replace("0f40000000", &wrong), text, Deadline::NEVER).unwrap();
        assert!(!matches!(found, Exactness::Proved { .. }), "{found}");
    });
}

#[test]
fn what_is_the_same_number_at_all_small_sizes_is_not_proved_to_be_so_at_others() {
    // A thousand blocks are beyond all sizes that are tried.
    let text = GATHER.replace(
        "mul.wide.u32 %rd6, %r2, 4;",
        "shr.u32 %r1, %r1, 10; add.s32 %r2, %r2, %r1; mul.wide.u32 %rd6, %r2, 4;",
    );
    let without = proved((&text, GATHER_RUN), "shr.u32 %r1, %r1, 10;", "mov.u32 %r1, 0;");
    let why = "tested, and not proved: no small input shows all that `shr.u32";
    assert!(without.starts_with(why), "{without}");
    let elsewhere = "shr.u32 %r1, %r1, 10; mul.wide.u32 %rd4, %r2, 4;";
    let moved = text.replace("shr.u32 %r1, %r1, 10; ", "").replace("mul.wide.u32 %rd4, %r2, 4;", elsewhere);
    let moved = proved((&text, GATHER_RUN), &text, &moved);
    assert_eq!(moved, "proved for all data at all sizes");
}

#[test]
fn what_no_thread_of_such_launches_comes_to_is_proved_without_an_input_that_shows_it() {
    // Blocks have 64 threads, and sizes are at least 1.
    let beyond = "setp.gt.u32 %p2, %r2, 63; @%p2 bra OUT; setp.lt.s32 %p3, %r1, 1; @%p3 bra OUT;\n    mul.wide.u32 %rd4";
    let text = GATHER.replace("mul.wide.u32 %rd4", beyond).replace("ret;\n}", "OUT: ret;\n}");
    for (from, to) in [
        ("setp.gt.u32 %p2, %r2, 63; @%p2 bra OUT;", ""),
        ("@%p3 bra OUT;", ""),
        ("setp.lt.s32 %p3, %r1, 1;", "setp.lt.s32 %p3, %r1, 0;"),
    ] {
        let found = proved((&text, GATHER_RUN), from, to);
        assert!(
            found.starts_with("proved for all data at all sizes, provided that launches have the"),
            "{found}"
        );
    }
    let found = proved((&text, GATHER_RUN), "%r2, 63", "%r2, 40");
    assert!(found.starts_with("by chance"), "{found}");
    // Beside what has to be seen at work.
    for never in ["@%p3 bra OUT;", "setp.lt.s32 %p3, %r1, 1; @%p3 bra OUT;"] {
        let both = text.replace(never, "").replace(OFFSET, SHIFTED);
        let found = proved((&text, GATHER_RUN), &text, &both);
        assert!(
            found.starts_with("proved for all floats, with the integers that were drawn, at "),
            "{found}"
        );
    }
}

#[test]
fn what_a_check_refuses_at_other_sizes_is_not_proved() {
    // The store beyond 40 changes nothing with 41 elements, and something with more.
    let store = "setp.gt.f32 %p2, %f1, 0f42220000;\n    @!%p2 bra OUT;\n    sub.s32 %r1, %r1, 41;\n    \
                 st.global.u32 [%rd8], %r1;\nOUT:";
    let text = GATHER.replace("st.global.f32 [%rd8], %f1;", store);
    let run = GATHER_RUN.replace(
        "type = \"f32\"\nlength = \"n\"\nrole = \"out\"",
        "type = \"i32\"\nlength = \"n\"\nrole = \"inout\"",
    );
    let mut check = small_inputs(&subject(&text, &run));
    let all: Vec<_> = check.cases.drain(..).chain(check.further.drain(..)).collect();
    let size = |name: &str| name.trim_start_matches("n=").split(' ').next().unwrap().parse::<u32>().unwrap();
    (check.cases, check.further) = all.into_iter().partition(|case| size(&case.name) <= 41);
    let wrong = text.replace("st.global.u32 [%rd8], %r1;", "");
    let looks_faster = check.check(&wrong, Depth::Further, Deadline::NEVER);
    assert!(matches!(looks_faster, CheckOutcome::Found(_)), "{looks_faster:?}");
    // As if these were too large for a proof.
    check.further.iter_mut().for_each(|case| case.expected.instructions = 1 << 40);
    let outcome = |depth| check.check(&wrong, depth, Deadline::NEVER);
    assert_eq!(outcome(Depth::Quick), CheckOutcome::Clean);
    assert!(matches!(outcome(Depth::Thorough), CheckOutcome::Found(_)));
    let found = check.prove(&wrong, &text, Deadline::NEVER).unwrap().to_string();
    assert!(found.starts_with("tested, and not proved: with n="), "{found}");
    let further = std::mem::take(&mut check.further);
    let found = check.prove(&wrong, &text, Deadline::NEVER).unwrap().to_string();
    assert!(found.starts_with("proved for all floats with the branches"), "{found}");
    check.further = further;
    let right = check.prove(&text.replace(OFFSET, SHIFTED), &text, Deadline::NEVER).unwrap().to_string();
    assert!(right.starts_with("proved for all floats with the branches"), "{right}");
}

/// The address of a variable is the same in all launches, and so is what comes of it. No input has to show another one.
#[test]
fn addresses_of_variables_need_not_vary() {
    let sum = "add.rn.f32 %f1, %f1, 0f00000000;";
    let staged = "mov.u32 %s1, part; add.u32 %s2, %s1, 8; st.local.f32 [%s2], %f1; ld.local.f32 %f1, [%s2];";
    let declared = "    .local .align 4 .b8 part[16];\n    .reg .b32 %s<3>;\n    .reg .pred";
    let text = GATHER.replace(sum, staged).replace("    .reg .pred", declared);
    let shorter = "mov.u32 %s1, part; st.local.f32 [%s1+8], %f1; ld.local.f32 %f1, [%s1+8];";
    let found = proved((&text, GATHER_RUN), staged, shorter);
    assert!(found.starts_with("proved for all floats"), "{found}");
    // What is written twice may be something else.
    let twice = text.replace("mov.u32 %s1, part;", "add.u32 %s2, %r2, 4; mov.u32 %s1, part;");
    let [staged, shorter] = [staged, shorter].map(|own| own.trim_start_matches("mov.u32 %s1, part; "));
    let found = proved((&twice, GATHER_RUN), staged, shorter);
    assert!(found.starts_with("tested, and not proved: no small input shows all"), "{found}");
}

#[test]
fn a_table_that_all_inputs_have_is_no_reason_to_look_at_none() {
    let run = GATHER_RUN.replacen("length = \"n\"", "length = \"600000 + n\"", 1);
    let found = proved((GATHER, &run), OFFSET, SHIFTED);
    assert!(found.starts_with("proved for all floats"), "{found}");
}
