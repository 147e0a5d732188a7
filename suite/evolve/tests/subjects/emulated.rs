//! At small sizes on the CPU, with every access checked.

use std::sync::LazyLock;

use nitro_evolve::Set;
use nitro_evolve::workload::{InputBuffer, Role};
use nitro_evolve_subjects::{Subject, subjects};
use nitro_ptx::emulate::{Emulator, Fault, Launch, Memory, Options, Races};
use nitro_ptx::{Module, Violation};

use crate::case::{Case, small, workload};
use crate::expected::compare;
use crate::references::reference;
use crate::{all, ptx};

/// Inputs of one block and of several, at the edges of what the kernels take at once, and degenerate ones.
const INPUTS: [(&str, &[&str]); 23] = [
    (
        "backprop",
        &[
            "blocks=3, epochs=2, target=0.2",
            "blocks=1, epochs=1, target=0.9, seed=1",
            "blocks=257, epochs=1, target=0.5, seed=2",
        ],
    ),
    (
        "bfs",
        &[
            "nodes=700, degree=3, levels=5, source=17",
            "nodes=257, degree=2, levels=20, source=256, seed=1",
            "nodes=1, degree=1, levels=2, source=0",
            "nodes=31, degree=4, levels=0, source=3",
        ],
    ),
    (
        "cfd",
        &[
            "width=20, height=11, steps=2, mach=0.6",
            "width=1, height=1, steps=3, mach=1.2, seed=1",
            "width=3, height=2, steps=4, mach=0.3, seed=2",
            "width=193, height=1, steps=1, mach=0.9",
        ],
    ),
    ("gaussian", &["size=37", "size=16, seed=1", "size=1", "size=2", "size=33, seed=2"]),
    (
        "hotspot",
        &[
            "rows=20, columns=37, height=1, steps=3",
            "rows=33, columns=17, height=3, steps=7, seed=1",
            "rows=9, columns=11, height=7, steps=9, seed=2",
            "rows=1, columns=1, height=2, steps=2",
            "rows=1, columns=40, height=6, steps=1",
            "rows=5, columns=5, height=4, steps=0",
        ],
    ),
    (
        "kmeans",
        &[
            "count=300, dimensions=5, clusters=4, steps=3",
            "count=256, dimensions=1, clusters=7, steps=2, seed=1",
            "count=1, dimensions=3, clusters=2, steps=1",
        ],
    ),
    ("lavamd", &["width=2, height=1, depth=2, alpha=0.5", "width=1, height=1, depth=1, alpha=1, seed=1"]),
    ("lud", &["blocks=1", "blocks=2, seed=1", "blocks=4, seed=2"]),
    (
        "nn",
        &[
            "places_count=300, targets_count=3",
            "places_count=1, targets_count=1",
            "places_count=256, targets_count=2",
        ],
    ),
    (
        "nw",
        &[
            "rows=40, columns=23, penalty=3",
            "rows=16, columns=48, penalty=10, seed=1",
            "rows=1, columns=1, penalty=10",
            "rows=33, columns=1, penalty=0",
        ],
    ),
    (
        "particlefilter",
        &[
            "size=32, frames=4, particles=77, first_random=1",
            "size=24, frames=2, particles=600, first_random=2",
            "size=16, frames=3, particles=1, first_random=3",
        ],
    ),
    (
        "pathfinder",
        &[
            "columns=700, rows=11, height=5",
            "columns=164, rows=46, height=46, seed=1",
            "columns=1, rows=3, height=2",
            "columns=255, rows=1, height=10",
        ],
    ),
    (
        "srad",
        &[
            "rows=20, columns=37, steps=3, lambda=0.5",
            "rows=1, columns=7, steps=2, lambda=0.7",
            "rows=40, columns=1, steps=2, lambda=0.5",
            "rows=16, columns=16, steps=0, lambda=0.5",
        ],
    ),
    (
        "streamcluster",
        &[
            "points=300, dimensions=5, candidates=9, price=60",
            "points=257, dimensions=3, candidates=12, price=5, seed=1",
            "points=1, dimensions=1, candidates=1, price=1",
            "points=40, dimensions=300, candidates=2, price=1",
        ],
    ),
    (
        "svm",
        &[
            "samples=300, dimensions=4, steps=60, limit=10, spread=0.7, others_count=200",
            "samples=2, dimensions=1, steps=3, limit=1, spread=0.1, others_count=10",
            "samples=256, dimensions=2, steps=20, limit=1, spread=0.5, others_count=1, seed=1",
        ],
    ),
    (
        "gemm_tiled",
        &[
            "rows=70, columns=65, inner=20, alpha=1.5, beta=0.5",
            "rows=64, columns=64, inner=8, alpha=1, beta=0, seed=1",
            "rows=1, columns=3, inner=1, alpha=2, beta=1",
        ],
    ),
    (
        "histogram",
        &[
            "pixels=10007, shades=256",
            "pixels=4096, shades=2, seed=1",
            "pixels=1, shades=9",
            "pixels=17, shades=1",
        ],
    ),
    (
        "mv_mul",
        &["rows=9, columns=132", "rows=13, columns=131, seed=1", "rows=1, columns=1", "rows=4, columns=700"],
    ),
    (
        "sort",
        &[
            "count=9000, most=4294967295",
            "count=23040, most=7, seed=1",
            "count=3840, most=99",
            "count=1, most=5",
        ],
    ),
    (
        "spmv",
        &[
            "rows=100, width=50, degree=7",
            "rows=33, width=400, degree=40, seed=1",
            "rows=1, width=1, degree=1",
        ],
    ),
    (
        "transpose",
        &["rows=70, columns=33", "rows=64, columns=32, seed=1", "rows=1, columns=1", "rows=2, columns=95"],
    ),
    ("planted", &["blocks=3, steps=20", "blocks=1, steps=0", "blocks=1, steps=1, seed=1"]),
    (
        "trap",
        &["blocks=2, threads=32, steps=20", "blocks=2, threads=100, steps=9", "blocks=3, threads=1, steps=3"],
    ),
];

