//! What the tutorial shows is what is in `examples/tutorial`, to the letter.

use std::path::Path;

#[test]
fn the_tutorial_shows_the_files_of_its_project() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |path: &str| std::fs::read_to_string(root.join(path)).expect("the tutorial is there");
    let page = read("docs/tutorial.md");
    let files = [
        ("toml", "Cargo.toml"),
        ("rust", "src/lib.rs"),
        ("rust", "src/main.rs"),
        ("rust", "src/bin/train.rs"),
    ];
    for (language, name) in files {
        let text = read(&format!("examples/tutorial/{name}"));
        let block = format!("`{name}`\n\n```{language}\n{text}```\n");
        assert!(page.contains(&block), "docs/tutorial.md does not show examples/tutorial/{name} as it is");
    }
    let blocks = page.matches("```rust").count() + page.matches("```toml").count();
    assert_eq!(blocks, files.len(), "all code in docs/tutorial.md is of a file");
}
