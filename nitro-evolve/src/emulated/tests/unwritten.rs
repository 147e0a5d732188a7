//! Patches that are right with all inputs that somebody wrote, and wrong with others: inside a tile, at its edges.

use std::fmt::Write as _;

use super::*;

const ADD_EIGHT: &str = include_str!("add_eight.ptx");
const ADD_EIGHT_RUN: &str = include_str!("add_eight.toml");
const WRONG_PATCH: &str = include_str!("add_eight_wrong.patch");

/// Holds a wrong text against an original: nothing that is written shows it, and something that nobody wrote does.
fn is_found(name: &str, original: &str, wrong: &str, run: &str) -> String {
    assert_ne!(original, wrong, "{name}");
    let subject = subject(original, run);
    let written = EmulatorCheck::new(subject.workload(), original, 0.0).unwrap();
    assert_eq!(
        written.check(wrong, Depth::Hostile, Deadline::NEVER),
        CheckOutcome::Clean,
        "{name}: the inputs that are written do not show it"
    );
    let unwritten = small_inputs(&subject);
    assert_eq!(unwritten.check(original, Depth::Thorough, Deadline::NEVER), CheckOutcome::Clean, "{name}");
    assert!(
        matches!(unwritten.check(wrong, Depth::Hostile, Deadline::NEVER), CheckOutcome::Found(_)),
        "{name}: it would be bred"
    );
    match unwritten.check(wrong, Depth::Thorough, Deadline::NEVER) {
        CheckOutcome::Found(found) => found.what,
        other => panic!("{name}: {other:?}"),
    }
}

#[test]
fn a_patch_that_is_wrong_inside_a_tile_is_refused() {
    let base = subject(ADD_EIGHT, ADD_EIGHT_RUN);
    let patch: Patch = WRONG_PATCH.parse().unwrap();
    let wrong = base.patched(&patch.edits).unwrap();
    let why = is_found("add_eight", ADD_EIGHT, &wrong, ADD_EIGHT_RUN);
    assert!(why.starts_with("with n="), "{why}");
}

#[test]
fn each_guard_of_a_tile_counts() {
    let small = small_inputs(&subject(ADD_EIGHT, ADD_EIGHT_RUN));
    for (guard, other) in (1..=8).flat_map(|guard| (1..=8).map(move |other| (guard, other))) {
        let wrong = ADD_EIGHT.replace(&format!("@%p{guard} "), &format!("@%p{other} "));
        assert_eq!(
            small.check(&wrong, Depth::Hostile, Deadline::NEVER) == CheckOutcome::Clean,
            guard == other,
            "{guard} {other}"
        );
        let taken_away = ADD_EIGHT.replace(&format!("@%p{guard} "), "");
        assert!(
            matches!(small.check(&taken_away, Depth::Hostile, Deadline::NEVER), CheckOutcome::Found(_)),
            "{guard}"
        );
    }
}

/// What makes `%p` of an element, which `K` stands for, of its index `%iK` and the size `%n`.
const GUARDS: [&str; 9] = [
    "setp.lt.s32 %pK, %iK, %n;",
    "setp.gt.u32 %pK, %n, %iK;",
    "mul.lo.u32 %tK, %iK, 4; mul.lo.u32 %m, %n, 4; setp.lt.u32 %pK, %tK, %m;",
    "min.s32 %tK, %iK, %n; setp.ne.s32 %pK, %tK, %n;",
    "setp.ge.s32 %qK, %iK, %n; selp.u32 %tK, 0, 1, %qK; setp.ne.u32 %pK, %tK, 0;",
    "setp.lt.s32 %qK, %iK, %n; setp.ge.s32 %pK, %iK, 0; and.pred %pK, %pK, %qK;",
    "cvt.s64.s32 %dK, %iK; cvt.s64.s32 %dm, %n; setp.lt.s64 %pK, %dK, %dm;",
    "sub.s32 %tK, %n, %iK; setp.gt.s32 %pK, %tK, 0;",
    "set.lt.u32.s32 %tK, %iK, %n; setp.ne.u32 %pK, %tK, 0;",
];

