//! Which edits are accepted, and what they do.

use super::{Base, Edit, InstructionId, Module, Operation, Patch, PatchError, Reason};
use crate::analysis::assigned::undefined;
use crate::analysis::flow::Flow;
use crate::analysis::uniform::barriers;
use crate::tests::{body, kernel};

const DECLARED: &str = ".reg .pred %p<5>; .reg .b32 %r<9>; .reg .f32 %f<9>; .reg .b64 %rd<5>;\n";

fn base(text: &str) -> Base {
    Base::new(kernel(&format!("{DECLARED}{text}")))
}

/// Applies a patch that is written without its head.
fn patched(base: &Base, edits: &str) -> Result<Module, PatchError> {
    let patch: Patch = format!("patch of {}\n{edits}", base.module().digest()).parse()?;
    base.apply(&base.check(&patch)?.edits)
}

/// The instructions after the edits.
fn code(base: &Base, edits: &str) -> Vec<String> {
    let module = patched(base, edits).unwrap_or_else(|error| panic!("{error}"));
    let shown = |line: &str| line.trim().replace(" \t", " ");
    let text = module.to_string();
    let lines = text.lines().map(shown).filter(|line| line.ends_with(';') && !line.starts_with('.'));
    lines.filter(|line| !line.contains(".param")).collect()
}

fn refusal(base: &Base, edits: &str) -> String {
    patched(base, edits).unwrap_err().to_string()
}

/// Names of the registers that are read without a value.
fn open(text: &str) -> Vec<String> {
    let module = kernel(&format!("{DECLARED}{text}"));
    let flow = Flow::new(body(&module)).unwrap();
    let open = undefined(&flow, &std::collections::HashSet::new());
    open.into_iter().map(|open| body(&module).registers[open.register].name.clone()).collect()
}

#[test]
fn a_value_has_to_come_from_every_side() {
    let fork = |one: &str, other: &str| {
        format!(
            "mov.u32 %r1, %tid.x; setp.eq.u32 %p1, %r1, 0; @%p1 bra $A; {one} bra $B;\n$A: {other}\n\
            $B: add.s32 %r3, %r2, 1;"
        )
    };
    assert!(open(&fork("mov.u32 %r2, 1;", "mov.u32 %r2, 2;")).is_empty());
    assert_eq!(open(&fork("mov.u32 %r2, 1;", "")), ["%r2"]);
    assert!(open(&fork("mov.u32 %r2, 1;", "ret;")).is_empty(), "who ends does not come there");
    assert_eq!(open("bra $M;\n$L: mov.u32 %r2, %r1;\n$M: mov.u32 %r1, 1; @%p1 bra $L;"), ["%p1"]);
    assert_eq!(open("$L: mov.u32 %r2, %r1; mov.u32 %r1, 1; bra $L;"), ["%r1"], "not in the first turn");
}

#[test]
fn a_guarded_value_counts_under_the_same_guard() {
    let all = "mov.u32 %r1, %tid.x; setp.eq.u32 %p1, %r1, 0; @%p1 mov.u32 %r2, 1;\n";
    assert_eq!(open(&format!("{all} add.s32 %r3, %r2, 1;")), ["%r2"]);
    assert!(open(&format!("{all} @%p1 add.s32 %r3, %r2, 1;")).is_empty());
    assert_eq!(open(&format!("{all} @!%p1 add.s32 %r3, %r2, 1;")), ["%r2"]);
    assert!(open(&format!("{all} @!%p1 mov.u32 %r2, 3; add.s32 %r3, %r2, 1;")).is_empty());
    let again = "setp.eq.u32 %p1, %r1, 1; @%p1 add.s32 %r3, %r2, 1;";
    assert_eq!(open(&format!("{all} {again}")), ["%r2"], "another value of the guard");
}

#[test]
fn a_branch_over_a_table_goes_to_all_of_it() {
    let text = "mov.u32 %r1, %tid.x; @%p1 mov.u32 %r2, 1;\n$T: .branchtargets $A, $B;\nbrx.idx %r1, $T;\n\
                $A: mov.u32 %r3, 1; ret;\n$B: add.s32 %r4, %r3, 1; ret;";
    assert_eq!(open(text), ["%p1", "%r3"]);
}

#[test]
fn labels_belong_to_their_scopes() {
    let text = "{ bra L; mov.u32 %r1, 1;\nL: }\n{ bra L; mov.u32 %r1, 1;\nL: }\nadd.s32 %r2, %r1, 1;";
    assert_eq!(open(text), ["%r1"]);
}

#[test]
fn tables_belong_to_their_scopes_too() {
    let scope = |target: &str| {
        format!("{{\nT: .branchtargets {target};\nbrx.idx %r1, T;\nA: mov.u32 %r2, 1;\nB: }}\n")
    };
    let both = format!("mov.u32 %r1, 0; {}{}add.s32 %r3, %r2, 1;", scope("A"), scope("B"));
    assert!(open(&both).is_empty(), "the first table leads to the value");
    let turned = format!("mov.u32 %r1, 0; {}{}add.s32 %r3, %r2, 1;", scope("B"), scope("A"));
    assert!(open(&turned).is_empty(), "so does the second");
    let neither = format!("mov.u32 %r1, 0; {}add.s32 %r3, %r2, 1;", scope("B"));
    assert_eq!(open(&neither), ["%r2"]);
}

/// How many branches may be divergent that decide who comes to a barrier.
fn divergent(text: &str) -> usize {
    let module = kernel(&format!("{DECLARED}{text}"));
    let flow = Flow::new(body(&module)).unwrap();
    barriers(&flow, true).into_values().map(|branches| branches.len()).sum()
}

#[test]
fn barriers_are_safe_where_all_threads_go_the_same_way() {
    let after =
        |compared: &str| format!("{compared}; setp.lt.u32 %p1, %r1, 9; @%p1 bra $A; bar.sync 0;\n$A: ret;");
    assert_eq!(divergent(&after("mov.u32 %r1, %ctaid.x")), 0);
    assert_eq!(divergent(&after("ld.param.u32 %r1, [kernel_param_0]")), 0);
    assert_eq!(divergent(&after("mov.u32 %r1, %tid.x")), 1);
    assert_eq!(divergent(&after("ld.shared.u32 %r1, [x]")), 1);
    let joined =
        "mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 9; @%p1 bra $A; mov.u32 %r2, 1;\n$A: bar.sync 0; ret;";
    assert_eq!(divergent(joined), 0, "all come there");
    let counted =
        "mov.u32 %r1, 0;\n$L: bar.sync 0; add.s32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 9; @%p1 bra $L; ret;";
    assert_eq!(divergent(counted), 0, "all go round equally often");
    let own = counted.replace("mov.u32 %r1, 0", "mov.u32 %r1, %laneid");
    assert_eq!(divergent(&own), 1);
    let written = "mov.u32 %r1, %tid.x; mov.u32 %r2, 0; setp.lt.u32 %p1, %r1, 9; @%p1 bra $A; mov.u32 %r2, 1;\n\
                   $A: setp.eq.u32 %p2, %r2, 0; @%p2 bra $B; bar.sync 0;\n$B: ret;";
    assert_eq!(divergent(written), 1, "what some threads have written differs");
    for opcode in [
        "bar.sync 0",
        "bar.red.popc.u32 %r3, 0, %p1",
        "tcgen05.alloc.sync.aligned [x]",
        "mbarrier.arrive.shared.b64 %rd1, [x]",
        "call.uni f, ()",
        "shfl.sync.idx.b32 %r3, %r1, 0, 31, -1",
    ] {
        assert_eq!(
            divergent(&format!("mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 9; @%p1 {opcode}; ret;")),
            1
        );
    }
}

