//! `train evolve`, as somebody types it; on the emulator, which every machine has.

use std::fs;
use std::path::Path;

use nitro_evolve::EvolveCommand;
use nitro_train::{BoxError, TrainerCommand};
use tempfile::TempDir;

/// Adds 1 to each element, and stores it twice.
const PTX: &str = include_str!("next/next.ptx");
const WORKLOAD: &str = include_str!("next/next.toml");

/// A folder with `next.ptx` and its workload.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("next.ptx"), PTX).unwrap();
    fs::write(folder.path().join("next.toml"), WORKLOAD).unwrap();
    folder
}

/// What `train evolve` prints, or says before it fails. `@` stands for the folder.
fn evolve(folder: &Path, arguments: &str) -> Result<String, String> {
    run(folder, arguments).map_err(|error| error.to_string())
}

/// As it is before the trainer prints it.
fn run(folder: &Path, arguments: &str) -> Result<String, BoxError> {
    let arguments = arguments.replace('@', &folder.display().to_string());
    let words = ["evolve"].into_iter().chain(arguments.split_whitespace());
    let matches = EvolveCommand.command().try_get_matches_from(words)?;
    let mut out = Vec::new();
    EvolveCommand.run(&matches, &mut out)?;
    Ok(String::from_utf8(out)?)
}

#[test]
fn what_is_found_is_written_and_a_patch_applies_again() {
    let folder = folder();
    let path = folder.path();
    let said = evolve(path, "@/next.ptx --device emulator --evaluations 600 --out @/out").unwrap();
    assert!(said.contains("accepted: results are the original's, proved for all data at "), "{said}");
    assert!(said.contains("st.global.u32 [%rd3], %r4;"), "{said}");
    let read = |name: &str| fs::read_to_string(path.join("out").join(name)).unwrap();
    let patch = read("next-1.patch");
    let applied = evolve(path, "@/next.ptx --apply @/out/next-1.patch").unwrap();
    assert_eq!(applied, read("next-1.ptx"), "{patch}");
    let json: serde_json::Value = serde_json::from_str(&read("evolved.json")).unwrap();
    assert_eq!(json["findings"][0]["verdict"]["accepted"], "exact");
    assert_eq!(json["findings"][0]["patch"], patch);
    // With what is kept nothing is evaluated again.
    let log = read("evolution.jsonl");
    let again = evolve(path, "@/next.ptx --device emulator --evaluations 600 --out @/out --json").unwrap();
    assert!(read("evolution.jsonl") == log);
    let again: serde_json::Value = serde_json::from_str(&again).unwrap();
    assert_eq!(again["findings"], json["findings"]);
}

#[test]
fn what_one_machine_found_begins_the_run_of_another() {
    let folder = folder();
    let path = folder.path();
    let common = "@/next.ptx --device emulator --population 16";
    evolve(path, &format!("{common} --evaluations 300 --out @/there")).unwrap();
    fs::rename(path.join("there/next-1.patch"), path.join("carried.patch")).unwrap();
    let here = format!("{common} --seed 7 --out @/here --begin-with @/carried.patch");
    evolve(path, &format!("{here} --evaluations 30")).unwrap();
    let log = || fs::read_to_string(path.join("here/evolution.jsonl")).unwrap();
    let before = log();
    let header: serde_json::Value = serde_json::from_str(before.lines().next().unwrap()).unwrap();
    let second: serde_json::Value = serde_json::from_str(before.lines().nth(2).unwrap()).unwrap();
    assert_eq!((&second["generation"], &second["trial"]["edits"]), (&0.into(), &header["begun_with"][0]));
    let carried = fs::read_to_string(path.join("carried.patch")).unwrap();
    let first_edit = carried.lines().nth(1).unwrap().split('#').next().unwrap().trim();
    assert!(header["begun_with"].to_string().contains(first_edit), "{header}");
    // Without the option, and without the file, it goes on as it began.
    fs::remove_file(path.join("carried.patch")).unwrap();
    evolve(path, &format!("{common} --seed 7 --out @/here --evaluations 60")).unwrap();
    assert!(log().starts_with(&before) && log().len() > before.len());
}

