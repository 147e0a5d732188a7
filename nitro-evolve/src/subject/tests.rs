use std::path::Path;
use std::sync::Mutex;

use nitro_ptx::Patch;

use super::*;

const PTX: &str = "\
.version 9.0
.target sm_90
.address_size 64
.const .u32 m = 7;
.visible .entry one() { .reg .b32 %r<3>; ld.const.u32 %r1, [m]; add.s32 %r2, %r1, 1; ret; }
.visible .entry other() { .reg .b32 %r<3>; ld.const.u32 %r1, [m]; ret; }
";
const RUN: &str = "\
[[buffer]]
name = \"y\"
type = \"u32\"
length = \"1\"
role = \"out\"
[[step]]
kernel = \"one\"
grid = [1]
block = [1]
arguments = []
[[step]]
kernel = \"other\"
grid = [1]
block = [1]
arguments = []
[[search]]
[[validation]]
seed = 1
[[test]]
seed = 2
";

/// Returns the texts that are assembled of a candidate, and the number of its images.
fn texts(subject: &Subject, edits: &str, images: usize) -> (Vec<String>, usize) {
    let seen = Mutex::new(Vec::new());
    let patch = format!("patch of {}\n{edits}", subject.base().module().digest());
    let candidate = subject.kernels(&patch.parse::<Patch>().unwrap().edits).unwrap();
    let code = subject.assembled(&candidate, &|text| {
        seen.lock().unwrap().push(text.clone());
        Ok(Code { ptx: text.into(), images: vec![Arc::from(&b"code"[..]); images] })
    });
    let code = code.unwrap();
    assert_eq!(*code.ptx, candidate.to_string());
    (seen.into_inner().unwrap(), code.images.len())
}

#[test]
fn arithmetic_is_approximate_only_where_an_error_is_permitted() {
    let ptx = PTX.replace("add.s32 %r2, %r1, 1;", "sqrt.rn.f32 %r2, %r1;");
    let subject = Subject::new(&ptx, Workload::parse(Path::new("k.toml"), RUN).unwrap()).unwrap();
    let proposed = |subject: &Subject| -> Vec<String> {
        let all = subject.base().proposed().filter(|own| own.reason == Reason::Precision);
        all.map(|proposal| proposal.operation.to_string()).collect()
    };
    assert!(proposed(&subject).is_empty());
    assert_eq!(proposed(&subject.clone().within(0.01)), ["approximate b1"]);
    assert!(proposed(&subject.within(0.01).within(0.0)).is_empty());
}

#[test]
fn kernels_that_have_nothing_to_do_with_each_other_are_assembled_one_by_one() {
    let of = |ptx: &str| Subject::new(ptx, Workload::parse(Path::new("k.toml"), RUN).unwrap()).unwrap();
    let subject = of(PTX);
    let (before, images) = texts(&subject, "", 1);
    assert_eq!((before.len(), images), (2, 2));
    assert!(before[0].contains(".entry one") && !before[0].contains(".entry other"));
    let (after, _) = texts(&subject, "delete b1\n", 1);
    assert!(after[0] != before[0] && after[1] == before[1], "one of two is as it was");
    let (all, images) = texts(&subject, "", 0);
    let last = all.last().unwrap();
    assert!(
        images == 0 && last.contains(".entry one") && last.contains(".entry other"),
        "the driver takes it as a whole"
    );
    let sharing =
        of(&PTX.replace(".const .u32 m = 7;", ".global .u32 m = 7;").replace("ld.const", "ld.global"));
    assert_eq!(texts(&sharing, "", 1).0.len(), 1, "one could write what the other reads");
}

/// The workload with a buffer that is a variable.
fn with_variable(lines: &str) -> String {
    format!("[[buffer]]\nname = \"m\"\ntype = \"u32\"\n{lines}\n{RUN}")
}

