//! `train nest show` tells of presets, and of what a store or a model has, what was done to the loops; and why
//! where it cannot.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use nitro::Artifact;
use nitro_nest::{LaunchPlan, MappingSpace};
use nitro_polybench::blas;
use nitro_search::{Ask, Budget, Engine, Generator, Paths, RandomPaths, Target};
use nitro_test_support::tools::NVRTC;
use serde_json::{Value, json};

fn run(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_train-gemm"));
    command.args(arguments).current_dir(folder).env_remove("NITRO_STORE").env_remove("NITRO_MODELS");
    command.output().expect("the trainer starts")
}

fn train(folder: &Path, arguments: &[&str]) -> String {
    let output = run(folder, arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

/// The sentence on standard error.
fn refusal(folder: &Path, arguments: &[&str], code: i32) -> String {
    let output = run(folder, arguments);
    let error = String::from_utf8(output.stderr).expect("text");
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {error}");
    assert!(output.stdout.is_empty());
    error
}

/// What a random search proposes first, one that was not recorded.
fn found() -> String {
    let space = MappingSpace::new(&blas::gemm::nest()).unwrap();
    let mut search = Engine::new(Paths::new(&space, RandomPaths::new(7)), Budget::evaluations(1));
    let Ask::Evaluate(paths) = search.ask(1).unwrap() else { panic!("a search begins with something") };
    space.artifact(&paths[0]).unwrap()
}

/// Imports measurements of these texts into `my.db`; their digests.
fn keep(folder: &Path, texts: &[&str]) -> Vec<String> {
    let digests: Vec<String> = texts.iter().map(|text| Artifact::of(text).to_string()).collect();
    let mut measurements = "device,input,variant,time_ns,configuration\n".to_owned();
    let mut artifacts = String::new();
    for (text, digest) in texts.iter().zip(&digests) {
        measurements += &format!("cuda:left,train/a,found,1000,kernel={digest}\n");
        artifacts += &format!("{}\n", json!({ "artifact": digest, "text": text }));
    }
    for (name, text) in [
        ("m.csv", measurements.as_str()),
        ("i.csv", "input,rows,columns,inner,elements,flops\ntrain/a,64,64,64,4096,524288\n"),
        ("d.csv", "device,sm_count\ncuda:left,132\n"),
        ("a.jsonl", &artifacts),
    ] {
        fs::write(folder.join(name), text).unwrap();
    }
    let tables = ["--measurements", "m.csv", "--inputs", "i.csv", "--devices", "d.csv"];
    let store = ["--artifacts", "a.jsonl", "--store", "my.db"];
    train(folder, &[&["import", "--function", "gemm"], &tables[..], &store].concat());
    digests
}

const STORE: [&str; 2] = ["--store", "my.db"];

#[test]
fn presets_and_what_is_kept_are_listed_and_shown() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let listed = train(folder, &["nest", "show"]);
    let names: Vec<&str> = listed.lines().filter_map(|line| line.split_whitespace().next()).collect();
    let presets = listed.lines().filter(|line| line.contains("preset")).count();
    let all = ["kernel", "naive", "ppcg_default", "sane", "split", "sliced", "small", "temporal"];
    assert_eq!(names[..all.len()], all, "{listed}");
    assert!(names.len() > all.len(), "and what was recorded and ships: {listed}");

    let text = found();
    let digest = keep(folder, &[&text]).remove(0);
    let listed = train(folder, &[&["nest", "show", "--json"], &STORE[..]].concat());
    let listed: Vec<Value> = serde_json::from_str(&listed).unwrap();
    let own = listed.iter().find(|one| one["name"] == json!(digest)).expect("the store has it");
    assert_eq!((&own["is_in_store"], &own["is_preset"]), (&json!(true), &json!(false)));
    assert_eq!(listed.len(), presets + 1, "the presets, and what the store has");

    train(folder, &[&["fit", "--function", "gemm"], &STORE[..]].concat());
    let listed = train(folder, &["nest", "show"]);
    let line = listed.lines().find(|line| line.starts_with(&digest)).expect("the model has it");
    assert!(line.ends_with("model"), "{listed}");

    for place in [&STORE[..], &["--models", "models"]] {
        let shown = train(folder, &[&["nest", "show", &digest[..6]], place].concat());
        let plan = LaunchPlan::from_json(&text).unwrap();
        for kernel in &plan.kernels {
            assert!(shown.contains(&kernel.name), "{shown}");
        }
        assert!(!shown.contains("another version"), "{shown}");
    }
}

#[test]
fn a_preset_is_shown_as_text_and_as_a_page_that_needs_nothing_but_itself() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let shown = train(folder, &["nest", "show", "naive"]);
    for part in ["c[i, j]", "What became of the loops", "j → x: 32 threads", "__global__"] {
        assert!(shown.contains(part), "{part} is missing in\n{shown}");
    }
    let passes = train(folder, &["nest", "show", "sane", "--passes"]);
    let place = |pass: &str| passes.find(&format!("After `{pass}`")).expect("the pass is told");
    assert!(place("temporaries") < place("joined sums") && place("tilings") < place("threads"), "{passes}");
    assert!(passes[..place("joined sums")].contains("nothing changed"), "{passes}");
    assert!(passes[place("threads")..].contains("kernel gemm_0 over") && !passes.contains("__global__"));
    let written = train(
        folder,
        &["nest", "show", "sane", "--function", "gemm", "--variant", "found", "--html", "sane.html"],
    );
    assert_eq!(written, "sane.html\n");
    let page = fs::read_to_string(folder.join("sane.html")).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("<svg") && page.ends_with("</html>"));
    for outside in ["src=", "href=\"http", "@import", "url(", "<link", "<script"] {
        assert!(!page.contains(outside), "the page has {outside}");
    }
}