const SUM: &str = "mov.u32 %r1, %tid.x; mov.u32 %r2, 5; add.s32 %r3, %r1, %r2; mul.lo.s32 %r4, %r3, %r1;\n\
                   st.shared.u32 [x], %r4; st.shared.u32 [x+4], %r3; bar.sync 0; ret;";

#[test]
fn edits_do_what_they_say() {
    let base = base(SUM);
    let whole = code(&base, "");
    assert_eq!(code(&base, "delete b4"), [&whole[..4], &whole[5..]].concat());
    assert_eq!(
        code(&base, "move b4 before b6")[4..6],
        ["st.shared.u32 [x+4], %r3;", "st.shared.u32 [x], %r4;"]
    );
    assert_eq!(code(&base, "replace b3 by b2")[3], "add.s32 %r4, %r1, %r2;");
    assert_eq!(
        code(&base, "swap b4 with b5")[4..6],
        ["st.shared.u32 [x+4], %r3;", "st.shared.u32 [x], %r4;"]
    );
    assert_eq!(code(&base, "operand b3 slot 2 = %r2")[3], "mul.lo.s32 %r4, %r3, %r2;");
    assert_eq!(code(&base, "operand b3 slot 2 = -7")[3], "mul.lo.s32 %r4, %r3, -7;");
    assert_eq!(code(&base, "delete b3\n fix b4 slot 0 = %r3")[3], "st.shared.u32 [x], %r3;");
}

#[test]
fn a_copy_has_a_register_of_its_own_that_is_read_somewhere() {
    let base = base(SUM);
    let edit = "copy b2 before b3";
    let copy = edit_of(edit).operation.created();
    let code = code(&base, &format!("{edit}\nfix b5 slot 0 = %{copy}_0"));
    assert_eq!(code[3], format!("add.s32 %{copy}_0, %r1, %r2;"));
    assert_eq!(code[6], format!("st.shared.u32 [x+4], %{copy}_0;"));
    let also = format!("{edit}\noperand {copy} slot 2 = %r1\nmove {copy} before b5");
    assert_eq!(self::code(&base, &also)[5], format!("add.s32 %{copy}_0, %r1, %r1;"));
}

fn edit_of(text: &str) -> Edit {
    format!("patch of 0000000000000001\n{text}").parse::<Patch>().unwrap().edits.remove(0)
}

#[test]
fn what_cannot_be_is_refused_with_its_reason() {
    let base = base(&format!("ld.param.u64 %rd1, [kernel_param_0]; cvta.to.global.u64 %rd2, %rd1;\n{SUM}"));
    let cases = [
        ("delete b99", "`delete b99`: there is no b99, or another edit took it away"),
        ("delete b6\nmove b6 before b2", "`delete b6`: there is no b6, or another edit took it away"),
        ("delete b9", "`delete b9`: it may not be taken away"),
        ("delete b0", "`delete b0`: it may not be taken away"),
        ("move b1 before b3", "`move b1 before b3`: it may not be put elsewhere"),
        ("copy b8 before b3", "`copy b8 before b3`: it may not be put elsewhere"),
        ("replace b4 by b1", "`replace b4 by b1`: one may not stand for the other"),
        ("swap b4 with b6", "`swap b4 with b6`: they may not change places"),
        ("operand b4 slot 1 = %rd1", "`operand b4 slot 1 = %rd1`: what is to come there is of another class"),
        (
            "operand b4 slot 0 = %r1",
            "`operand b4 slot 0 = %r1`: there is nothing in that slot, or it is written",
        ),
        ("operand b4 slot 1 = %r77", "`operand b4 slot 1 = %r77`: there is no such register"),
        (
            "operand b4 slot guard = %r1",
            "`operand b4 slot guard = %r1`: it has no guard, or a guard is to be a number",
        ),
        ("cache b6 = cg", "`cache b6 = cg`: it cannot go that way"),
        ("delete b4", "%r3 may have no value where b5 reads it"),
        ("move b5 before b3", "%r3 may have no value where"),
        ("operand b5 slot 1 = %r4", "%r4 may have no value where b5 reads it"),
    ];
    for (edits, message) in cases {
        assert!(refusal(&base, edits).starts_with(message), "{edits}: {}", refusal(&base, edits));
    }
    let other = "patch of 00000000000000aa\ndelete b6\n".parse::<Patch>().unwrap();
    let refused = base.check(&other).unwrap_err().to_string();
    assert!(
        refused.starts_with("the patch is for the text with digest 00000000000000aa, and this one has "),
        "{refused}"
    );
}

#[test]
fn a_barrier_may_go_but_not_where_threads_diverge() {
    let base = base(
        "mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 9; mov.u32 %r2, %ctaid.x; setp.lt.u32 %p2, %r2, 9; bar.sync 0;\n\
         @%p1 bra $A; mov.u32 %r3, 1;\n$A: @%p2 bra $B; mov.u32 %r3, 2;\n$B: ret;",
    );
    assert!(patched(&base, "delete b4").is_ok());
    assert!(patched(&base, "move b4 before b8").is_ok(), "whole blocks go there");
    assert!(refusal(&base, "move b4 before b6").ends_with(", since they may diverge at b5"));
    let refused = refusal(&base, "move b4 before b8\noperand b7 slot guard = %p1");
    assert!(refused.contains("its operands may not be changed"), "{refused}");
    let refused = refusal(&base, "move b4 before b8\noperand b3 slot 1 = %r1");
    assert!(refused.ends_with(", since they may diverge at b7"), "{refused}");
}

#[test]
fn what_some_threads_come_to_is_not_moved_to_the_others() {
    let base = base(
        "mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 32; @%p1 bra $A; mov.u32 %r2, 1; bra $B;\n\
         $A: shfl.sync.idx.b32 %r3, %r1, 0, 31, -1; mov.u32 %r2, 2;\n$B: ret;",
    );
    assert!(patched(&base, "move b5 before b7").is_ok(), "all come there");
    assert!(patched(&base, "move b5 before b6").is_ok(), "the same threads");
    let refused = refusal(&base, "move b5 before b3");
    assert!(refused.ends_with(", since they may diverge at b2"), "{refused}");
}

#[test]
fn a_branch_that_says_it_is_uniform_is_not_believed_after_an_edit() {
    let base = base(
        "mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; setp.lt.u32 %p1, %r2, 9;\n\
         @%p1 bra.uni $A; bar.sync 0;\n$A: ret;",
    );
    let refused = refusal(&base, "operand b2 slot 1 = %r1");
    assert_eq!(refused, "not all threads may come to b4, where they meet, since they may diverge at b3");
}

