//! A text that was read and written again is the same program.

use nitro_ptx::{Module, machine_code};

use crate::support::{OTHERS, PROGRAMS, STYLES, assemble, compile, compile_with, nvcc, program, ptxas};

/// Compares what ptxas makes of a text before and after, and what a second reading makes of it, and has it assemble
/// what is run first; the number of instructions.
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
    let instructions = module.instructions();
    let ends = module.with_deadline(1_000_000).with_bounds().to_string();
    assert!(
        assemble(ptxas, &ends).is_ok(),
        "{name} is code too where its threads end: {:?}",
        assemble(ptxas, &ends).err()
    );
    instructions
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

/// Branches over tables, indirect calls, vectors of registers, scopes with the same names and labels, several
/// statements a line.
#[test]
fn so_does_what_compilers_seldom_write() {
    let Some(ptxas) = ptxas() else { return };
    assert_eq!(check(&ptxas, "others.ptx", OTHERS), 61);
}

/// As Triton, Numba, Julia and TVM write it, with sections of debug information.
#[test]
fn so_does_what_other_compilers_write() {
    let Some(ptxas) = ptxas() else { return };
    assert_eq!(check(&ptxas, "styles.ptx", STYLES), 125);
    let module = Module::parse(STYLES).unwrap();
    for kernel in module.kernel_names() {
        let text = module.kernels(&[kernel]).unwrap().to_string();
        assemble(&ptxas, &text).unwrap_or_else(|error| panic!("{kernel} alone: {error}\n{text}"));
    }
}

/// For debuggers and profilers, without optimisation, for other architectures; classes, tables of functions,
/// textures, inline assembly.
#[test]
fn so_do_other_builds() {
    let (Some(ptxas), Some(nvcc)) = (ptxas(), nvcc()) else { return };
    let builds: [&[&str]; 5] = [
        &["-arch=sm_90", "-G"],
        &["-arch=sm_80", "-lineinfo"],
        &["-arch=sm_90", "-Xcicc", "-O0"],
        &["-arch=sm_75", "-use_fast_math", "-maxrregcount=32"],
        &["-arch=sm_100a"],
    ];
    for options in builds {
        let text = compile_with(&nvcc, include_str!("foreign.cu"), options);
        assert!(check(&ptxas, &options.join(" "), &text) > 500, "{options:?}");
        // Kernels are taken out of it one by one.
        let module = Module::parse(&text).unwrap();
        for kernel in module.kernel_names().filter(|name| name.contains("tables") || name.contains("spilled"))
        {
            let alone = module.kernels(&[kernel]).unwrap();
            let text = alone.to_string();
            assemble(&ptxas, &text)
                .unwrap_or_else(|error| panic!("{kernel} of {options:?}: {error}\n{text}"));
            let is_whole = options.contains(&"-G"); // what debuggers are told names all kernels
            assert_eq!(alone.instructions() == module.instructions(), is_whole, "{kernel} of {options:?}");
        }
    }
}

/// CUB's algorithms, where its headers lie beside the compiler.
#[test]
fn so_does_a_library_of_templates() {
    const CUB: &str = "#include <cub/cub.cuh>\nvoid scan(void *t, size_t &b, int *i, int *o, \
        int n) { cub::DeviceScan::ExclusiveSum(t, b, i, o, n); }\n\
        void sort(void *t, size_t &b, unsigned *k, unsigned *o, int n) { cub::DeviceRadixSort::SortKeys(t, \
        b, k, o, n); }";
    let (Some(ptxas), Some(nvcc)) = (ptxas(), nvcc()) else { return };
    let headers = nvcc.parent().and_then(|bin| Some(bin.parent()?.join("include/cccl")));
    let Some(headers) = headers.filter(|headers| headers.is_dir()) else { return };
    let text = compile_with(&nvcc, CUB, &["-arch=sm_90", "-I", headers.to_str().unwrap()]);
    assert!(check(&ptxas, "CUB", &text) > 1000);
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