#[test]
fn a_patch_that_does_not_fit_is_wrong_usage_with_its_line() {
    let folder = folder();
    let path = folder.path();
    let base = evolve(path, "@/next.ptx --device emulator --evaluations 300 --population 16 --out @/there");
    base.unwrap();
    let good = fs::read_to_string(path.join("there/next-1.patch")).unwrap();
    let head = good.lines().next().unwrap().to_owned() + "\n";
    let (long, many) =
        (head.clone() + &"# \n".repeat(40_000), " --begin-with @/there/next-1.patch".repeat(65));
    let cases = [
        (
            "foreign",
            "patch of 0123456789abcdef\ndelete b3\n",
            "foreign: the patch is for the text with digest",
        ),
        ("garbled", &(head.clone() + "# of this PTX\nexplode\n"), "garbled: line 3: this is no edit"),
        (
            "missing",
            &(head.clone() + "\ndelete b999 # gone\n"),
            "missing: line 3: `delete b999`: there is no b999",
        ),
        ("empty", &head, "empty: the patch has no edits"),
        ("blank", "", "blank: line 1: a patch begins with `patch of`"),
        ("long", &long, "long: it has more than 65536 bytes"),
        ("ptx", PTX, "ptx: line 1: a patch begins with `patch of`"),
        ("zeros", "\0\0", "zeros: this is no text"),
    ];
    for (name, text, expected) in cases {
        fs::write(path.join(name), text).unwrap();
        let error = run(path, &format!("@/next.ptx --device emulator --out @/out --begin-with @/{name}"))
            .unwrap_err();
        assert!(error.is::<nitro_train::UsageError>(), "{name}: {error}");
        assert!(error.to_string().contains(expected), "{name}: {error}");
        assert!(!path.join("out").exists(), "{name}: nothing has begun");
        // What `--apply` reads is read alike.
        if !["empty", "long"].contains(&name) {
            let said = evolve(path, &format!("@/next.ptx --apply @/{name}")).unwrap_err();
            assert!(said.contains(expected), "{name}: {said}");
        }
    }
    for (more, expected) in [
        (many.as_str(), "there are 65 patches, and an evolution begins with at most 64"),
        (" --begin-with @/none.patch", "cannot read @/none.patch: No such file"),
        (" --begin-with @", "cannot read @"),
    ] {
        let error = run(path, &format!("@/next.ptx --device emulator --out @/out{more}")).unwrap_err();
        let expected = expected.replace('@', &path.display().to_string());
        assert!(error.is::<nitro_train::UsageError>() && error.to_string().contains(&expected), "{error}");
        assert!(!path.join("out").exists());
    }
}

#[test]
fn options_that_make_no_sense_end_with_2() {
    for (words, expected) in [
        ("--generations 0", "0 is not in 1.."),
        ("--evaluations 0", "0 is not in 1.."),
        ("--population few", "few"),
        ("--begin-with a.patch --check", "cannot be used with"),
        ("--begin-with a.patch --template", "cannot be used with"),
        ("--begin-with a.patch --apply b.patch", "cannot be used with"),
    ] {
        let words = ["evolve", "next.ptx"].into_iter().chain(words.split(' '));
        let error = EvolveCommand.command().try_get_matches_from(words).unwrap_err();
        assert_eq!(error.exit_code(), 2);
        assert!(error.to_string().contains(expected), "{error}");
    }
    let folder = folder();
    for words in ["--minutes -1", "--max-error nan"] {
        let error = run(folder.path(), &format!("@/next.ptx {words}")).unwrap_err();
        assert!(error.is::<nitro_train::UsageError>(), "{words}: {error}");
    }
}

