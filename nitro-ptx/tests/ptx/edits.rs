//! Random edits of compiled kernels: always the same text, always one that the assembler takes.

use std::path::Path;
use std::time::Instant;

use nitro_ptx::{Base, Edit, Module, Operation, Patch, Proposal, Reach, Reason, machine_code};

use crate::support::{OTHERS, PROGRAMS, STYLES, assemble, compile, nvcc, program, ptxas};

/// Kernels of different kinds: with shared memory and barriers, loops that are unrolled, switches, calls, scopes,
/// shuffles.
const KERNELS: [(&str, &str); 5] = [
    ("block_sum.cu reduction.cu", "reduce"),
    ("transpose_coalesced.cu", "transpose"),
    ("matrix_mul.cu", "multiply"),
    ("varied.cu", "branches"),
    ("varied.cu", "calls"),
];

fn base(nvcc: &Path, file: &str, kernel: &str) -> Base {
    let (name, source) = PROGRAMS.iter().map(program).find(|(name, _)| name.ends_with(file)).unwrap();
    let module = Module::parse(&compile(nvcc, &source)).unwrap_or_else(|error| panic!("{name}: {error}"));
    Base::new(module.kernels(&[kernel]).unwrap())
}

/// Individuals of up to so many edits, each made of the one before.
fn individual(base: &Base, length: usize, seed: u64) -> Vec<Edit> {
    let mut edits = Vec::new();
    for step in 0..length {
        edits.extend(base.mutate(&edits, seed * 1000 + step as u64));
    }
    edits
}

#[derive(Default)]
struct Counted {
    edits: usize,
    candidates: usize,
    same: usize,
    refused: Vec<String>,
    seconds_making: f64,
    seconds_assembling: f64,
}

/// Makes individuals until there are so many edits; every promise but the assembler's is checked here.
fn mutate(base: &Base, ptxas: &Path, edits: usize) -> Counted {
    let original = machine_code(&assemble(ptxas, &base.module().to_string()).unwrap());
    let mut counted = Counted::default();
    for seed in 0.. {
        if counted.edits >= edits {
            break;
        }
        let begun = Instant::now();
        let made = individual(base, 1 + seed as usize % 5, seed);
        let text =
            base.apply(&made).unwrap_or_else(|error| panic!("{error}\n{}", base.patch(&made))).to_string();
        counted.seconds_making += begun.elapsed().as_secs_f64();
        assert!(!made.is_empty(), "some edit is found");
        counted.edits += made.len();
        counted.candidates += 1;
        let begun = Instant::now();
        match assemble(ptxas, &text) {
            Ok(image) => counted.same += usize::from(machine_code(&image) == original),
            Err(error) => counted.refused.push(format!("{error}\n{}", base.patch(&made))),
        }
        counted.seconds_assembling += begun.elapsed().as_secs_f64();

        let patch = base.patch(&made);
        let read: Patch = patch.to_string().parse().unwrap_or_else(|error| panic!("{error}\n{patch}"));
        assert_eq!(read, patch, "what was written is read");
        let mut other_order = base.check(&read).unwrap().edits.clone();
        other_order.reverse();
        assert_eq!(
            base.apply(&other_order).unwrap().to_string(),
            text,
            "and is the same text in any order\n{patch}"
        );
        if seed % 7 == 0 {
            assert_eq!(individual(base, 1 + seed as usize % 5, seed), made, "the same seed, the same edits");
        }
    }
    counted
}

fn check((file, kernel): (&str, &str), edits: usize) {
    let (Some(ptxas), Some(nvcc)) = (ptxas(), nvcc()) else { return };
    check_base(&ptxas, kernel, &base(&nvcc, file, kernel), edits);
}

/// With the edits that the text suggests among those that are drawn, as an evolution draws them, and warps'
/// barriers, as if blocks were small.
fn check_base(ptxas: &Path, kernel: &str, base: &Base, edits: usize) {
    let warps = base.barriers().into_iter().flatten().map(|id| Operation::WarpBarrier(Reach::at(id)));
    let warps = warps.map(|operation| Proposal::new(Reason::Warp, operation));
    let base = &base.clone().proposing(base.rewrites().into_iter().chain(warps));
    let counted = mutate(base, ptxas, edits);
    eprintln!(
        "{kernel}: {} instructions, {} edits in {} candidates, {} refused by ptxas, {} with the same machine code; \
         {:.1} ms a candidate to make, {:.1} ms to assemble",
        base.module().instructions(),
        counted.edits,
        counted.candidates,
        counted.refused.len(),
        counted.same,
        counted.seconds_making * 1e3 / counted.candidates as f64,
        counted.seconds_assembling * 1e3 / counted.candidates as f64,
    );
    let refused = &counted.refused;
    assert!(refused.is_empty(), "{kernel}: {} refused, one of them:\n{}", refused.len(), refused[0]);
    assert!(counted.same < counted.candidates, "{kernel}: edits change something");
}

#[test]
fn repaired_edits_are_taken_by_the_assembler() {
    KERNELS.into_iter().for_each(|kernel| check(kernel, 60));
}

#[test]
fn so_are_those_of_what_compilers_seldom_write() {
    let Some(ptxas) = ptxas() else { return };
    check_base(&ptxas, "others", &Base::new(Module::parse(OTHERS).unwrap()), 120);
    check_base(&ptxas, "styles", &Base::new(Module::parse(STYLES).unwrap()), 120);
}

/// With `NITRO_PTX_FOLDER`, every kernel of every `.ptx` in that folder.
#[test]
fn so_are_those_of_what_others_have_compiled() {
    let (Some(ptxas), Some(folder)) = (ptxas(), std::env::var_os("NITRO_PTX_FOLDER")) else { return };
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "ptx") {
            let module = Module::parse(&std::fs::read_to_string(&path).unwrap()).unwrap();
            let kernels = module.functions().filter_map(|name| Some((name, module.kernels(&[name])?)));
            for (name, kernel) in kernels.filter(|(_, kernel)| kernel.instructions() > 20) {
                check_base(&ptxas, name, &Base::new(kernel).editing(&[name]), 40);
            }
        }
    }
}

/// Kernels by number, since each takes minutes.
mod ten_thousand {
    use super::{KERNELS, check};

    macro_rules! kernels {
        ($($name:ident: $number:literal),*) => { $(
            #[test]
            #[ignore = "takes minutes; with `--release -- --ignored --nocapture ten_thousand`"]
            fn $name() {
                check(KERNELS[$number], 10_000);
            }
        )* };
    }
    kernels!(of_reduce: 0, of_transpose: 1, of_multiply: 2, of_branches: 3, of_calls: 4);
}