/// What the buffers hold after all launches, or what went wrong.
pub fn run(emulator: &Emulator, case: &Case, options: &Options) -> Result<Vec<Vec<u8>>, Fault> {
    run_in(&mut Memory::new(), emulator, case, options)
}

/// Where the buffers of a case are put first.
fn run_in(
    memory: &mut Memory,
    emulator: &Emulator,
    case: &Case,
    options: &Options,
) -> Result<Vec<Vec<u8>>, Fault> {
    let upload = |buffer: &InputBuffer| match buffer.role {
        Role::In | Role::InOut => memory.allocate(buffer.bytes.clone()),
        Role::Out | Role::Scratch => memory.allocate_uninitialised(buffer.bytes.len()),
    };
    let addresses: Vec<u64> = case.inputs.buffers.iter().map(upload).collect();
    for launch in case.inputs.launches.iter().chain(&case.inputs.judge) {
        let parameters: Vec<Vec<u8>> =
            launch.arguments.iter().map(|argument| argument.bytes(&addresses)).collect();
        let (grid, block, shared_bytes) = (launch.grid, launch.block, launch.shared_bytes);
        let launch = Launch { kernel: &launch.kernel, grid, block, shared_bytes, parameters: &parameters };
        emulator.launch(&launch, memory, options)?;
    }
    Ok(addresses.iter().map(|&address| memory.bytes(address).to_vec()).collect())
}

pub fn emulator(ptx: &str) -> Emulator {
    let module = Module::parse(ptx).unwrap_or_else(|error| panic!("{error}"));
    Emulator::new(&module).unwrap_or_else(|error| panic!("{error}"))
}

/// Every access is checked, and threads come in the worst order.
pub static STRICT: LazyLock<Options> = LazyLock::new(|| Options {
    seed: 7,
    same_value_races: true,
    uninitialised: true,
    adversarial: true,
    ..Options::default()
});

/// As strict, for kernels that read shared memory which nobody wrote and use nothing of it.
pub static READS_AHEAD: LazyLock<Options> = LazyLock::new(|| Options { uninitialised: false, ..*STRICT });

fn check(name: &str) {
    let subject = all().find(|subject| subject.name == name).unwrap();
    let Some(ptx) = ptx(subject) else { return };
    let emulator = emulator(&ptx);
    let (_, inputs) = INPUTS.iter().find(|(other, _)| *other == name).unwrap();
    let options = match name {
        "sort" => &READS_AHEAD, // merging reads the next key before it knows whether there is one
        _ => &STRICT,
    };
    for numbers in *inputs {
        check_with(&emulator, &small(subject, numbers), name, options);
    }
}

fn check_with(emulator: &Emulator, case: &Case, name: &str, options: &Options) {
    let found = run(emulator, case, options).unwrap_or_else(|fault| panic!("{}: {fault}", case.name));
    compare(case, &reference(name)(case), &found);
}

/// All inputs of the workload, without a look at races.
fn check_at_size(name: &str) {
    let subject = all().find(|subject| subject.name == name).unwrap();
    let Some(ptx) = ptx(subject) else { return };
    let (emulator, workload) = (emulator(&ptx), workload(subject));
    let options = Options { races: Races::Ignored, max_instructions: 1 << 40, ..Options::default() };
    for set in [Set::Search, Set::Validation, Set::Test] {
        for number in 0..workload.cases(set) {
            check_with(&emulator, &Case::new(subject, &workload, set, number), name, &options);
        }
    }
}