#[test]
fn caches_are_named_as_the_assembler_takes_them() {
    let base = base(
        "ld.global.nc.v2.f32 {%f1,%f2}, [x]; ld.volatile.global.f32 %f3, [x]; st.global.f32 [x], %f3; ret;",
    );
    assert_eq!(code(&base, "cache b0 = cs")[0], "ld.global.cs.v2.f32 {%f1,%f2}, [x];");
    assert_eq!(code(&base, "cache b0 = default")[0], "ld.global.v2.f32 {%f1,%f2}, [x];");
    assert_eq!(code(&base, "cache b2 = wt")[2], "st.global.wt.f32 [x], %f3;");
    for edit in ["cache b1 = cg", "cache b2 = nc", "cache b0 = wt", "cache b2 = ca"] {
        assert!(refusal(&base, edit).ends_with("it cannot go that way"), "{edit}");
    }
}

#[test]
fn what_is_wrong_in_a_patch_is_said_with_its_line() {
    let cases = [
        ("", "line 1: a patch begins with `patch of` and the digest of its base"),
        ("patch of 12", "line 1: an artifact is written as its digest"),
        ("patch of 00000000000000aa\nremove b1", "line 2: this is no edit; there are `delete ID`"),
        ("patch of 00000000000000aa\n\n# x\n fix b1 slot 2 = 1", "line 4: a fix comes after its edit"),
        ("patch of 00000000000000aa\ndelete 17", "line 2: `17` names no instruction; `b` and its number"),
        ("patch of 00000000000000aa\ndelete b99999999999", "line 2: `b99999999999` names no instruction"),
        ("patch of 00000000000000aa\noperand b1 slot 255 = 1", "line 2: `255` is no slot"),
        (
            "patch of 00000000000000aa\noperand b1 slot 2 = 1;",
            "line 2: `1;` is neither a register nor a number",
        ),
        ("patch of 00000000000000aa\ncache b1 = fast", "line 2: `fast` is no cache mode"),
        (
            "patch of 00000000000000aa\nraise",
            "line 2: this edit needs one `ID` or up to 1000 of them, or `all",
        ),
        (
            &format!("patch of 00000000000000aa\nraise {}", "b1 ".repeat(1001)),
            "line 2: this edit needs one `ID` or up to 1000 of them, or `all of FUNCTION`",
        ),
        ("patch of 00000000000000aa\nraise b1 all", "line 2: `all` names no instruction"),
        ("patch of 00000000000000aa\nraise all of f;", "line 2: `f;` is no name"),
        ("patch of 00000000000000aa\nread-only -p", "line 2: `-p` is no name"),
    ];
    for (text, message) in cases {
        let error = text.parse::<Patch>().unwrap_err().to_string();
        assert!(error.starts_with(message), "{text}: {error}");
    }
}

#[test]
fn a_patch_is_read_whole_or_not_at_all() {
    let patch = |edits: usize| format!("patch of 00000000000000aa\n{}", "delete b1\n".repeat(edits));
    assert_eq!(patch(99_999).parse::<Patch>().unwrap().edits.len(), 99_999);
    let refused = patch(100_000).parse::<Patch>().unwrap_err().to_string();
    assert_eq!(refused, "line 100001: a patch has at most 100000 lines, and this one has more");
}

#[test]
fn copies_are_drawn_also_when_another_function_was_edited() {
    let function = |name| format!(".visible .entry {name}() {{ {DECLARED} {SUM} }}\n");
    let text = format!(".version 9.0\n{}{}", function("one"), function("other"));
    let base = Base::new(Module::parse(&text).unwrap());
    let first = edit_of("delete b4");
    let copies = (0..200)
        .filter_map(|seed| base.mutate(std::slice::from_ref(&first), seed))
        .filter(|edit| matches!(edit.operation, Operation::Copy { source: InstructionId::Base(8..), .. }));
    assert!(copies.count() > 5);
}

#[test]
fn the_same_edit_found_twice_is_one() {
    let base = base(SUM);
    let edits: Vec<Edit> = (0..200).filter_map(|seed| base.mutate(&[], seed)).collect();
    assert!(edits.len() > 190, "{}", edits.len());
    let mut distinct = edits.clone();
    distinct.sort();
    distinct.dedup();
    assert!(distinct.len() < edits.len() && distinct.len() > 50, "{} of {}", distinct.len(), edits.len());
    let kinds: std::collections::HashSet<_> =
        edits.iter().map(|edit| std::mem::discriminant(&edit.operation)).collect();
    assert!(kinds.len() >= 6, "all kinds but that of caches are drawn");
    assert!(
        edits.iter().any(|edit| matches!(edit.operation, Operation::Delete(_)) && !edit.fixes.is_empty())
    );
}

#[test]
fn a_roundabout_way_is_made_straight() {
    let base = base(SUM);
    let swapped = edit_of("swap b4 with b6").operation;
    let (first, second) = (swapped.created(), swapped.second());
    let roundabouts = [
        (format!("swap b4 with b6\ndelete {first}\ndelete {second}"), "delete b4\ndelete b6\n"),
        // A repair is no edit: two edits instead of one would be no simpler.
        ("delete b3\n fix b4 slot 0 = %r3".to_owned(), "delete b3\n  fix b4 slot 0 = %r3\n"),
        (
            "operand b3 slot 2 = %r2\nmove b4 before b6".to_owned(),
            "operand b3 slot 2 = %r2\nmove b4 before b6\n",
        ),
    ];
    for (found, straight) in roundabouts {
        let edits = format!("patch of {}\n{found}", base.module().digest()).parse::<Patch>().unwrap().edits;
        let simplified = base.patch(&base.simplified(&edits)).to_string();
        assert_eq!(simplified, format!("patch of {}\n{straight}", base.module().digest()));
    }
}

#[test]
fn so_it_is_beside_what_reaches_all_over_a_function() {
    let base = base(WIDE);
    let created = edit_of("swap b12 with b13").operation.created();
    let roundabout = format!("swap b12 with b13\ndelete {created}\npredicate b9\nraise all of kernel\n");
    let edits = format!("patch of {}\n{roundabout}", base.module().digest()).parse::<Patch>().unwrap().edits;
    let straight = ["delete b13", "predicate b9", "raise all of kernel"].map(edit_of);
    assert_eq!(base.patch(&base.simplified(&edits)).edits, straight);
}

#[test]
fn what_is_too_large_is_read_and_not_edited() {
    let mut text = SUM.to_owned();
    (0..5000).for_each(|label| text.push_str(&format!("$L{label}: bra $L{label};\n")));
    let base = base(&text);
    assert!(base.mutate(&[], 1).is_none());
    assert!(
        refusal(&base, "delete b4")
            .ends_with("kernel is too large to be analysed, or has registers as parameters")
    );
    let mut text = SUM.to_owned();
    (8..100_000).for_each(|_| text.push_str("ret;"));
    let base = self::base(&text.replace("ret;", "mov.u32 %r1, 1;"));
    assert!(patched(&base, "delete b4").is_ok(), "what is just small enough is edited");
    assert!(refusal(&base, "copy b2 before b3").contains("kernel is too large to be analysed"));
    let function =
        Module::parse(".func (.reg .b32 out) f(.reg .b32 in) { add.u32 out, in, 1; ret; }").unwrap();
    assert!(
        refusal(&Base::new(function), "delete b0")
            .contains("f is too large to be analysed, or has registers")
    );
}