#[test]
fn what_a_kernel_takes_is_told_where_there_is_a_compiler() {
    let folder = tempfile::tempdir().unwrap();
    let Some(_) = NVRTC.found(nitro_cuda::nvrtc_version()) else {
        let shown = train(folder.path(), &["nest", "show", "naive", "--architecture", "90"]);
        assert!(shown.contains("It was not compiled: "), "{shown}");
        return;
    };
    let shown = train(folder.path(), &["nest", "show", "naive", "--architecture", "90"]);
    assert!(shown.contains("on sm_90: ") && shown.contains("registers a thread"), "{shown}");
}

#[test]
fn what_cannot_be_shown_is_refused_with_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let space = MappingSpace::new(&blas::gemm::nest()).unwrap();
    let plan = LaunchPlan::from_json(&found()).unwrap();
    let silent = LaunchPlan { origin: String::new(), ..plan.clone() }.to_json();
    let foreign = LaunchPlan { origin: "{\"polly\":1}".into(), ..plan.clone() }.to_json();
    let other = LaunchPlan { name: "syrk".into(), ..plan.clone() }.to_json();
    let texts = ["block=32", &silent, &foreign, &other];
    let digests = keep(folder, &texts);
    let reasons =
        ["this is no launch plan", "does not say how it was made", "another generator", "of the nest `syrk`"];
    for (digest, reason) in digests.iter().zip(reasons) {
        let error = refusal(folder, &[&["nest", "show", digest], &STORE[..]].concat(), 1);
        assert!(error.contains(&format!("`{digest}` of `gemm` cannot be described")), "{error}");
        assert!(error.contains(reason) && error.lines().count() == 1, "{error}");
    }
    for (arguments, code, reason) in [
        (&["nest", "show", "zz"][..], 1, "there are naive, ppcg_default, sane"),
        (&["nest", "show", "--function", "spmv"], 1, "no function `spmv`"),
        (&["nest", "show", "--variant", "tiled"], 1, "no variant `tiled` of `gemm` runs generated code"),
        (&["nest", "show", "sane", "--device", "tpu:0"], 2, "is not a device of this program"),
        (&["nest", "show", "--html", "a.html"], 2, "KERNEL"),
        (&["nest", "show", "sane", "--passes", "--html", "a.html"], 2, "--passes"),
        (
            &["nest", "show", "sane", "--html", "no/such/a.html"],
            1,
            "no/such/a.html: the page cannot be written",
        ),
    ] {
        let error = refusal(folder, arguments, code);
        assert!(error.contains(reason), "{arguments:?}: {error}");
    }
    // A plan whose text another version would have made differently is told from its mapping, and that is said.
    let changed = LaunchPlan { cuda: format!("// older\n{}", plan.cuda), ..plan }.to_json();
    let description = space.describe(&changed, None).unwrap().unwrap();
    assert!(description.text.contains("another version of the generator"), "{}", description.text);
    assert!(description.html.contains("another version of the generator"));
    let unknown = space.describe(&changed, Some(Target::Device("host"))).unwrap().unwrap();
    assert!(unknown.text.contains("It was not compiled: `host` is no CUDA device"), "{}", unknown.text);
}

#[test]
fn a_beginning_that_several_have_is_refused_with_all_of_them() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    // Among 17 digests two begin with the same of 16 digits.
    let texts: Vec<String> = (0..17).map(|number| format!("text {number}")).collect();
    let digests = keep(folder, &texts.iter().map(String::as_str).collect::<Vec<_>>());
    let is_shared = |digest: &&String| digests.iter().filter(|own| own[..1] == digest[..1]).count() > 1;
    let shared = digests.iter().find(is_shared).expect("there are more digests than digits");
    let error = refusal(folder, &[&["nest", "show", &shared[..1]], &STORE[..]].concat(), 1);
    assert!(error.contains(&format!("{shared} (found of gemm)")), "{error}");
    assert!(error.contains("write more of the digest"), "{error}");
}