macro_rules! checks {
    ($($name:ident)*) => {
        $(#[test] fn $name() { check(stringify!($name)); })*

        mod at_size {
            $(#[test] #[ignore = "takes minutes"] fn $name() { super::check_at_size(stringify!($name)); })*
        }

        #[test]
        fn all_subjects_are_checked() {
            let mut all: Vec<&str> = all().map(|subject| subject.name).collect();
            all.sort_unstable();
            assert_eq!(all, [$(stringify!($name)),*]);
        }
    };
}

checks!(backprop bfs cfd gaussian gemm_tiled histogram hotspot kmeans lavamd lud mv_mul nn nw particlefilter pathfinder planted sort spmv srad streamcluster svm transpose trap);

/// The second reduction of the trainer has one number for each block of the first, so that only many blocks show
/// whether it is right.
#[test]
fn svm_of_many_blocks() {
    let subject = all().find(|subject| subject.name == "svm").unwrap();
    let Some(ptx) = ptx(subject) else { return };
    let numbers = "samples=65537, dimensions=1, steps=1, limit=1, spread=0.5, others_count=1";
    check_with(&emulator(&ptx), &small(subject, numbers), "svm", &STRICT);
}

/// In the ordinary subjects there is a race without one of their barriers, but for a few that careful authors write.
#[test]
fn few_barriers_are_needless() {
    for subject in subjects() {
        let Some(ptx) = ptx(subject) else { return };
        let known = match subject.name {
            "backprop" => 5, // after each line that touches shared memory, and what is unrolled; one beside global memory
            "kmeans" => 1,   // before a loop in which each thread has its own element
            "lavamd" => 1,   // after what each thread reads alone
            "nw" => 1,       // the last of a loop, which the compiler has unrolled
            "svm" => 7, // of the second reduction, which has one number for each block: needed by inputs of hundreds of blocks
            _ => 0,
        };
        assert_eq!(without_race(subject, &ptx), known, "{}", subject.name);
    }
}

/// How many barriers a text has without which no small input is a race.
fn without_race(subject: &Subject, ptx: &str) -> usize {
    let (_, inputs) = INPUTS.iter().find(|(other, _)| *other == subject.name).unwrap();
    let cases: Vec<Case> = inputs.iter().map(|numbers| small(subject, numbers)).collect();
    let is_unneeded = |at: &usize| {
        let end = at + ptx[*at..].find(';').unwrap();
        let emulator = emulator(&format!("{}{}", &ptx[..*at], &ptx[end + 1..]));
        cases.iter().all(|case| run(&emulator, case, &STRICT).is_ok())
    };
    ptx.match_indices("bar.sync").map(|(at, _)| at).filter(is_unneeded).count()
}

/// What a candidate runs first is the original with looks at its accesses: where these object to the original
/// itself, candidates cost a worker each.
#[test]
fn no_original_is_ended_in_its_first_run() {
    for subject in all() {
        let Some(ptx) = ptx(subject) else { return };
        let (_, inputs) = INPUTS.iter().find(|(other, _)| *other == subject.name).unwrap();
        let module = Module::parse(&ptx).unwrap().with_deadline(1 << 40).with_bounds().to_string();
        let options = Options { races: Races::Ignored, max_instructions: 1 << 32, ..Options::default() };
        for numbers in *inputs {
            let case = small(subject, numbers);
            if case.inputs.launches.iter().any(|launch| launch.shared_bytes > 0) {
                continue; // the emulator has such memory apart, so that its size says nothing of where it is
            }
            // Buffers come first, so that they are where they are here.
            let mut memory = Memory::new();
            let buffers = case.inputs.buffers.iter();
            let ranges: Vec<(u64, u64)> = buffers
                .map(|buffer| (memory.allocate(buffer.bytes.clone()), buffer.bytes.len() as u64))
                .collect();
            let table = Module::bounds_table(&ranges).unwrap();
            let words = table.as_chunks().0.iter().map(|bytes| u64::from_le_bytes(*bytes).to_string());
            let table =
                format!("{}[129] = {{ {} }}", Module::BOUNDS_VARIABLE, words.collect::<Vec<_>>().join(", "));
            let bounded =
                emulator(&module.replace(&format!("{}[129] = {{ 0 }}", Module::BOUNDS_VARIABLE), &table));
            let mut memory = Memory::new();
            let found = run_in(&mut memory, &bounded, &case, &options)
                .unwrap_or_else(|fault| panic!("{}: {fault}", case.name));
            // Without a launch there is no variable.
            let value = bounded.variable(Violation::VARIABLE, &memory).unwrap_or(&[0; 4]);
            let violation = Violation::of(u32::from_le_bytes(value.try_into().unwrap()));
            assert_eq!(violation, None, "{}", case.name);
            compare(&case, &reference(subject.name)(&case), &found);
        }
    }
}