/// What makes the index `%iK` of an element of that of the one before, `%iJ`.
const INDICES: [&str; 3] =
    ["add.s32 %iK, %i1, OFFSET;", "add.s32 %iK, %iJ, %threads;", "or.b32 %iK, %i1, OFFSET;"];

const FOUR_RUN: &str = "\
[[buffer]]
name = \"of\"
type = \"i32\"
length = \"n\"
role = \"inout\"
values = \"integer(-100, 100)\"
[[step]]
kernel = \"four\"
grid = [\"ceil_div(n, tile)\"]
block = [\"tile / 4\"]
arguments = [\"of\", { i32 = \"n\" }]
[let]
tile = \"4 * 64\"
[[search]]
n = 1250
[[validation]]
n = 760
seed = 1
[[test]]
n = 2270
seed = 2
[[test]]
n = 1
seed = 3
";

/// Adds 1 to four elements a thread, each behind a guard of its own.
fn four(index: &str, guard: &str) -> String {
    let mut text = String::from(
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry four(.param .u64 of, .param .u32 size)\n{\n\
         .reg .pred %p<5>, %q<5>; .reg .b32 %i<5>, %t<5>, %v<5>, %n, %m, %threads, %block;\n\
         .reg .b64 %d<5>, %a<5>, %dm, %of;\nld.param.u64 %of, [of]; ld.param.u32 %n, [size];\n\
         mov.u32 %threads, %ntid.x; mov.u32 %block, %ctaid.x; mov.u32 %t1, %tid.x; mul.lo.s32 %block, %block, 256;\n\
         add.s32 %i1, %block, %t1;\n",
    );
    for element in 1..=4 {
        let of_element = |code: &str| {
            let code = code.replace('K', &element.to_string()).replace('J', &(element - 1).to_string());
            code.replace("OFFSET", &(64 * (element - 1)).to_string())
        };
        let index = if element > 1 { of_element(index) } else { String::new() };
        let _ = writeln!(
            text,
            "{index} {}\nmul.wide.s32 %a{element}, %i{element}, 4; add.s64 %a{element}, %of, %a{element};\n\
             @%p{element} ld.global.u32 %v{element}, [%a{element}]; add.s32 %v{element}, %v{element}, 1;\n\
             @%p{element} st.global.u32 [%a{element}], %v{element};",
            of_element(guard)
        );
    }
    text + "ret;\n}\n"
}

#[test]
fn guards_are_told_apart_however_they_are_written() {
    for (guard, index) in GUARDS.iter().zip(INDICES.iter().cycle()) {
        let original = four(index, guard);
        let confused = original.replace("@%p3 ", "@%p2 ");
        is_found(&format!("{index} {guard}"), &original, &confused, FOUR_RUN);
        let taken_away = original.replace("@%p2 ", "");
        is_found(
            &format!("{index} {guard}"),
            &original,
            &taken_away,
            &FOUR_RUN.replace("n = 1\n", "n = 1020\n"),
        );
    }
}

#[test]
fn an_early_return_that_another_one_replaces_is_found() {
    let plain = four(INDICES[1], "setp.ge.s32 %pK, %iK, %n; @%pK bra DONE;");
    let mut original = plain.replace("ret;", "DONE: ret;");
    for element in 1..=4 {
        original =
            original.replace(&format!("@%p{element} ld"), "ld").replace(&format!("@%p{element} st"), "st");
    }
    let wrong = original.replace("@%p3 bra", "@%p2 bra");
    is_found("early return", &original, &wrong, FOUR_RUN);
}

/// Two rows a thread in tiles of 32 columns and 16 rows: both sizes, and a third one, come from parameters.
const TILES: &str = "\
.version 8.0
.target sm_90
.address_size 64
.visible .entry tiles(.param .u64 of, .param .u32 rows, .param .u32 columns, .param .u32 stride)
{
    .reg .pred %p<4>, %q<3>;
    .reg .b32 %r<12>, %v<3>, %i<3>;
    .reg .b64 %of, %a<3>;
    ld.param.u64 %of, [of];
    ld.param.u32 %r1, [rows];
    ld.param.u32 %r2, [columns];
    ld.param.u32 %r3, [stride];
    mov.u32 %r4, %ctaid.y;
    mov.u32 %r5, %tid.y;
    mov.u32 %r6, %ctaid.x;
    mov.u32 %r7, %tid.x;
    shl.b32 %r4, %r4, 4;
    add.s32 %r8, %r4, %r5;
    add.s32 %r9, %r8, 8;
    shl.b32 %r6, %r6, 5;
    add.s32 %r10, %r6, %r7;
    setp.lt.s32 %p3, %r10, %r2;
    setp.lt.s32 %q1, %r8, %r1;
    setp.lt.s32 %q2, %r9, %r1;
    and.pred %p1, %p3, %q1;
    and.pred %p2, %p3, %q2;
    mad.lo.s32 %i1, %r8, %r3, %r10;
    mad.lo.s32 %i2, %r9, %r3, %r10;
    mul.wide.s32 %a1, %i1, 4;
    add.s64 %a1, %of, %a1;
    mul.wide.s32 %a2, %i2, 4;
    add.s64 %a2, %of, %a2;
    @%p1 ld.global.u32 %v1, [%a1];
    add.s32 %v1, %v1, 1;
    @%p1 st.global.u32 [%a1], %v1;
    @%p2 ld.global.u32 %v2, [%a2];
    add.s32 %v2, %v2, 1;
    @%p2 st.global.u32 [%a2], %v2;
    ret;
}
";

const TILES_RUN: &str = "\
[let]
stride = \"columns + 3\"
[[buffer]]
name = \"of\"
type = \"i32\"
length = \"rows * stride\"
role = \"inout\"
values = \"integer(-100, 100)\"
[[step]]
kernel = \"tiles\"
grid = [\"ceil_div(columns, 32)\", \"ceil_div(rows, 16)\"]
block = [32, 8]
arguments = [\"of\", { i32 = \"rows\" }, { i32 = \"columns\" }, { i32 = \"stride\" }]
[[search]]
rows = 60
columns = 70
[[validation]]
rows = 75
columns = 57
[[test]]
rows = 44
columns = 90
";

#[test]
fn both_sides_of_a_tile_count() {
    let whole = TILES_RUN.replace("= 60", "= 64").replace("= 75", "= 80").replace("= 44", "= 48");
    is_found("the first row's guard", TILES, &TILES.replace("@%p2 ", "@%p1 "), &whole);
    is_found("rows unguarded", TILES, &TILES.replace("and.pred %p2, %p3, %q2", "mov.pred %p2, %p3"), &whole);
    let whole = TILES_RUN.replace("= 70", "= 96").replace("= 57", "= 64").replace("= 90", "= 32");
    is_found(
        "columns unguarded",
        TILES,
        &TILES.replace("setp.lt.s32 %p3, %r10, %r2", "mov.pred %p3, 1"),
        &whole,
    );
}

#[test]
fn a_loop_that_few_rounds_do_not_enter_is_entered_by_a_small_input() {
    // Each round of the host takes long with 37 of all else; beyond 2048 rounds of its own a kernel does more at once.
    let text = TWICE.replace(
        "shl.b32 %r6, %r5, 1;",
        "mov.u32 %r2, 0;\nROUND: add.s32 %r2, %r2, 64; setp.lt.s32 %p1, %r2, %r1; @%p1 bra ROUND;\n    \
         shr.u32 %r2, %r1, 11; add.s32 %r6, %r5, %r2;",
    );
    let run = TWICE_RUN
        .replace("[\"ceil_div(n, 64)\"]", "[\"rows * columns\"]")
        .replace("n = ", "rows = 70\ncolumns = 80\nn = ");
    let run = run.replace("length = \"n\"", "length = \"max(n, rows * columns * 64)\"");
    let run =
        run.replace("n = 200", "n = 20_000").replace("[[step]]", "[[step]]\ntimes = \"rows\"\n[[step.step]]");
    let check = small_inputs(&subject(&text, &run));
    let wrong = text.replace("shr.u32 %r2, %r1, 11;", "mov.u32 %r2, 0;");
    let CheckOutcome::Found(found) = check.check(&wrong, Depth::Thorough, Deadline::NEVER) else {
        panic!("clean")
    };
    assert!(found.case.is_some_and(|case| !case.contains("the first blocks")), "{}", found.what);
}

#[test]
fn what_is_found_thoroughly_refuses_a_patch_unless_patches_may_rely_on_inputs() {
    let subject = subject(TWICE, TWICE_RUN);
    let folder = tempfile::tempdir().unwrap();
    for (relies_on_inputs, expected) in
        [(false, Verdict::Refused("late: something".to_owned())), (true, Verdict::Accepted(Contract::Exact))]
    {
        let log = folder.path().join(format!("{relies_on_inputs}"));
        let late = Canned::new("late", |depth| match depth {
            Depth::Thorough => CheckOutcome::Found(Objection::new("something")),
            Depth::Quick | Depth::Further | Depth::Hostile => CheckOutcome::Clean,
        });
        let small_inputs: Option<Box<dyn Check>> = Some(Box::new(late));
        let base = request(&subject, &log, 300, race_check(&subject));
        let request = EvolveRequest { small_inputs, relies_on_inputs, ..base };
        let runners: Vec<Box<dyn Runner>> = vec![Box::new(EmulatorRunner::new())];
        let findings = evolve(&subject, runners, &assemble, request, &Silent).unwrap().findings;
        assert_eq!(findings[0].verdict, expected);
    }
}

#[test]
fn what_is_wrong_at_large_sizes_alone_is_found_in_pieces_of_them() {
    let text =
        TWICE.replace("shl.b32", "setp.gt.s32 %p1, %r1, 300000;\n    @%p1 add.s32 %r5, %r5, 7;\n    shl.b32");
    // Few threads, and more elements than a whole case may have.
    let run = TWICE_RUN.replace("ceil_div(n, 64)", "1").replace("n = 200", "n = 400_000");
    let subject = subject(&text, &run.replace("\"out\"", "\"inout\""));
    let mut check = small_inputs(&subject);
    let wrong = text.replace("%r5, 7", "%r5, 8");
    assert_eq!(check.check(&wrong, Depth::Quick, Deadline::NEVER), CheckOutcome::Clean);
    let CheckOutcome::Found(found) = check.check(&wrong, Depth::Thorough, Deadline::NEVER) else {
        panic!("clean")
    };
    assert!(found.what.starts_with("with the first blocks of twice with n="), "{found}");
    assert!(matches!(check.check_again(&wrong, &found, Deadline::NEVER), CheckOutcome::Found(_)));
    // What whole cases show all of is not looked for in pieces, whose memory it may leave otherwise.
    let shown = text.replace("st.global.u32 [%rd3], %r5;", "");
    assert_eq!(check.check(&shown, Depth::Thorough, Deadline::NEVER), CheckOutcome::Clean);
    // How large the error of a result is, a piece does not say.
    check.max_error = 0.1;
    let outcome = check.check(&wrong, Depth::Thorough, Deadline::NEVER);
    assert!(matches!(outcome, CheckOutcome::Off { error, .. } if error == f64::MIN_POSITIVE), "{outcome:?}");
}