#[test]
fn a_template_can_be_filled_in_and_checked() {
    let folder = folder();
    let path = folder.path();
    let template = evolve(path, "@/next.ptx --template").unwrap();
    let filled = template
        .replace("f32", "i32")
        .replace("100000", "200")
        .replace("70001", "201")
        .replace("1000003", "202");
    fs::write(path.join("next.toml"), filled.replace("\"out\"", "\"inout\"")).unwrap();
    let said = evolve(path, "@/next.ptx --device emulator --check").unwrap();
    assert!(
        said.starts_with("next on emulator (counted, not measured)\n") && said.contains("n=200 seed=0"),
        "{said}"
    );
}

#[test]
fn the_minutes_bound_the_first_run_of_the_original_too() {
    let folder = folder();
    let path = folder.path();
    let endless = PTX.replacen("ld.param", "L: bra L; ld.param", 1);
    fs::write(path.join("next.ptx"), endless).unwrap();
    for command in ["--check", "--evaluations 9"] {
        let said =
            evolve(path, &format!("@/next.ptx --device emulator --minutes 0.002 {command}")).unwrap_err();
        let is_late = said.contains("next.ptx: the PTX as it is fails with n=")
            && said.contains("its time is over")
            || said.contains("the time that was given was over");
        assert!(is_late && said.contains("give more (--minutes)"), "{said}");
    }
}

#[test]
fn what_is_wrong_is_said_in_a_sentence() {
    let folder = folder();
    let path = folder.path();
    fs::write(path.join("other.ptx"), PTX.replace("next", "other")).unwrap();
    fs::write(path.join("broken.ptx"), ".version 9.0\n.target sm_90 .entry k() { mov.u32 }").unwrap();
    fs::write(path.join("bad.toml"), WORKLOAD.replace("n = 40", "m = 40")).unwrap();
    fs::write(path.join("few.toml"), WORKLOAD.replace(", { i32 = \"n\" }", "")).unwrap();
    fs::write(path.join("far.toml"), WORKLOAD.replace("length = \"n\"", "length = 8")).unwrap();
    fs::write(path.join("foreign.patch"), "patch of 0123456789abcdef\ndelete b3\n").unwrap();
    let cases = [
        ("@/none.ptx", "cannot read @/none.ptx: No such file"),
        (
            "@/other.ptx",
            "there is no workload @/other.toml; `train evolve @/other.ptx --template` prints one to fill in",
        ),
        (
            "@/other.ptx --workload @/next.toml",
            "@/other.ptx: there is no kernel `next` in the PTX, only other",
        ),
        ("@/broken.ptx --template", "@/broken.ptx: line 2: "),
        ("@/next.ptx --workload @/bad.toml", "@/bad.toml:14: this case has m, and the first n"),
        (
            "@/next.ptx --workload @/few.toml",
            "@/next.ptx: `next` takes arguments of 8, 4 bytes, and the workload gives it some of 8",
        ),
        (
            "@/next.ptx --workload @/far.toml --device emulator",
            "@/next.ptx: the PTX as it is fails with n=50 seed=0: ",
        ),
        (
            "@/next.ptx --apply @/foreign.patch",
            "@/foreign.patch: the patch is for the text with digest 0123456789abcdef",
        ),
        ("@/next.ptx --device emulator --device cuda:0", "--device emulator goes alone"),
        ("@/next.ptx --device tpu:0 --check", "`tpu:0` is no CUDA device; write cuda:0"),
        ("@/next.ptx --max-error -1 --device emulator", "--max-error is a number from 0"),
        ("@/next.ptx --minutes nan --device emulator", "--minutes is a number from 0"),
    ];
    for (arguments, expected) in cases {
        let said = evolve(path, &format!("{arguments} --out @/out")).unwrap_err();
        let expected = expected.replace('@', &path.display().to_string());
        assert!(said.contains(&expected), "{arguments}: {said}");
    }
    assert!(!path.join("out").join("evolved.json").exists(), "nothing is half-written");
}

/// `next`, a function that it calls, and a kernel and a function that no emulator knows.
fn library() -> String {
    let called = PTX.replace(".visible .entry next", ".func unknown() { tcgen05.wait::ld.sync.aligned; ret; }\n.func known() { ret; }\n.visible .entry next");
    let called = called.replace("DONE:", "call known;\nDONE:");
    let strange = ".visible .entry strange(.param .u64 of, .param .u32 n)\n{\n    .reg .b32 %r<4>;\n    call unknown;\n    mma.sync.aligned.m8n8k4 %r1, %r2, %r3;\n    ret;\n}\n";
    called + strange
}