#[test]
fn a_variable_has_to_be_there_as_large_as_its_buffer_and_no_result_where_it_is_a_constant() {
    let said = |ptx: &str, lines: &str| {
        let workload = Workload::parse(Path::new("k.toml"), &with_variable(lines)).unwrap();
        Subject::new(ptx, workload).map(|_| ()).map_err(|error| error.to_string())
    };
    assert_eq!(said(PTX, "length = 1\nrole = \"in\"\nvariable = \"m\""), Ok(()));
    let known = [
        (
            "length = 1\nrole = \"in\"\nvariable = \"mm\"",
            "k.toml:6: there is no variable `mm` in the PTX, only m",
        ),
        (
            "length = 2\nrole = \"in\"\nvariable = \"m\"",
            "k.toml:6: the variable `m` has 4 bytes, and this buffer 8",
        ),
        (
            "length = 1\nrole = \"inout\"\nvariable = \"m\"",
            "k.toml:6: no kernel writes `m`, which is a constant; its role is \"in\", or \"scratch\" for a copy",
        ),
    ];
    for (lines, expected) in known {
        assert_eq!(said(PTX, lines), Err(expected.to_owned()));
    }
    let without = PTX.replace(".const .u32 m = 7;", "").replace("ld.const.u32 %r1, [m]", "mov.u32 %r1, 7");
    assert_eq!(
        said(&without, "length = 1\nrole = \"in\"\nvariable = \"m\""),
        Err("k.toml:6: there is no variable `m` in the PTX, which has none".to_owned())
    );
}

#[test]
fn textures_are_refused_in_kernels_that_are_launched_alone() {
    let texture = ".visible .entry textured() { .reg .f32 %f<5>; .reg .b32 %r<2>; .reg .b64 %rd<2>;\n\
                   tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd1, {%r1}]; ret; }\n";
    let ptx = format!("{PTX}{texture}");
    let said = |run: &str| {
        let workload = Workload::parse(Path::new("k.toml"), run).unwrap();
        Subject::new(&ptx, workload).map(|_| ()).map_err(|error| error.to_string())
    };
    assert_eq!(said(RUN), Ok(()));
    let refused = "line 8: `tex.1d.v4.f32.s32` in `textured` takes a texture or a surface, which a workload cannot \
                   bind; a kernel that loads from a buffer instead, as by `__ldg`, can be evolved, and so can the \
                   PTX's other kernels";
    assert_eq!(said(&RUN.replace("\"other\"", "\"textured\"")), Err(refused.to_owned()));
}

#[test]
fn variables_that_no_buffer_is_are_named_unless_the_text_sets_them() {
    let of = |ptx: &str, run: &str| {
        let subject = Subject::new(ptx, Workload::parse(Path::new("k.toml"), run).unwrap()).unwrap();
        subject.unnamed_variables().into_iter().map(|one| (one.name, one.is_constant)).collect::<Vec<_>>()
    };
    let zeros = PTX.replace("m = 7;", "m;\n.const .u32 unread;");
    assert_eq!(of(PTX, RUN), []);
    assert_eq!(of(&zeros, RUN), [("m".to_owned(), true)]);
    let global = zeros.replace(".const .u32 m;", ".global .u32 m;").replace("ld.const", "ld.global");
    assert_eq!(of(&global, RUN), [("m".to_owned(), false)]);
    assert_eq!(of(&zeros, &with_variable("length = 1\nrole = \"in\"\nvariable = \"m\"")), []);
}

#[test]
fn kernels_are_assembled_together_where_the_host_looks_at_a_variable_that_they_may_write() {
    let of = |variable: &str, role: &str| {
        let ptx = PTX.replace(".const .u32 m = 7;", ".const .u32 m = 7;\n.global .u32 v;");
        let lines = format!("length = 1\nrole = \"{role}\"\nvariable = \"{variable}\"");
        let subject =
            Subject::new(&ptx, Workload::parse(Path::new("k.toml"), &with_variable(&lines)).unwrap());
        texts(&subject.unwrap(), "", 1).1
    };
    assert_eq!((of("m", "in"), of("m", "scratch"), of("v", "in"), of("v", "inout")), (2, 2, 1, 1));
}

#[test]
fn no_constant_is_cleared() {
    let run = with_variable("length = 1\nrole = \"scratch\"\nvariable = \"m\"") + "[[step]]\nclear = \"m\"\n";
    let said =
        Subject::new(PTX, Workload::parse(Path::new("k.toml"), &run).unwrap()).unwrap_err().to_string();
    assert_eq!(said, "k.toml:6: nothing clears `m`, which is a constant; copy zeros to it");
}