#[test]
fn a_jump_that_only_some_take_may_be_left_out_or_be_taken_by_all() {
    let text = "mov.u32 %r1, %tid.x; setp.eq.u32 %p1, %r1, 0; @%p1 bra $A; add.s32 %r2, %r1, 1; bra $B;\n\
        $A: mov.u32 %r2, 3;\n$B: @!%p1 st.global.u32 [%rd1], %r2;";
    let base = base(&format!("mov.u64 %rd1, 0; {text}"));
    assert!(!code(&base, "delete b3\n").contains(&"@%p1 bra $A;".to_owned()));
    assert!(code(&base, "operand b3 slot guard = 1\n").contains(&"bra $A;".to_owned()));
    assert!(code(&base, "operand b7 slot guard = 1\n").contains(&"st.global.u32 [%rd1], %r2;".to_owned()));
    assert_eq!(refusal(&base, "delete b5\n"), "`delete b5`: it may not be taken away");
    let refused = refusal(&base, "operand b5 slot guard = 1\n");
    assert_eq!(refused, "`operand b5 slot guard = 1`: it has no guard that may be taken away");
    let refused = refusal(&base, "operand b3 slot guard = 0\n");
    assert_eq!(refused, "`operand b3 slot guard = 0`: a guard is a predicate, or 1 where it is taken away");
    let one_side = self::base(
        "mov.u64 %rd1, 0; setp.eq.u64 %p1, %rd1, 0; @%p1 bra $A; ret;\n$A: mov.u32 %r2, 3; bra $B;\n\
        $B: st.global.u32 [%rd1], %r2;",
    );
    assert!(patched(&one_side, "delete b2\n").is_ok(), "all end, and what comes after is never come to");
    // Then all come to the barrier.
    let with_barrier = self::base("mov.u32 %r1, %tid.x; setp.eq.u32 %p1, %r1, 0; @%p1 ret; bar.sync 0; ret;");
    assert!(patched(&with_barrier, "delete b2\n").is_ok());
}

/// Two branches over what may be guarded, stores that loads come after, and a quotient.
const WIDE: &str = "ld.param.u64 %rd1, [kernel_param_0]; mov.u32 %r1, %tid.x; mov.u32 %r2, 0; \
    setp.eq.u32 %p1, %r1, 0;\n\
    mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2; @%p1 bra $A; ld.global.u32 %r2, [%rd3+8];\n\
    $A: st.shared.u32 [%r1], %r2; @!%p1 bra $B; ld.global.u32 %r2, [%rd1];\n\
    $B: st.global.u32 [%rd3], %r2; ld.shared.u32 %r3, [%r1+4]; ld.shared.u32 %r4, [%r1]; ld.global.f32 %f1, [%rd1+4];\n\
    div.rn.f32 %f2, %f1, %f1; sqrt.rn.ftz.f32 %f3, %f2; bar.sync 0; ld.shared.u32 %r5, [%r1+8]; ret;";

#[test]
fn what_a_branch_jumps_over_is_guarded_instead() {
    let base = base(WIDE);
    let one = code(&base, "predicate b6\n");
    assert!(one.contains(&"@!%p1 ld.global.u32 %r2, [%rd3+8];".to_owned()), "{one:?}");
    assert!(!one.iter().any(|line| line.ends_with("bra $A;")) && one.contains(&"@!%p1 bra $B;".to_owned()));
    let both = code(&base, "predicate all of kernel\n");
    assert!(both.contains(&"@%p1 ld.global.u32 %r2, [%rd1];".to_owned()), "{both:?}");
    assert!(!both.iter().any(|line| line.contains("bra ")));
    assert_eq!(code(&base, "predicate b6\npredicate b9\n"), both);
    // What others have left of a branch is converted.
    let mixed = code(&base, "predicate all of kernel\ndelete b7\n");
    assert!(mixed.contains(&"@%p1 bra $A;".to_owned()), "it jumps over nothing: {mixed:?}");
    for (inside, why) in [
        ("bar.sync 0;", "threads would wait for each other"),
        ("setp.eq.u32 %p1, %r1, 1;", "the guard changes"),
        ("@%p2 mov.u32 %r3, 1;", "it is guarded already"),
        ("$C: mov.u32 %r3, 1;", "others come there"),
        ("ret;", "it ends"),
        ("{ mov.u32 %r3, 1; }", "another scope"),
    ] {
        let text = format!(
            "mov.u32 %r1, %tid.x; setp.eq.u32 %p1, %r1, 0; setp.eq.u32 %p2, %r1, 1; @%p1 bra $A; {inside}\n$A: ret;"
        );
        let refused = refusal(&self::base(&text), "predicate b3\n");
        assert_eq!(refused, "`predicate b3`: there is nothing that it could change", "{why}");
    }
    assert_eq!(
        refusal(&base, "predicate all of others\n"),
        "`predicate all of others`: there is nothing that it could change"
    );
    assert!(refusal(&base, "delete b6\npredicate b6\n").contains("there is no b6"));
}

#[test]
fn both_sides_of_a_branch_are_guarded_instead() {
    let sides = |inside: &str| {
        base(&format!(
            "mov.u32 %r1, %tid.x; setp.eq.u32 %p1, %r1, 0; @%p1 bra $A; mov.u32 %r2, 1; bra.uni $B;\n\
             $A: {inside} mov.u32 %r2, 2;\n$B: mov.u32 %r3, %r2; ret;"
        ))
    };
    let both = code(&sides(""), "predicate b2\n");
    assert!(both.contains(&"@!%p1 mov.u32 %r2, 1;".to_owned()), "{both:?}");
    assert!(
        both.contains(&"@%p1 mov.u32 %r2, 2;".to_owned()) && !both.iter().any(|line| line.contains("bra"))
    );
    for (inside, why) in [
        ("bar.sync 0;", "threads would wait for each other"),
        ("setp.eq.u32 %p1, %r1, 1;", "the guard changes"),
        ("@%p2 bra $A;", "others come there"),
    ] {
        let refused = refusal(&sides(inside), "predicate b2\n");
        assert_eq!(refused, "`predicate b2`: there is nothing that it could change", "{why}");
    }
}

