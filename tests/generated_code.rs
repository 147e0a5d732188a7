//! Generated code as a variant's parameter: it runs where the program has its text, and a model brings that along.

mod macro_support;

use std::path::Path;
use std::process::Command;

use macro_support::constant;
use nitro::model::{Model, file_name};
use nitro::{Artifact, CodeChoice, Parameter, ParameterKind, Reason, code_variant};

fn plain(rows: usize) -> String {
    format!("plain {rows}")
}

/// Runs the code, which is a word here.
fn found(p: walk::Found, rows: usize) -> String {
    format!("{} {rows}", p.kernel.text().expect("it runs only where the text is known"))
}

#[code_variant(
    name = "walk",
    features(height = rows),
    variants(plain, found { kernel in artifacts } if height >= 10),
    default = plain,
)]
fn walk(rows: usize) -> String;

/// Tells a copy of this program to write a model into this folder.
const WRITE_INTO: &str = "GENERATED_CODE_WRITE_INTO";
const CODE: &str = "for each row {\n    run\n}";

/// The model of a program that knows the code.
fn write_model(folder: &Path) {
    let best = format!("found{{kernel={}}}", Artifact::keep(CODE));
    let artifacts = vec![Artifact::of(CODE)];
    let model =
        Model { artifacts, ..Model::from_bytes(&constant("walk", &["plain", &best], &best)).unwrap() };
    model.write(&folder.join(file_name("walk"))).unwrap();
}

/// In one test: variables of the environment are the process's, and so is what it knows of code.
#[test]
fn a_program_that_has_only_the_model_runs_its_code() {
    if let Some(folder) = std::env::var_os(WRITE_INTO) {
        return write_model(Path::new(&folder));
    }
    let folder = tempfile::tempdir().unwrap();
    let itself = std::env::current_exe().unwrap();
    let name = "a_program_that_has_only_the_model_runs_its_code";
    let writer = Command::new(itself).args(["--exact", name]).env(WRITE_INTO, folder.path()).status();
    assert!(writer.unwrap().success());
    // SAFETY: this is the only test of the process that reads the environment, and no other thread does meanwhile.
    unsafe { std::env::set_var("NITRO_MODELS", folder.path()) };

    let kernel = Artifact::of(CODE);
    let choice = walk::Choice::Found(walk::Found { kernel });
    assert!(!kernel.is_known() && !walk::admissible(choice, 100));
    assert_eq!(walk(100), format!("{CODE} 100"), "the first call reads the model");
    assert_eq!(walk(100), format!("{CODE} 100"), "and the next one remembers");
    let selection = walk::select(100);
    assert_eq!((selection.choice(), selection.reason()), (choice, Reason::Predicted));
    assert!(
        walk::admissible(choice, 100) && !walk::admissible(choice, 9),
        "the variant's own constraint holds"
    );
    assert_eq!(walk(9), "plain 9");
    assert!(!walk::admissible(walk::Variant::Found, 100), "without code there is nothing to run");

    // A model fitted elsewhere whose code did not come along: the next one in order runs.
    let text = format!("found{{kernel={}}}", Artifact::of("lost"));
    let bytes = constant("walk", &["plain", &text], &text);
    std::fs::write(folder.path().join(file_name("walk")), &bytes).unwrap();
    walk::function().reload().unwrap();
    assert_eq!(walk(100), "plain 100");
    assert_eq!(walk::select(100).reason(), Reason::FirstChoiceInadmissible { first: "found" });

    // SAFETY: as above.
    unsafe { std::env::set_var("NITRO_FORCE", format!("walk={}", choice)) };
    walk::function().reload().unwrap();
    assert_eq!((walk(100), walk::select(100).reason()), (format!("{CODE} 100"), Reason::Forced));
    assert_eq!(walk(9), "plain 9", "not even a pin breaks a constraint");
}

#[test]
fn code_is_known_by_its_digest() {
    let info = walk::function().variants()[1];
    assert_eq!(info.parameters().artifact().map(Parameter::kind), Some(ParameterKind::Artifact));
    assert_eq!((info.configurations().count(), info.parameters().configurations()), (0, 0));
    let kernel = Artifact::of("some code");
    let choice = walk::Choice::Found(walk::Found { kernel });
    let text = format!("found{{kernel={kernel}}}");
    assert_eq!((choice.to_string(), text.parse()), (text.clone(), Ok(choice)));
    let untyped = walk::function().choice(&text).unwrap();
    assert_eq!((walk::Choice::of(untyped), walk::function().choice_text(untyped)), (choice, text));
    let nothing = walk::Choice::from(walk::Variant::Found);
    assert_eq!((nothing.to_string().as_str(), "found".parse()), ("found{kernel=none}", Ok(nothing)));
    let error = "found{kernel=3}".parse::<walk::Choice>().unwrap_err().to_string();
    assert!(error.contains("16 lower-case hexadecimal digits"), "{error}");
}

#[test]
fn what_features_tell_of_the_constraint_is_told() {
    let constraint = walk::function().variants()[1].constraint().unwrap();
    assert_eq!(constraint.text(), "kernel.is_known() && (height >= 10)");
    let here = Artifact::keep("here");
    assert_eq!(constraint.admits(&[Some(9.0)], here.into()), Some(false));
    assert_eq!(constraint.admits(&[Some(10.0)], here.into()), Some(true));
    assert_eq!(constraint.admits(&[None], Artifact::of("nowhere").into()), Some(false));
}
