//! A text that was read and written again is the same program.

use nitro_codegen::ptx::{Module, machine_code};

use crate::support::{OTHERS, PROGRAMS, assemble, compile, nvcc, program, ptxas};

/// Compares what ptxas makes of a text before and after, and what a second reading makes of it; the number of instructions.
fn check(ptxas: &std::path::Path, name: &str, text: &str) -> usize {
    let module = Module::parse(text).unwrap_or_else(|error| panic!("{name}: {error}"));
    let printed = module.to_string();
    let again = Module::parse(&printed).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert_eq!(printed, again.to_string(), "{name} is printed as it is read");
    assert_eq!(module.instructions(), again.instructions(), "{name}");
    let before = assemble(ptxas, text).unwrap_or_else(|error| panic!("{name} is none: {error}"));
    let after = assemble(ptxas, &printed).unwrap_or_else(|error| panic!("{name}: {error}\n{printed}"));
    assert!(
        machine_code(&before).is_some() && machine_code(&before) == machine_code(&after),
        "{name} is other machine code"
    );
    module.instructions()
}

#[test]
fn every_program_of_the_tree_stays_the_same_machine_code() {
    let (Some(ptxas), Some(nvcc)) = (ptxas(), nvcc()) else { return };
    let check_all = |programs: &[_]| {
        for (name, source) in programs.iter().map(program) {
            let text = compile(&nvcc, &source);
            assert!(check(&ptxas, &name, &text) > 20, "{name}");
        }
    };
    let (first, second) = PROGRAMS.split_at(PROGRAMS.len() / 2);
    // The compiler takes a second for each.
    std::thread::scope(|scope| {
        scope.spawn(|| check_all(first));
        check_all(second);
    });
}

/// Branches over tables, indirect calls, vectors of registers, scopes with the same names and labels, several statements a line.
#[test]
fn so_does_what_compilers_seldom_write() {
    let Some(ptxas) = ptxas() else { return };
    assert_eq!(check(&ptxas, "others.ptx", OTHERS), 61);
}

/// With `NITRO_PTX_FOLDER`, every `.ptx` in that folder too.
#[test]
fn so_does_what_others_have_compiled() {
    let (Some(ptxas), Some(folder)) = (ptxas(), std::env::var_os("NITRO_PTX_FOLDER")) else { return };
    let mut texts = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "ptx") {
            let text = std::fs::read_to_string(&path).unwrap();
            let instructions = check(&ptxas, &path.display().to_string(), &text);
            eprintln!("{}: {instructions} instructions", path.display());
            texts += 1;
        }
    }
    assert!(texts > 0, "the folder has texts");
}