#[test]
fn a_load_comes_before_branches_and_barriers_with_what_it_needs() {
    let base = base(
        "ld.param.u64 %rd1, [kernel_param_0]; mov.u32 %r1, %tid.x; setp.gt.u32 %p1, %r1, 40; @%p1 bra $A;\n\
         bar.sync 0; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2; ld.global.u32 %r2, [%rd3];\n\
         st.global.u32 [%rd3], %r1; ld.global.u32 %r3, [%rd3]; @%p1 ld.global.u32 %r4, [%rd1+8];\n\
         mov.u32 %r5, 1; mov.u32 %r5, %r2; cvt.u64.u32 %rd4, %r5; ld.global.u32 %r6, [%rd4];\n$A: ret;",
    );
    let lifted = code(&base, "lift all of kernel before b4\n");
    let loads = [
        "mul.wide.u32 %rd2, %r1, 4;",
        "add.s64 %rd3, %rd1, %rd2;",
        "ld.global.u32 %r2, [%rd3];",
        "ld.global.u32 %r4, [%rd1+8];",
        "bar.sync 0;",
    ];
    let first = lifted.iter().position(|line| line == loads[0]).unwrap();
    assert_eq!(lifted[first..first + loads.len()], loads, "{lifted:?}");
    for (load, why) in [
        ("b9", "it loads what is stored there"),
        ("b14", "its address is in a register that others write"),
        ("b5", "it is no load"),
        ("b3", "it stands above"),
    ] {
        let refused = refusal(&base, &format!("lift {load} before b4\n"));
        assert!(refused.ends_with("there is nothing that it could change"), "{why}: {refused}");
    }
    let proposed: Vec<String> =
        base.rewrites().iter().map(|proposal| proposal.operation.to_string()).collect();
    for edit in ["lift all of kernel before b0", "lift all of kernel before b4", "lift b7 before b4"] {
        assert!(proposed.contains(&edit.to_owned()), "{edit}: {proposed:?}");
        let patch: Patch = format!("patch of {}\n{edit}\n", base.module().digest()).parse().unwrap();
        assert_eq!(patch.edits[0].operation.to_string(), edit);
    }
}

#[test]
fn a_load_in_a_loop_comes_before_branches_where_nothing_on_the_way_writes_its_address() {
    let base = base(
        "ld.param.u64 %rd1, [kernel_param_0]; mov.u32 %r1, 40; mov.u64 %rd2, %rd1;\n\
         $A: ld.global.u32 %r2, [%rd2]; setp.eq.u32 %p1, %r2, 0; @%p1 bra $B;\n\
         ld.global.u32 %r3, [%rd2+4]; st.global.u32 [%rd1], %r3;\n\
         $B: ld.global.u32 %r4, [%rd2+8]; add.s64 %rd2, %rd2, 16; ld.global.u32 %r5, [%rd2+12];\n\
         sub.u32 %r1, %r1, 1; setp.ne.u32 %p2, %r1, 0; @%p2 bra $A; ret;",
    );
    let lifted = code(&base, "lift all of kernel before b3\n");
    let first = lifted.iter().position(|line| line.contains("ld.global")).unwrap();
    let loads =
        ["%r3, [%rd2+4];", "%r4, [%rd2+8];", "%r2, [%rd2];"].map(|load| format!("ld.global.u32 {load}"));
    assert_eq!(lifted[first..first + 3], loads, "{lifted:?}");
    assert!(
        lifted[first + 3..].iter().any(|line| line.contains("%r5, [%rd2+12]")),
        "its address is written first"
    );
    let refused = refusal(&base, "lift b8 before b1\n");
    assert!(
        refused.ends_with("there is nothing that it could change"),
        "the loop comes in from below: {refused}"
    );
    let proposed: Vec<String> =
        base.rewrites().iter().map(|proposal| proposal.operation.to_string()).collect();
    assert!(proposed.contains(&"lift all of kernel before b3".to_owned()), "{proposed:?}");
}

/// Adds up in memory, twice in each round of a loop, with a way around something in each.
const ROUNDS: &str = "\
mov.u32 %r1, 9; ld.global.f32 %f1, [%rd1];
$L_next:
ld.global.f32 %f2, [%rd2]; add.f32 %f1, %f1, %f2; st.global.f32 [%rd1], %f1;
setp.lt.f32 %p1, %f2, %f1; @%p1 bra $L_over; neg.f32 %f2, %f2;
$L_over:
st.global.f32 [%rd3+4], %f2; add.f32 %f1, %f1, %f2; st.global.f32 [%rd1], %f1;
add.s64 %rd2, %rd2, 4; add.s32 %r1, %r1, -1; setp.ne.s32 %p2, %r1, 0; @%p2 bra $L_next;
ret;";

#[test]
fn what_each_round_of_a_loop_stores_in_the_same_place_is_stored_behind_it() {
    let base = base(ROUNDS);
    let sunk = code(&base, "sink all of kernel\n");
    let last = sunk.iter().position(|line| line.contains("bra $L_next")).unwrap();
    let stores: Vec<&str> = sunk[last + 1..last + 3].iter().map(|line| line.trim()).collect();
    assert_eq!(stores, ["st.global.f32 [%rd3+4], %f2;", "st.global.f32 [%rd1], %f1;"]);
    assert_eq!(sunk.iter().filter(|line| line.contains("st.global")).count(), 2, "{sunk:?}");
    let proposed: Vec<String> = base.rewrites().iter().map(|own| own.operation.to_string()).collect();
    let own: Vec<&str> = proposed.iter().filter(|own| own.starts_with("sink")).map(String::as_str).collect();
    assert_eq!(own, ["sink b10", "sink b8", "sink all of kernel"]);
    for (from, to) in [
        // It is not stored in each round, or by others in between, or at other places, or not as it is in the end.
        ("neg.f32 %f2, %f2;", "neg.f32 %f2, %f2; bra $L_skip;"),
        ("add.s64 %rd2", "bar.sync 0; add.s64 %rd2"),
        ("add.s64 %rd2, %rd2, 4;", "add.s64 %rd2, %rd2, 4; add.s64 %rd1, %rd1, 4;"),
        ("add.s64 %rd2, %rd2, 4;", "$L_skip: add.f32 %f1, %f1, %f1; add.s64 %rd2, %rd2, 4;"),
        ("add.s64 %rd2, %rd2, 4;", "ld.global.f32 %f3, [%rd1]; add.s64 %rd2, %rd2, 4;"),
        ("add.s64 %rd2, %rd2, 4;", "st.global.f32 [x], %f1; add.s64 %rd2, %rd2, 4;"),
        ("@%p2 bra $L_next;", "@%p2 bra $L_over;"),
        ("@%p2 bra $L_next;", "bra $L_next;"),
        ("mov.u32 %r1, 9;", "mov.u32 %r1, 9; bra $L_over;"),
        ("neg.f32 %f2, %f2;", "neg.f32 %f2, %f2; @%p1 bra $L_end;"),
    ] {
        let text = ROUNDS.replace(from, to).replace("ret;", "$L_end: ret;");
        let text = if text.contains("bra $L_skip") {
            text.replace("add.s64 %rd2", "$L_skip: add.s64 %rd2")
        } else {
            text
        };
        let sunk = patched(&self::base(&text), "sink all of kernel\n");
        let is_as_it_was = |sunk: Module| sunk.to_string().matches("[%rd1], %f1").count() == 2;
        assert!(
            sunk.map_or_else(|why| why.to_string().ends_with("nothing that it could change"), is_as_it_was),
            "{to}"
        );
    }
}

