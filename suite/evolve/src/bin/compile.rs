//! Writes every subject, as PTX and workload, and the launch plans into a folder: `compile FOLDER [ARCHITECTURE]`.

use std::process::ExitCode;

use nitro_evolve_subjects::{Subject, ours, plans, planted, subjects};

const USAGE: &str = "usage: compile FOLDER [ARCHITECTURE]

writes NAME.ptx and NAME.toml of every subject, and the launch plans as NAME.plan.json;
the architecture is a compute capability such as 90, the default";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (folder, architecture) = match &arguments[..] {
        [folder] if !folder.starts_with('-') => (folder, Ok(90)),
        [folder, architecture] => (folder, architecture.parse()),
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    let Ok(architecture) = architecture else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    let planted = planted().iter().map(|planted| planted.subject);
    let all: Vec<Subject> = subjects().iter().chain(ours()).copied().chain(planted).collect();
    for subject in &all {
        if let Err(error) = subject.write(folder.as_ref(), architecture) {
            eprintln!("{}: {error}", subject.name);
            return ExitCode::FAILURE;
        }
    }
    for (name, text) in plans() {
        let file = std::path::Path::new(folder).join(format!("{name}.plan.json"));
        if let Err(error) = std::fs::write(&file, text) {
            eprintln!("cannot write {}: {error}", file.display());
            return ExitCode::FAILURE;
        }
    }
    println!("{} subjects are in {folder}; next: train evolve {folder}/{}.ptx", all.len(), all[0].name);
    ExitCode::SUCCESS
}
