//! Models come from files, from the program, or from both, in this order: the folder that `NITRO_MODELS` names, the
//! program itself, `models/` beside the executable, `models/` in the working directory. A model with generated code
//! is not taken from the last.
//!
//! The test runs a copy of itself in a folder of its own, since two of the places are about the executable and the
//! process.

mod macro_support;

use std::path::Path;
use std::process::Command;
use std::sync::{LazyLock, Mutex, PoisonError};

use macro_support::constant;
use nitro::model::{Model, file_name};
use nitro::{Reason, code_variant};

macro_rules! variants {
    ($($name:ident)*) => {$(fn $name() -> &'static str { stringify!($name) })*};
}
variants!(nowhere named embedded beside here);

#[code_variant(
    name = "carried",
    variants(nowhere, named, embedded, beside, here),
    default = nowhere,
    model = EMBEDDED.as_slice(),
)]
fn carried() -> &'static str;

#[code_variant(name = "bare", variants(nowhere, named, embedded, beside, here), default = nowhere)]
fn bare() -> &'static str;

static EMBEDDED: LazyLock<Vec<u8>> = LazyLock::new(|| model("carried", "embedded"));

fn model(function: &str, chosen: &str) -> Vec<u8> {
    constant(function, &["nowhere", "named", "embedded", "beside", "here"], chosen)
}

#[code_variant(name = "generated", variants(nowhere, found { kernel in artifacts }), default = nowhere)]
fn generated() -> &'static str;

fn found(p: generated::Found) -> &'static str {
    p.kernel.text().expect("a variant runs with code alone")
}

/// A model of `generated` whose only choice is code that says where it lay.
fn code(place: &str) -> Vec<u8> {
    let kernel = nitro::Artifact::keep(place);
    let constant = Model::from_bytes(&constant("generated", &["nowhere", "found"], "found")).unwrap();
    let choices = vec!["nowhere".to_owned(), format!("found{{kernel={kernel}}}")];
    Model { choices, artifacts: vec![kernel], ..constant }.to_bytes()
}

/// What the copy does.
#[test]
#[ignore = "run by the other test, in a folder that it prepares"]
fn child() {
    if let Some(folder) = std::env::var_os("SET_MODELS") {
        nitro::set_models(folder);
    }
    println!("chosen: {} {}", carried(), bare());
    println!("code: {}", generated());
    println!("reason: {}", generated::select().reason());
}

/// What `carried` and `bare` choose in a process with these models.
fn chosen(places: &[&str]) -> String {
    chosen_by(places, |command| command).0
}

/// What code `generated` runs there.
fn code_of(places: &[&str]) -> String {
    chosen_by(places, |command| command).1
}

/// The same in a process with further settings.
fn chosen_by(places: &[&str], set: impl FnOnce(&mut Command) -> &mut Command) -> (String, String) {
    // One at a time: a child that another test forks meanwhile would hold the copy open, which cannot be run then.
    static COPYING: Mutex<()> = Mutex::new(());
    let _copying = COPYING.lock().unwrap_or_else(PoisonError::into_inner);
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("bin/program");
    for folder in ["bin", "elsewhere", "work"].map(|name| folder.path().join(name)) {
        std::fs::create_dir(folder).unwrap();
    }
    std::fs::copy(std::env::current_exe().unwrap(), &program).unwrap();
    let mut command = Command::new(&program);
    command.args(["--exact", "child", "--ignored", "--nocapture"]).current_dir(folder.path().join("work"));
    command.env_remove("NITRO_FORCE").env("NITRO_MODELS", folder.path().join("elsewhere"));
    for &place in places {
        match place {
            "named" => put(&folder.path().join("elsewhere"), place),
            "beside" => put(&folder.path().join("bin/models"), place),
            "here" => put(&folder.path().join("work/models"), place),
            other => unreachable!("{other} is no place"),
        }
    }
    let output = set(&mut command).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    let line = |key: &str| {
        let found = text.lines().find_map(|line| Some(line.split_once(key)?.1));
        found.unwrap_or_else(|| panic!("the copy said {text}")).to_owned()
    };
    let is_passed_over = line("reason: ") == Reason::ModelUntrusted.to_string();
    let messages = told.matches("carries generated code, which would run, and lies in the working directory");
    let is_told = messages.count() == usize::from(is_passed_over);
    assert!(!is_passed_over || is_told || told.is_empty(), "{told}"); // one test closes stderr
    (line("chosen: "), line("code: "))
}

fn put(folder: &Path, chosen: &str) {
    std::fs::create_dir_all(folder).unwrap();
    for function in ["carried", "bare"] {
        std::fs::write(folder.join(file_name(function)), model(function, chosen)).unwrap();
    }
    std::fs::write(folder.join(file_name("generated")), code(chosen)).unwrap();
}

#[test]
fn the_first_place_that_has_a_model_gives_it() {
    assert_eq!(chosen(&["here", "beside", "named"]), "named named");
    assert_eq!(chosen(&["here", "beside"]), "embedded beside");
    assert_eq!(chosen(&["here"]), "embedded here");
    assert_eq!(chosen(&[]), "embedded nowhere");
}

#[test]
fn generated_code_is_taken_from_where_somebody_put_it() {
    assert_eq!(code_of(&["here", "beside", "named"]), "named");
    assert_eq!(code_of(&["here", "beside"]), "beside");
    assert_eq!(code_of(&["here"]), "nowhere", "anybody's file may lie in the working directory");
    assert_eq!(
        chosen_by(&["here"], |command| command.env("NITRO_MODELS", "models")).1,
        "here",
        "it is named"
    );
    assert_eq!(chosen_by(&["here"], |command| command.env("NITRO_FORCE", "generated=found")).1, "nowhere");
}

#[test]
fn a_folder_that_the_program_names_goes_behind_that_of_its_user() {
    let set = |places: &[&str]| chosen_by(places, |command| command.env("SET_MODELS", "models"));
    assert_eq!(set(&["here", "beside"]), ("here here".to_owned(), "here".to_owned()));
    assert_eq!(set(&["here", "named"]), ("named named".to_owned(), "named".to_owned()));
    assert_eq!(set(&["beside"]), ("embedded beside".to_owned(), "beside".to_owned()));
}

#[test]
#[cfg(target_os = "linux")]
fn a_warning_that_cannot_be_written_ends_nothing() {
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let chosen =
        chosen_by(&["here"], |command| command.env("NITRO_FORCE", "carried=unheard_of").stderr(full)).0;
    assert_eq!(chosen, "embedded here");
}