#[test]
fn a_load_comes_before_the_stores_that_it_does_not_need() {
    let base = base(WIDE);
    let at = |code: &[String], begin: &str| code.iter().position(|line| line.contains(begin)).unwrap();
    let raised = code(&base, "raise all of kernel\n");
    assert!(at(&raised, "[%r1+4]") < at(&raised, "[%rd3], %r2"), "{raised:?}");
    assert!(at(&raised, "[%r1];") < at(&raised, "[%rd3], %r2"), "one of shared memory, one of global");
    assert!(at(&raised, "%f1, [%rd1+4]") < at(&raised, "[%rd3], %r2"), "who knows whether that is the same");
    assert!(at(&raised, "[%r1+8]") > at(&raised, "bar.sync"), "others have written by then");
    // Once there is one block, loads come before what came before the branch; not what is stored there.
    let further = code(&base, "predicate all of kernel\nraise all of kernel\n");
    assert!(at(&further, "[%r1+4]") < at(&further, "st.shared"), "{further:?}");
    assert!(at(&further, "%r4, [%r1];") > at(&further, "st.shared"), "it loads what is stored there");
    let one = code(&base, "raise b13\n");
    assert!(at(&one, "[%r1];") < at(&one, "[%rd3], %r2") && at(&one, "[%r1+4]") > at(&one, "[%rd3], %r2"));
    for edit in ["raise b7\n", "raise b18\n", "raise b11\n", "raise all of others\n"] {
        assert!(refusal(&base, edit).ends_with("there is nothing that it could change"), "{edit}");
    }
    let ordered = |between: &str| {
        let text = format!(
            "mov.u32 %r1, %tid.x; st.shared.u32 [%r1], %r1; {between} ld.shared.u32 %r2, [%r1+4]; ret;"
        );
        patched(&self::base(&text), "raise all of kernel\n").is_ok()
    };
    assert!(ordered("mov.u32 %r3, 1;"));
    for between in [
        "membar.cta;",
        "atom.shared.add.u32 %r3, [x], 1;",
        "add.s32 %r1, %r1, 4;",
        "mov.u32 %r2, 3;",
        "st.volatile.shared.u32 [%r1+64], %r1;",
        "st.shared.u32 [x], %r1;",
        "st.shared.v2.u32 [%r1+-4], {%r1,%r1};\n bra $L; $L:",
    ] {
        assert!(!ordered(between), "{between}");
    }
}

#[test]
fn loads_of_neighbours_are_one_load_of_a_vector() {
    let row = ".shared .align 4 .b8 tile[64]; .shared .u32 other;\n\
               mov.u32 %r1, tile; ld.shared.f32 %f2, [%r1+4]; ld.shared.f32 %f1, [%r1]; mov.u32 %r2, 7;\n\
               st.global.u32 [%rd1], %r2; ld.shared.f32 %f4, [%r1+12]; ld.shared.f32 %f3, [%r1+8];\n\
               ld.shared.f32 %f5, [%r1+16]; st.shared.f32 [%r1], %f4; ld.shared.f32 %f6, [%r1+20]; ret;";
    let base = base(row);
    let all = code(&base, "widen all of kernel\n");
    assert_eq!(all[1], "ld.shared.v4.f32 {%f1,%f2,%f3,%f4}, [%r1];");
    assert_eq!(all.iter().filter(|line| line.contains("ld.")).count(), 3, "a store stands before the last");
    let text = patched(&base, "widen b1\n").unwrap().to_string();
    assert!(text.contains(".shared .align 16 .b8 tile[64];"), "{text}");
    assert!(text.contains(".shared .align 16 .u32 other;"), "{text}");
    let proposed = base.rewrites().into_iter().filter(|own| own.reason == Reason::Neighbours);
    assert_eq!(proposed.map(|own| own.operation.to_string()).collect::<Vec<_>>(), ["widen b1"]);
    assert_eq!(edit_of("widen b1").to_string(), "widen b1\n");
    let of_two = |loads: &str| {
        let found = code(&self::base(&format!("{loads} ret;")), "");
        let widened = patched(&self::base(&format!("{loads} ret;")), "widen all of kernel\n").is_ok();
        (found.len() - 1, widened)
    };
    assert_eq!(of_two("ld.global.nc.b64 %rd2, [%rd1+16]; ld.global.nc.b64 %rd3, [%rd1+24];"), (2, true));
    for apart in [
        "ld.shared.u32 %r2, [%r1+4]; ld.shared.u32 %r3, [%r1+8];",
        "ld.shared.u32 %r2, [%r1]; ld.shared.s32 %r3, [%r1+4];",
        "ld.shared.u32 %r2, [%r1]; bar.sync 0; ld.shared.u32 %r3, [%r1+4];",
        "ld.shared.u32 %r2, [%r1]; @%p1 ld.shared.u32 %r3, [%r1+4];",
        "ld.shared.u32 %r1, [%r1]; ld.shared.u32 %r3, [%r1+4];",
        "ld.shared.u32 %r2, [%r1]; add.u32 %r4, %r3, 1; ld.shared.u32 %r3, [%r1+4];",
        "ld.volatile.shared.u32 %r2, [%r1]; ld.volatile.shared.u32 %r3, [%r1+4];",
        "ld.global.u32 %r2, [%rd1]; st.global.u32 [%rd2], %r1; ld.global.u32 %r3, [%rd1+4];",
    ] {
        assert!(!of_two(apart).1, "{apart}");
    }
}

#[test]
fn stores_of_neighbours_are_one_store_of_a_vector() {
    let base = base(
        "mov.u32 %r1, tile; mov.f32 %f1, 0f00000000; mov.f32 %f2, %f1; st.shared.f32 [%r1+4], %f2; st.shared.f32 [%r1], %f1; ld.global.f32 %f4, [%rd1];\n\
         ld.shared.f32 %f5, [%r1+16]; st.shared.f32 [%r1+12], %f4; add.f32 %f3, %f4, %f5;\n\
         st.shared.f32 [%r1+8], %f3; st.global.u32 [%rd1+4], %r1; st.global.u32 [%rd1+8], %r1; ret;",
    );
    let all = code(&base, "widen all of kernel\n");
    assert_eq!(all[6], "st.shared.v4.f32 [%r1], {%f1,%f2,%f3,%f4};", "{all:?}");
    assert_eq!(all.iter().filter(|line| line.contains("st.")).count(), 3, "8 is no multiple of 8 after 4");
    assert_eq!(all, code(&base, "widen b9\n"));
    let of_two = |stores: &str| {
        let values = "mov.u32 %r1, tile; mov.u32 %r2, 1; mov.u32 %r3, 2; mov.u64 %rd2, 3; mov.u64 %rd3, 4;";
        patched(&self::base(&format!("{values} {stores} ret;")), "widen all of kernel\n").is_ok()
    };
    assert!(of_two("st.global.f64 [%rd1+16], %rd2; st.global.f64 [%rd1+24], %rd3;"));
    assert!(of_two("st.global.u32 [%rd1], %r2; st.shared.u32 [%r1], %r1; st.global.u32 [%rd1+4], %r3;"));
    for apart in [
        "st.global.u32 [%rd1+4], %r2; st.global.u32 [%rd1+8], %r3;",
        "st.global.u32 [%rd1], %r2; mov.u32 %r2, 7; st.global.u32 [%rd1+4], %r3;",
        "st.global.u32 [%rd1], %r2; ld.global.u32 %r3, [%rd2]; st.global.u32 [%rd1+4], %r3;",
        "st.global.u32 [%rd1], %r2; st.global.u32 [%rd2], %r3; st.global.u32 [%rd1+4], %r3;",
        "st.global.u32 [%rd1], %r2; bar.sync 0; st.global.u32 [%rd1+4], %r3;",
        "st.global.u32 [%rd1], %r2; @%p1 st.global.u32 [%rd1+4], %r3;",
        "st.global.u32 [%rd1], 7; st.global.u32 [%rd1+4], 8;",
        "st.volatile.global.u32 [%rd1], %r2; st.volatile.global.u32 [%rd1+4], %r3;",
        "st.global.u32 [%rd1], %r2; bra $L; $L: st.global.u32 [%rd1+4], %r3;",
    ] {
        assert!(!of_two(apart), "{apart}");
    }
}