#[test]
fn what_is_launched_counts_and_nothing_else() {
    let folder = folder();
    let path = folder.path();
    fs::write(path.join("library.ptx"), library()).unwrap();
    let emulated = "@/library.ptx --device emulator --out @/out --workload";
    let said = evolve(path, &format!("{emulated} @/next.toml --evaluations 300")).unwrap();
    assert!(said.contains("accepted: results are the original's"), "{said}");
    let patched = fs::read_to_string(path.join("out/library-1.ptx")).unwrap();
    assert!(patched.contains("strange") && patched.contains("unknown"), "the whole text is patched");
    fs::write(path.join("strange.toml"), WORKLOAD.replace("\"next\"", "\"strange\"")).unwrap();
    let refused = evolve(path, &format!("{emulated} @/strange.toml --check")).unwrap_err();
    let expected = "library.ptx: line 4: `tcgen05.wait::ld.sync.aligned` in `unknown` cannot be emulated: it is not known; with --device cuda:0";
    assert!(refused.contains(expected), "{refused}");
}

#[test]
fn of_several_kernels_the_template_is_for_the_one_that_is_named() {
    let folder = folder();
    let path = folder.path();
    fs::write(path.join("library.ptx"), library()).unwrap();
    let said = evolve(path, "@/library.ptx --template").unwrap_err();
    assert!(said.ends_with("library.ptx: which kernel? --kernel names one of next, strange"), "{said}");
    let template = evolve(path, "@/library.ptx --template --kernel strange").unwrap();
    assert!(template.contains("kernel = \"strange\"") && template.contains("name = \"of\""), "{template}");
    let said = evolve(path, "@/library.ptx --template --kernel known").unwrap_err();
    assert!(said.ends_with("--kernel: there is no kernel `known` in it, only next, strange"), "{said}");
}

/// Files that are no PTX, or none that can be.
#[test]
fn a_wrong_file_is_wrong_usage_and_said_to_be_what_it_is() {
    let folder = folder();
    let path = folder.path();
    let versioned = |version: &str, target: &str| {
        PTX.replace(".version 9.0", version).replace(".target sm_90", target).into_bytes()
    };
    let cases: [(&str, Vec<u8>, &str); 16] = [
        ("empty", Vec::new(), "the file is empty"),
        ("blank", b" \r\n\t\n".to_vec(), "the file is empty"),
        (
            "cubin",
            b"\x7fELF\x02\x01\x01\x33".to_vec(),
            "this is machine code (a cubin, or a program), and no PTX",
        ),
        ("fatbin", b"\x50\xed\x55\xba\x01\x00\x10\x00".to_vec(), "this is a fat binary, and no PTX"),
        ("bitcode", b"BC\xc0\xde\x35".to_vec(), "this is LLVM bitcode"),
        ("packed", b"\x1f\x8b\x08".to_vec(), "this is a gzip archive; unpack it"),
        ("wide", b"\xff\xfe.\0v\0".to_vec(), "this is a text in UTF-16; save it as UTF-8"),
        ("binary", b".version 8.0\n\xc3\x28".to_vec(), "this is no text: byte 13 is no UTF-8"),
        ("zeros", vec![0; 64], "this is no text: it has bytes that are 0"),
        ("source", b"__global__ void k(int* x) { *x = 1; }".to_vec(), "this is no PTX: it has no `.version`"),
        ("line", vec![b'x'; 10 << 20], "this is no PTX: it has no `.version`"),
        (
            "long",
            [
                &versioned("", "")[..],
                ".version 8.0\n.target sm_90\n.entry k() {".as_bytes(),
                &vec![b'x'; 10 << 20],
            ]
            .concat(),
            "line ",
        ),
        (
            "version",
            versioned(".version nine", ".target sm_90"),
            "line 1: `.version nine` is no version of PTX, such as 8.0",
        ),
        (
            "target",
            versioned(".version 9.0", ".target gfx90a"),
            "line 2: `.target gfx90a` is no architecture, such as sm_90",
        ),
        ("targetless", versioned(".version 9.0", ""), "it has no `.target`, such as sm_90"),
        (
            "kernelless",
            b".version 9.0\n.target sm_90\n.func f() { ret; }".to_vec(),
            "there is no kernel `next` in the PTX, which has no kernel at all",
        ),
    ];
    for (name, bytes, expected) in cases {
        fs::write(path.join(name), bytes).unwrap();
        let error =
            run(path, &format!("@/{name} --device emulator --check --workload @/next.toml")).unwrap_err();
        assert!(error.is::<nitro_train::UsageError>(), "{name}: {error}");
        let said = error.to_string();
        assert!(said.contains(&format!("{name}: {expected}")), "{name}: {said}");
        assert!(said.len() < 400 && !said.contains(char::is_control), "{name}: {said}");
    }
}

