//! `train evolve`, as somebody types it; on the emulator, which every machine has.

use std::fs;
use std::path::Path;

use nitro_evolve::EvolveCommand;
use nitro_train::TrainerCommand;
use tempfile::TempDir;

/// Adds 1 to each element, and stores it twice.
const PTX: &str = "\
.version 9.0
.target sm_90
.address_size 64
.visible .entry next(.param .u64 of, .param .u32 n)
{
    .reg .pred %p<2>;
    .reg .b32 %r<6>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [of];
    ld.param.u32 %r1, [n];
    mov.u32 %r2, %tid.x;
    setp.ge.s32 %p1, %r2, %r1;
    @%p1 bra DONE;
    mul.wide.s32 %rd2, %r2, 4;
    add.s64 %rd3, %rd1, %rd2;
    ld.global.u32 %r3, [%rd3];
    add.s32 %r4, %r3, 1;
    st.global.u32 [%rd3], %r4;
    st.global.u32 [%rd3], %r4;
DONE:
    ret;
}
";

const WORKLOAD: &str = "\
[[buffer]]
name = \"of\"
type = \"i32\"
length = \"n\"
role = \"inout\"
values = \"i\"
[[step]]
kernel = \"next\"
grid = [1]
block = [64]
arguments = [\"of\", { i32 = \"n\" }]
[[search]]
n = 50
[[validation]]
n = 40
[[test]]
n = 63
";

/// A folder with `next.ptx` and its workload.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("next.ptx"), PTX).unwrap();
    fs::write(folder.path().join("next.toml"), WORKLOAD).unwrap();
    folder
}

/// What `train evolve` prints, or says before it fails. `@` stands for the folder.
fn evolve(folder: &Path, arguments: &str) -> Result<String, String> {
    let arguments = arguments.replace('@', &folder.display().to_string());
    let words = ["evolve"].into_iter().chain(arguments.split_whitespace());
    let matches = EvolveCommand.command().try_get_matches_from(words).map_err(|error| error.to_string())?;
    let mut out = Vec::new();
    EvolveCommand.run(&matches, &mut out).map_err(|error| error.to_string())?;
    Ok(String::from_utf8(out).unwrap())
}

#[test]
fn what_is_found_is_written_and_a_patch_applies_again() {
    let folder = folder();
    let path = folder.path();
    let said = evolve(path, "@/next.ptx --device emulator --evaluations 600 --out @/out").unwrap();
    assert!(said.contains("accepted: results are the original's"), "{said}");
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
fn what_is_wrong_is_said_in_a_sentence() {
    let folder = folder();
    let path = folder.path();
    fs::write(path.join("other.ptx"), PTX.replace("next", "other")).unwrap();
    fs::write(path.join("broken.ptx"), ".version 9.0\n.entry k() { mov.u32 }").unwrap();
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
        ("@/next.ptx --workload @/far.toml --device emulator", "the PTX as it is fails with n=50 seed=0: "),
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