#[test]
fn a_load_that_is_the_same_in_each_round_comes_before_the_loop() {
    let base = base(
        "ld.param.u64 %rd1, [kernel_param_0]; mov.u32 %r1, 9; mov.u64 %rd2, %rd1; mov.u32 %r5, 0;\n\
         $A: add.s64 %rd3, %rd1, 8; ld.global.u32 %r2, [%rd3]; ld.global.u32 %r3, [%rd2];\n\
         ld.shared.u32 %r4, [x]; st.global.u32 [%rd2], %r2; add.s64 %rd2, %rd2, 4; sub.u32 %r1, %r1, 1;\n\
         setp.ne.u32 %p1, %r1, 0; @%p1 bra $A; bar.sync 0; ld.shared.u32 %r6, [x]; ret;",
    );
    let proposed = base.rewrites().into_iter().filter(|own| own.reason == Reason::Invariant);
    let proposed: Vec<String> = proposed.map(|own| own.operation.to_string()).collect();
    assert_eq!(proposed, ["lift b5 b7 before b3", "lift b5 before b3", "lift b7 before b3"]);
    let lifted = code(&base, "lift b5 b7 before b3\n");
    let first = ["add.s64 %rd3, %rd1, 8;", "ld.global.u32 %r2, [%rd3];", "ld.shared.u32 %r4, [x];"];
    assert_eq!(lifted[2..5], first, "{lifted:?}");
    assert!(lifted[6].contains("%r3, [%rd2]"), "its address is another one in each round: {lifted:?}");
    assert!(
        refusal(&base, "lift b14 before b3\n").ends_with("nothing that it could change"),
        "others write it"
    );
}

#[test]
fn integers_may_be_divided_as_if_they_had_no_sign() {
    let base =
        base("div.s32 %r1, %r2, %r3; rem.s32 %r4, %r2, 7; div.u32 %r5, %r1, %r2; shr.s32 %r6, %r5, 1; ret;");
    let all = code(&base, "unsigned all of kernel\n");
    assert_eq!(all[..2], ["div.u32 %r1, %r2, %r3;", "rem.u32 %r4, %r2, 7;"]);
    assert!(all[3].starts_with("shr.s32"));
    let proposed: Vec<String> = base.rewrites().into_iter().map(|own| own.operation.to_string()).collect();
    assert_eq!(proposed[..3], ["unsigned b0", "unsigned b1", "unsigned all of kernel"]);
    assert_eq!(edit_of("unsigned b0").to_string(), "unsigned b0\n");
    assert!(refusal(&base, "unsigned b2\n").ends_with("there is nothing that it could change"));
}

#[test]
fn a_pointer_is_read_only_for_what_comes_of_it() {
    let base = base(WIDE);
    let changed = code(&base, "read-only kernel_param_0\n");
    assert_eq!(changed.iter().filter(|line| line.contains("ld.global.nc")).count(), 3, "{changed:?}");
    assert!(refusal(&base, "read-only kernel_param_1\n").ends_with("nothing that it could change"));
    let other =
        "ld.param.u64 %rd1, [kernel_param_0]; ld.global.u64 %rd2, [%rd1]; ld.global.u32 %r1, [%rd2]; ret;";
    let changed = code(&self::base(other), "read-only kernel_param_0\n");
    assert_eq!(
        changed[..2],
        ["ld.global.nc.u64 %rd2, [%rd1];", "ld.global.u32 %r1, [%rd2];"],
        "a pointer in memory is another"
    );
}

#[test]
fn quotients_and_roots_may_be_approximate() {
    let base = base(WIDE);
    let all = code(&base, "approximate all of kernel\n");
    assert!(all.contains(&"div.approx.f32 %f2, %f1, %f1;".to_owned()), "{all:?}");
    assert!(all.contains(&"sqrt.approx.ftz.f32 %f3, %f2;".to_owned()), "{all:?}");
    let one = code(&base, "approximate b15\n");
    assert!(one.contains(&"sqrt.rn.ftz.f32 %f3, %f2;".to_owned()), "{one:?}");
    assert!(refusal(&base, "approximate b14\n").ends_with("nothing that it could change"));
}

#[test]
fn one_step_of_64_bits_between_floats_of_32_is_the_same_of_32() {
    let base = base(
        ".reg .f64 %fd<9>; ld.param.u64 %rd1, [kernel_param_0]; ld.global.f32 %f1, [%rd1];\n\
         ld.global.f32 %f2, [%rd1+4]; cvt.f64.f32 %fd1, %f1; cvt.f64.f32 %fd2, %f2;\n\
         fma.rn.f64 %fd3, %fd1, 0d3FE0000000000000, %fd2; cvt.rn.f32.f64 %f3, %fd3; cvt.f64.f32 %fd4, %f3;\n\
         mul.f64 %fd5, %fd4, 0d4008000000000000; cvt.rn.f32.f64 %f4, %fd5; cvt.f64.f32 %fd6, %f4;\n\
         add.f64 %fd7, %fd6, 0d3FB999999999999A; cvt.rn.f32.f64 %f5, %fd7; st.global.f32 [%rd1], %f5; ret;",
    );
    let narrow = |edits: &str| patched(&base, edits).unwrap();
    let (sum, product, tenth) = (narrow("narrow b6\n"), narrow("narrow b9\n"), narrow("narrow b12\n"));
    let lines = code(&base, "narrow b6 b9\n");
    assert_eq!(lines[4], "fma.rn.f32 %fd3_narrow, %fd1_narrow, 0f3F000000, %fd2_narrow;");
    assert_eq!(lines[7], "mul.rn.f32 %fd5_narrow, %fd4_narrow, 0f40400000;", "no sum is fused with it");
    let same = |own: &Module| base.module().does_the_same(own).is_some();
    assert!(same(&sum) && same(&product) && !same(&tenth), "a tenth has more digits than 32 bits hold");
}