/// As text comes from Windows and its editors.
#[test]
fn byte_order_marks_and_carriage_returns_make_no_difference() {
    let folder = folder();
    let path = folder.path();
    fs::write(path.join("next.ptx"), format!("\u{feff}{}", PTX.replace('\n', "\r\n"))).unwrap();
    fs::write(path.join("next.toml"), format!("\u{feff}{}", WORKLOAD.replace('\n', "\r\n"))).unwrap();
    let said = evolve(path, "@/next.ptx --device emulator --check").unwrap();
    assert!(said.contains("n=50 seed=0"), "{said}");
}

/// `for t in 0..steps { x[i] += by * t; }` over all elements but the first, with a store that is overwritten.
const PLAN: &str = r#"{"format":2,"name":"climb","sizes":["n","steps"],"scalars":["by"],"temporaries":[],"iterators":["i"],"contracts":true,"cuda":"",
    "arrays":[{"name":"x","shape":[{"terms":[[{"Parameter":0},1]],"constant":0}],"is_written":true}],
    "kernels":[{"name":"climb_0","part":"0","host_iterators":[0],"block":[32,1,1],"points":[1,1,1],
        "grid":[{"lower":[{"terms":[],"constant":1}],"upper":[{"terms":[[{"Parameter":0},1]],"constant":0}],"step":1}]}],
    "host":[{"Loop":[{"iterator":0,"lower":[{"terms":[],"constant":0}],"upper":[{"terms":[[{"Parameter":1},1]],"constant":0}],"step":1,"is_reversed":true},
        [{"Launch":0}]]}],
    "ptx":{"integers":"Bits32","text":PTX}}"#;

const CLIMB: &str = "\
.version 9.0
.target sm_90
.address_size 64
.visible .entry climb_0(.param .u32 n, .param .u32 steps, .param .u32 t, .param .f32 by, .param .u64 x)
{
    .reg .pred %p<2>;
    .reg .f32 %f<6>;
    .reg .b32 %r<9>;
    .reg .b64 %rd<4>;
    ld.param.u32 %r1, [n];
    ld.param.u32 %r2, [t];
    ld.param.f32 %f1, [by];
    ld.param.u64 %rd1, [x];
    mov.u32 %r3, %tid.x;
    mov.u32 %r4, %ctaid.x;
    shl.b32 %r5, %r4, 5;
    add.s32 %r6, %r5, %r3;
    add.s32 %r7, %r6, 1;
    setp.ge.s32 %p1, %r7, %r1;
    @%p1 bra DONE;
    mul.wide.s32 %rd2, %r7, 4;
    add.s64 %rd3, %rd1, %rd2;
    ld.global.f32 %f2, [%rd3];
    cvt.rn.f32.s32 %f3, %r2;
    fma.rn.f32 %f4, %f3, %f1, %f2;
    st.global.f32 [%rd3], %f2;
    st.global.f32 [%rd3], %f4;
DONE:
    ret;
}
";

