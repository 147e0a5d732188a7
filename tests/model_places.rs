//! Models come from files, from the program, or from both, in this order: the folder that `NITRO_MODELS` names, the program itself,
//! `models/` beside the executable, `models/` in the working directory.
//!
//! The test runs a copy of itself in a folder of its own, since two of the places are about the executable and the process.

mod macro_support;

use std::path::Path;
use std::process::Command;
use std::sync::LazyLock;

use macro_support::constant;
use nitro::{code_variant, model::file_name};

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

/// What the copy does.
#[test]
#[ignore = "run by the other test, in a folder that it prepares"]
fn child() {
    println!("chosen: {} {}", carried(), bare());
}

/// What `carried` and `bare` choose in a process with these models.
fn chosen(places: &[&str]) -> String {
    chosen_by(places, |command| command)
}

/// The same in a process with further settings.
fn chosen_by(places: &[&str], set: impl FnOnce(&mut Command) -> &mut Command) -> String {
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
    let line = text.lines().find_map(|line| Some(line.split_once("chosen: ")?.1));
    line.unwrap_or_else(|| panic!("the copy said {text}")).to_owned()
}

fn put(folder: &Path, chosen: &str) {
    std::fs::create_dir_all(folder).unwrap();
    for function in ["carried", "bare"] {
        std::fs::write(folder.join(file_name(function)), model(function, chosen)).unwrap();
    }
}

#[test]
fn the_first_place_that_has_a_model_gives_it() {
    assert_eq!(chosen(&["here", "beside", "named"]), "named named");
    assert_eq!(chosen(&["here", "beside"]), "embedded beside");
    assert_eq!(chosen(&["here"]), "embedded here");
    assert_eq!(chosen(&[]), "embedded nowhere");
}

#[test]
#[cfg(target_os = "linux")]
fn a_warning_that_cannot_be_written_ends_nothing() {
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let chosen =
        chosen_by(&["here"], |command| command.env("NITRO_FORCE", "carried=unheard_of").stderr(full));
    assert_eq!(chosen, "embedded here");
}