#[test]
fn floats_of_64_bits_between_floats_of_32_may_be_of_32() {
    let base = base(
        ".reg .f64 %fd<9>; ld.param.u64 %rd1, [kernel_param_0]; ld.global.f32 %f1, [%rd1];\n\
         cvt.f64.f32 %fd1, %f1; fma.rn.f64 %fd2, %fd1, 0d4000000000000000, 0dBFB999999999999A;\n\
         setp.lt.f64 %p1, %fd2, %fd1; cvt.rn.f32.f64 %f2, %fd2; st.global.f32 [%rd1], %f2;\n\
         cvt.f64.f32 %fd3, %f2; cvt.rn.f32.f64 %f3, %fd3; st.global.f32 [%rd1+4], %f3;\n\
         cvt.f64.f32 %fd4, %f3; ld.global.f64 %fd5, [%rd1+8]; add.f64 %fd6, %fd4, %fd5; cvt.rn.f32.f64 %f4, %fd6;\n\
         @%p1 st.global.f32 [%rd1+4], %f4; ret;",
    );
    let narrow = |edits: &str| code(&base, edits)[1..9].to_vec();
    let first = [
        "mov.f32 %fd1_narrow, %f1;",
        "fma.rn.f32 %fd2_narrow, %fd1_narrow, 0f40000000, 0fBDCCCCCD;",
        "setp.lt.f32 %p1, %fd2_narrow, %fd1_narrow;",
        "mov.f32 %f2, %fd2_narrow;",
    ];
    let original = code(&base, "");
    assert_eq!(narrow("narrow b5\n"), [&first.map(str::to_owned)[..], &original[5..9]].concat());
    let second = ["mov.f32 %fd3_narrow, %f2;", "mov.f32 %f3, %fd3_narrow;"];
    assert_eq!(narrow("narrow all of kernel\n")[5..7], second);
    assert_eq!(code(&base, "narrow all of kernel\n")[9..], original[9..], "%fd5 comes from memory");
    let proposed = base.rewrites().into_iter().map(|own| own.operation.to_string());
    let narrowing: Vec<String> = proposed.filter(|own| own.starts_with("narrow")).collect();
    assert_eq!(narrowing, ["narrow b5", "narrow b8", "narrow all of kernel"]);
    assert!(Module::parse(&patched(&base, "narrow all of kernel\n").unwrap().to_string()).is_ok());
    assert!(refusal(&base, "narrow b13\n").ends_with("there is nothing that it could change"));
}

#[test]
fn a_barrier_may_be_one_of_each_warp() {
    let base = base(
        "mov.u32 %r1, %tid.x; bar.sync 0; barrier.sync.aligned 1; bar.sync 2, 64; bar.arrive 3, 64; \
        bar.red.popc.u32 %r2, 0, %p1; ret;",
    );
    let waits =
        |edits: &str| code(&base, edits).into_iter().filter(|line| line.contains("bar")).collect::<Vec<_>>();
    let (of_warp, others) = ("bar.warp.sync 0xffffffff;", &waits("warp-barrier b1\n")[2..]);
    assert_eq!(waits("warp-barrier b1\n")[..2], [of_warp, "barrier.sync.aligned 1;"]);
    assert_eq!(waits("warp-barrier all of kernel\n")[..2], [of_warp; 2]);
    assert_eq!(
        waits("warp-barrier all of kernel\n")[2..],
        *others,
        "some threads come there, and not to all of these"
    );
    assert_eq!(waits("delete b1\nwarp-barrier all of kernel\n")[0], of_warp);
    assert_eq!(waits("warp-barrier b2 b1\n"), waits("warp-barrier all of kernel\n"));
    assert_eq!(edit_of("warp-barrier b2 b1").to_string(), "warp-barrier b1 b2\n");
    assert_eq!(
        refusal(&base, "warp-barrier b1 b3\n"),
        "`warp-barrier b1 b3`: not all of them can be changed, in one function"
    );
    assert!(refusal(&base, "delete b1\nwarp-barrier b1 b2\n").contains("there is no b1"));
    for edit in ["warp-barrier b0\n", "warp-barrier b3\n", "warp-barrier all of others\n"] {
        assert!(refusal(&base, edit).ends_with("there is nothing that it could change"), "{edit}");
    }
    assert!(base.touches_barrier(&edit_of("warp-barrier all of kernel")));
}

#[test]
fn the_assembler_is_told_how_many_registers_and_which_block_a_kernel_has() {
    let text = ".func f() { ret; }\n.visible .entry k() // of 64\n.maxntid 64, 1, 1 .minnctapersm 2 { ret; }\n\
                .entry l() { ret; }\n";
    let base = Base::new(Module::parse(text).unwrap());
    let head = |edits: &str| {
        let words = patched(&base, edits).unwrap().to_string();
        words.split_whitespace().skip(5).take_while(|word| *word != "{").collect::<Vec<_>>().join(" ")
    };
    let own = ".visible .entry k() // of 64 ";
    assert_eq!(head("registers k = 64\n"), format!("{own}.maxntid 64, 1, 1 .minnctapersm 2 .maxnreg 64"));
    assert_eq!(head("block k = 32 2 1\n"), format!("{own}.minnctapersm 2 .reqntid 32, 2, 1"));
    let both = "registers k = 96\nblock k = 32 2 1\n";
    assert_eq!(head(both), format!("{own}.minnctapersm 2 .maxnreg 96 .reqntid 32, 2, 1"));
    let two = refusal(&base, "registers k = 64\nregisters k = 96\n");
    assert!(two.ends_with("another edit says something else of the kernel"), "{two}");
    assert!(Module::parse(&patched(&base, both).unwrap().to_string()).is_ok());
    assert_eq!(edit_of("block k = 32 2 1").to_string(), "block k = 32 2 1\n");
    for edit in ["registers f = 64\n", "block none = 1 1 1\n"] {
        assert!(refusal(&base, edit).ends_with("there is no such kernel"), "{edit}");
    }
    for edit in ["registers k = 0\n", "block k = 32 x 1\n"] {
        assert!(refusal(&base, edit).ends_with("is no number from 1 on"), "{edit}");
    }
}

#[test]
fn the_text_suggests_what_can_be_made_in_it() {
    let found: Vec<String> =
        base(WIDE).rewrites().iter().map(|proposal| proposal.operation.to_string()).collect();
    let expected = [
        "predicate b6",
        "predicate b9",
        "predicate all of kernel",
        "raise b12",
        "raise b13",
        "raise b14",
        "raise all of kernel",
        "widen b12",
        "approximate b15",
        "approximate b16",
        "approximate all of kernel",
        "quick b15",
        "lift all of kernel before b0",
        "lift b12 before b7",
        "lift b12 before b0",
        "lift b14 before b0",
        "registers kernel = 32",
        "registers kernel = 48",
        "registers kernel = 64",
        "registers kernel = 96",
        "registers kernel = 128",
    ];
    assert_eq!(found, expected);
    for operation in found {
        let edit = edit_of(&operation);
        assert!(base(WIDE).apply(std::slice::from_ref(&edit)).is_ok(), "{operation}");
        assert_eq!(edit_of(&edit.to_string()), edit);
        assert!(base(WIDE).instructions_of(&edit).is_empty() == operation.starts_with("registers"));
    }
    let of_sum = Base::new(kernel(&format!("{DECLARED}{SUM}"))).rewrites();
    assert!(of_sum.iter().all(|own| own.reason == Reason::Registers));
}