fn plan() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let text = PLAN.replace(r#""text":PTX"#, &format!("\"text\":{}", serde_json::to_string(CLIMB).unwrap()));
    fs::write(folder.path().join("climb.plan.json"), text).unwrap();
    folder
}

#[test]
fn the_kernels_of_a_plan_are_evolved_and_become_a_plan_again() {
    let folder = plan();
    let path = folder.path();
    let arguments = "@/climb.plan.json --sizes n=70,steps=3 --device emulator --evaluations 900 --out @/out";
    let said = evolve(path, arguments).unwrap();
    assert!(said.contains("accepted: results are the original's"), "{said}");
    assert!(said.contains("st.global.f32 [%rd3], %f2;"), "{said}");
    let read = |name: &str| fs::read_to_string(path.join("out").join(name)).unwrap();
    let found = nitro_launch::LaunchPlan::from_json(&read("climb-1.plan.json")).unwrap();
    let ptx = found.ptx.as_ref().unwrap();
    assert_eq!((&ptx.text, ptx.text.matches("st.global").count()), (&read("climb-1.ptx"), 1));
    assert_eq!((ptx.integers, found.runs_on(80).is_err()), (nitro_launch::Integers::Bits32, true));
    // What it was compiled to and how it was run are a subject as any other, and what was found a plan as any other.
    let checked = evolve(path, "@/out/climb.ptx --device emulator --check").unwrap();
    assert!(checked.contains("by=1.5 n=70 steps=3 seed=0"), "{checked}");
    evolve(path, "@/out/climb-1.plan.json --sizes n=70,steps=3 --device emulator --check").unwrap();
}

#[test]
fn the_workload_of_a_plan_is_printed_and_may_be_changed() {
    let folder = plan();
    let path = folder.path();
    let text = evolve(path, "@/climb.plan.json --sizes n=70,steps=3,by=2.5 --template").unwrap();
    for line in [
        "times = \"max(0, steps)\"",
        "{ i32 = \"steps - 1 - i_\" }",
        "grid = [\"ceil_div(n - 1, 32)\"]",
        "by = 2.5",
    ] {
        assert!(text.contains(line), "{line} is not in\n{text}");
    }
    let missing = evolve(path, "@/climb.plan.json --device emulator --check").unwrap_err();
    assert!(missing.contains("--sizes n=512,steps=512` makes a workload of them"), "{missing}");
    let narrow = text.replace("n = 70\n", "n = 71\n");
    fs::write(path.join("climb.toml"), narrow).unwrap();
    let said = evolve(path, "@/climb.plan.json --device emulator --check").unwrap();
    assert!(said.contains("n=71"), "{said}");
    fs::write(path.join("climb.toml"), text.replace("n = 70\n", "n = 3000000000\n")).unwrap();
    let large = evolve(path, "@/climb.plan.json --device emulator --check").unwrap_err();
    assert!(large.contains("counts in 32 bits, and these sizes take 64"), "{large}");
}

#[test]
fn what_is_wrong_with_a_plan_or_its_sizes_is_said() {
    let folder = plan();
    let path = folder.path();
    fs::write(path.join("broken.plan.json"), "{\"format\":1}").unwrap();
    fs::write(path.join("next.ptx"), PTX).unwrap();
    for (arguments, reason) in [
        ("@/broken.plan.json --template", "this is no launch plan: missing field"),
        ("@/climb.plan.json --sizes n=70 --template", "the size `steps` of `climb` is missing; give all"),
        ("@/climb.plan.json --sizes n=70,m=3 --template", "`climb` has no size `m`; it has n, steps"),
        ("@/climb.plan.json --sizes n=0.5,steps=1 --template", "`n` is a whole number from 1, and not 0.5"),
        ("@/climb.plan.json --sizes n70 --template", "`n70` is no size with its value"),
        ("@/climb.plan.json --apply @/next.ptx", "climb.ptx --apply"),
        ("@/next.ptx --sizes n=4 --check", "--sizes and --architecture are for a launch plan"),
    ] {
        let said = evolve(path, arguments).unwrap_err();
        assert!(said.contains(reason), "{arguments}: {said}");
    }
}
