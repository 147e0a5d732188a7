//! Not a test: shows which tests were left out for want of a tool, and how to get it. Cargo runs test programs in
//! the order of their packages' names, then of their own, so that `cargo test --workspace` ends with this one; only
//! the examples of the documentation come later.

use std::fs;

use nitro_test_support::tools::{TOOLS, Tool};

fn main() {
    let lines: Vec<String> = TOOLS.into_iter().filter_map(line).collect();
    match lines.is_empty() {
        true => println!("no test was left out for want of a tool"),
        false => println!("{}", lines.join("\n")),
    }
}

/// What was left out for want of one tool. The notes are taken away, since the next run makes its own.
fn line(tool: &Tool) -> Option<String> {
    let mut programs: Vec<(String, usize)> = fs::read_dir(tool.notes())
        .ok()?
        .map(|note| {
            let note = note.expect("the folder can be read");
            let count = fs::read_to_string(note.path()).expect("a note can be read");
            (note.file_name().to_string_lossy().into_owned(), count.parse().expect("a note is a number"))
        })
        .collect();
    fs::remove_dir_all(tool.notes()).expect("the folder can be removed");
    programs.sort();
    let all: usize = programs.iter().map(|(_, count)| count).sum();
    let programs: Vec<String> = programs.iter().map(|(name, count)| format!("{count} of {name}")).collect();
    (all > 0)
        .then(|| format!("LEFT OUT: {all} tests, no {} ({}): {}", tool.name, tool.get, programs.join(", ")))
}
