//! The guide's tutorial shows the project in `examples/tutorial`, to the letter, and does what it says from an
//! empty folder on.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

/// The files that the tutorial shows, with the language of the block.
const FILES: [(&str, &str); 8] = [
    ("toml", "Cargo.toml"),
    ("toml", "train/Cargo.toml"),
    ("rust", "build.rs"),
    ("rust", "src/lib.rs"),
    ("rust", "src/main.rs"),
    ("rust", "train/src/main.rs"),
    ("rust", "examples/bits.rs"),
    ("yaml", ".github/workflows/models.yml"),
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn page() -> String {
    read("guide/src/tutorial.md")
}

#[test]
fn the_tutorial_shows_the_files_of_its_project() {
    let page = page();
    for (language, name) in FILES {
        let text = read(&format!("examples/tutorial/{name}"));
        let block = format!("`{name}`\n\n```{language}\n{text}```\n");
        assert!(page.contains(&block), "the tutorial does not show examples/tutorial/{name} as it is");
    }
    let blocks: usize =
        ["```rust", "```toml", "```yaml"].iter().map(|block| page.matches(block).count()).sum();
    assert_eq!(blocks, FILES.len(), "all code in the tutorial is of a file");
}

#[test]
fn the_workflow_runs_what_the_tutorial_has_run() {
    let workflow = read("examples/tutorial/.github/workflows/models.yml");
    let commands: Vec<&str> =
        workflow.lines().filter_map(|line| line.trim().strip_prefix("- run: ")).collect();
    assert!(!commands.is_empty(), "{workflow}");
    for command in commands {
        assert!(page().contains(&format!("\n$ {command}\n")), "{command}");
    }
}

/// The text of a file as it stands in a project elsewhere.
fn elsewhere(text: &str) -> String {
    let root = root().to_str().expect("the path of the project is text");
    text.replace("\"../../../nitro", &format!("\"{root}/nitro")).replace("\"../..\"", &format!("\"{root}\""))
}

/// The project elsewhere, its application with one more dependency.
fn project(dependency: &str) -> TempDir {
    let folder = tempfile::tempdir().expect("there is room");
    for (_, name) in FILES {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("it is in a folder")).expect("there is room");
        fs::write(path, elsewhere(&read(&format!("examples/tutorial/{name}")))).expect("there is room");
    }
    let manifest = folder.path().join("Cargo.toml");
    let text = fs::read_to_string(&manifest).expect("it has been written");
    let text = text.replace("[dependencies]\n", &format!("[dependencies]\n{dependency}\n"));
    fs::write(manifest, text).expect("there is room");
    fs::copy(root().join("Cargo.lock"), folder.path().join("Cargo.lock")).expect("there is room");
    folder
}

/// The lines of `cargo tree` for these kinds of edges in a project.
fn tree(project: &TempDir, edges: &str, packages: &[&str]) -> BTreeSet<String> {
    let output = Command::new(env!("CARGO"))
        .args(["tree", "--offline", "--edges", edges, "--prefix", "none"])
        .args(packages)
        .current_dir(project.path())
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("names of packages are text");
    let marks = [" (*)", " (command-line)"];
    let unmarked = |line: &str| marks.iter().fold(line.to_owned(), |line, mark| line.replace(mark, ""));
    text.lines().map(unmarked).collect()
}

fn package(line: &str) -> &str {
    line.split(' ').next().unwrap_or(line)
}

#[test]
fn an_application_with_a_trainer_beside_it_compiles_few_crates() {
    let lines = tree(&project(""), "normal,build", &["--package", "sets"]);
    let compiled: BTreeSet<&str> = lines.iter().map(|line| package(line)).collect();
    assert!(compiled.contains("nitro-variants"), "{compiled:?}");
    assert!(compiled.len() <= 25, "{}: {compiled:?}", compiled.len());
}

/// Features that the trainer asks for of packages that an application may have too. Each adds items to the package,
/// and changes none that are there without it.
const ADDING: [&str; 4] = [
    "serde feature \"alloc\"",
    "serde_core feature \"alloc\"",
    "serde_json feature \"raw_value\"",
    "syn feature \"extra-traits\"",
];

