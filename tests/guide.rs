//! The guide is whole: every chapter is in its summary, every example is compiled, and no link leads nowhere, here
//! and on the project's other pages.

use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    env!("CARGO_MANIFEST_DIR").into()
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The files of a folder with this ending.
fn files(folder: &str, ending: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(root().join(folder)).expect("the folder is there");
    let paths = entries.map(|entry| entry.expect("it can be read").path());
    paths.filter(|path| path.extension().is_some_and(|found| found == ending)).collect()
}

fn name(path: &Path) -> &str {
    path.file_name().and_then(|name| name.to_str()).expect("names are text")
}

/// A page without its blocks of code.
fn prose(page: &str) -> String {
    page.split("```").step_by(2).collect()
}

/// Where the links and pictures of a page lead, those to other sites aside.
fn links(page: &str) -> Vec<String> {
    let targets = prose(page);
    let targets = targets.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    targets.filter(|target| !target.contains("://")).map(str::to_owned).collect()
}

/// The anchors that renderers of Markdown give to the headings of a page.
fn anchors(page: &str) -> Vec<String> {
    let prose = prose(page);
    let headings = prose.lines().filter(|line| line.starts_with('#'));
    let anchor = |heading: &str| {
        let kept = |letter: &char| letter.is_alphanumeric() || matches!(letter, ' ' | '-' | '_');
        let text: String = heading.trim_start_matches('#').trim().chars().filter(kept).collect();
        text.to_lowercase().replace(' ', "-")
    };
    headings.map(anchor).collect()
}

#[test]
fn every_chapter_is_in_the_summary() {
    let summary = read(&root().join("guide/src/SUMMARY.md"));
    for chapter in files("guide/src", "md") {
        let chapter = name(&chapter);
        assert!(chapter == "SUMMARY.md" || summary.contains(&format!("]({chapter})")), "{chapter}");
    }
}

#[test]
fn every_example_is_compiled() {
    let compiled = read(&root().join("guide/examples.rs"));
    for chapter in files("guide/src", "md") {
        let (page, chapter) = (read(&chapter), name(&chapter));
        assert!(!page.contains("```rust,ignore"), "{chapter} has code that nobody compiles");
        // The tutorial's code is that of its project: `tests/tutorial.rs`.
        if page.contains("```rust") && chapter != "tutorial.md" {
            assert!(compiled.contains(&format!("\"src/{chapter}\"")), "guide/examples.rs lacks {chapter}");
        }
    }
}

#[test]
fn no_link_leads_nowhere() {
    let elsewhere = [
        "models/README.md",
        "examples/everyday/models/README.md",
        "suite/benchmarks/data/matrices/README.md",
    ]
    .map(|page| root().join(page));
    let folders = ["", "docs", "docs/decisions", "guide/src"];
    for page in folders.into_iter().flat_map(|folder| files(folder, "md")).chain(elsewhere) {
        let text = read(&page);
        for link in links(&text) {
            let (file, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let target = if file.is_empty() { page.clone() } else { page.with_file_name(file) };
            let told = format!("{}: {link}", page.display());
            assert!(target.exists(), "{told}");
            assert!(
                anchor.is_empty() || anchors(&read(&target)).iter().any(|known| known == anchor),
                "{told}"
            );
        }
    }
}

/// The paths from the root of the project that a page names as code.
fn named_paths(page: &str) -> Vec<String> {
    let page = prose(page);
    page.split('`').skip(1).step_by(2).filter(|code| is_path_of_ours(code)).map(str::to_owned).collect()
}

/// Returns true for a path below a crate, or below another folder of the project.
fn is_path_of_ours(code: &str) -> bool {
    let is_path = code.chars().all(|sign| sign.is_ascii_alphanumeric() || "/._-".contains(sign));
    let Some((first, _)) = code.split_once('/') else { return false };
    is_path && (first.starts_with("nitro-") || root().join(first).is_dir())
}

#[test]
fn the_architecture_names_files_that_exist() {
    for page in ["ARCHITECTURE.md", "docs/invariants.md"] {
        let named = named_paths(&read(&root().join(page)));
        assert!(named.len() > 50, "{page} names files: {named:?}");
        for path in named {
            assert!(root().join(&path).exists(), "{page}: `{path}`");
        }
    }
}

#[test]
fn the_architecture_has_a_heading_for_each_crate() {
    let page = read(&root().join("ARCHITECTURE.md"));
    let manifest = read(&root().join("Cargo.toml"));
    let (_, members) = manifest.split_once("members = [").expect("a workspace has members");
    let (members, _) = members.split_once(']').expect("a list ends");
    let crates: Vec<&str> = members.split('"').filter(|member| member.starts_with("nitro-")).collect();
    assert!(crates.len() > 5, "{crates:?}");
    for member in crates {
        assert!(page.contains(&format!("\n### `{member}`\n")), "{member}");
    }
}

#[test]
fn every_decision_is_in_the_index() {
    let index = read(&root().join("docs/decisions/README.md"));
    for decision in files("docs/decisions", "md") {
        let decision = name(&decision);
        assert!(decision == "README.md" || index.contains(&format!("]({decision})")), "{decision}");
    }
}

/// What is rendered elsewhere, the guide as a book and the documentation of crates on a site of its own, has no
/// files of the project beside it.
#[test]
fn what_is_rendered_elsewhere_links_to_no_file_of_the_project() {
    for chapter in files("guide/src", "md") {
        let outside = links(&read(&chapter)).into_iter().find(|link| link.starts_with(['.', '/']));
        assert_eq!(outside, None, "{}", chapter.display());
    }
    for source in ["src", "nitro-core/src", "nitro-macros/src", "nitro-cuda/src", "nitro-train/src"] {
        for file in files(source, "rs").into_iter().chain(files(source, "md")) {
            let is_file = |link: &String| link.starts_with("../") || link.ends_with(".md");
            let dead = links(&read(&file)).into_iter().find(is_file);
            assert_eq!(dead, None, "{}", file.display());
        }
    }
}