/// How fast it is then shows `scripts/application_speed.py`.
#[test]
fn an_application_is_compiled_the_same_with_and_without_its_trainer() {
    let project = project("serde = { version = \"1\", features = [\"derive\"] }\nserde_json = \"1\"");
    let edges = "normal,build,features";
    let (alone, beside) =
        (tree(&project, edges, &["--package", "sets"]), tree(&project, edges, &["--workspace"]));
    let own: BTreeSet<&str> = alone.iter().map(|line| package(line)).filter(|name| *name != "sets").collect();
    assert!(own.contains("serde_json") && own.contains("serde"), "{own:?}");
    let is_new = |line: &&String| line.contains(" feature \"") && !alone.contains(*line);
    let of_its_packages = beside.iter().filter(is_new).filter(|line| own.contains(package(line)));
    let changing: Vec<_> = of_its_packages.filter(|line| !ADDING.contains(&line.as_str())).collect();
    assert!(changing.is_empty(), "the trainer changes what the application is compiled with: {changing:?}");
}

/// A folder whose projects are built as this one is, so that what is compiled here serves there too; their programs
/// are theirs.
fn empty_folder() -> TempDir {
    let folder = tempfile::tempdir().expect("there is room");
    let program = std::env::current_exe().expect("it has a path");
    let target: PathBuf = program.ancestors().nth(3).expect("it is in target/debug/deps").into();
    let programs = folder.path().join("programs");
    let config = format!(
        "[build]\nbuild-dir = {target:?}\ntarget-dir = {programs:?}\n[profile.dev]\ndebug = \"line-tables-only\"\n[profile.dev.package.\"*\"]\ndebug = false\n"
    );
    fs::create_dir(folder.path().join(".cargo")).expect("there is room");
    fs::write(folder.path().join(".cargo/config.toml"), config).expect("there is room");
    folder
}

/// What somebody does who follows the page: its files are written where they are shown, and its commands run, in
/// order. To save time programs are not optimised and repeats are few.
fn script(page: &str) -> String {
    let mut script = "set -eux\n".to_owned();
    let mut file = None;
    for (index, part) in page.split("```").enumerate() {
        if index % 2 == 0 {
            file = part.trim_end().lines().last().and_then(|line| line.strip_prefix('`')?.strip_suffix('`'));
            continue;
        }
        let (language, text) = part.split_once('\n').expect("a block begins with its language");
        match (language, file) {
            ("sh", _) => script += &text.replace("cd sets\n", "cd sets\ncp $LOCK .\n"),
            ("text", _) => text.lines().filter_map(|line| line.strip_prefix("$ ")).for_each(|command| {
                script += &format!(
                    "{}\n",
                    command.replace(" --release", "").replace(" record ", " record --repeat-ms 2 ")
                );
            }),
            (_, Some(name)) => {
                script += &format!("cat > {name} <<'END OF FILE'\n{}END OF FILE\n", elsewhere(text))
            }
            _ => panic!("what is this block for? {part}"),
        }
    }
    script
}

#[test]
#[ignore = "builds a project with its trainer and measures: `.ci/run` runs it"]
fn whoever_follows_the_tutorial_ships_a_model() {
    let folder = empty_folder();
    let output = Command::new("bash")
        .args(["-c", &script(&page())])
        .env("LOCK", root().join("Cargo.lock"))
        .env("CARGO_NET_OFFLINE", "true")
        .env_remove("NITRO_MODELS")
        .current_dir(folder.path())
        .output()
        .expect("bash runs");
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    // How good the choices are hangs on how busy the machine was; all else has to work.
    let only_regret =
        stderr.lines().filter(|line| line.starts_with("error: ")).all(|line| line.contains("has a regret"));
    assert!(output.status.success() || only_regret && stderr.contains("error: "), "{stdout}\n{stderr}");
    let (before, after) = stdout.split_once("learned from 2 devices").expect("a model was fitted");
    assert_eq!(before.matches("default, there is no model").count(), 3, "{stdout}");
    assert_eq!(ranked_by_a_model(after), 3, "the model was taken into the program: {stdout}");
    assert!(after.contains("models may be shipped"), "{stdout}");

    // Where there is no file of a model, neither beside the program nor in the working directory.
    let program = Command::new(folder.path().join("programs/debug/sets")).current_dir(folder.path()).output();
    let alone = String::from_utf8(program.expect("it is built").stdout).expect("it says text");
    assert_eq!(ranked_by_a_model(&alone), 3, "the program carries the model: {alone}");
}

/// How many selections a model has made. Where a constraint forbids what it ranks first, the reason is that, but a
/// confidence tells of the model.
fn ranked_by_a_model(output: &str) -> usize {
    output.matches(", confidence ").count()
}
