//! Whatever a text says, it is refused or run, and the emulator goes on.

use std::time::Instant;

use nitro_ptx::emulate::{Emulator, Fault, Launch, Memory, Options, Races};
use nitro_ptx::{Base, Module};
use nitro_test_support::random::Random;

use super::support::kernels;
use crate::support::OTHERS;

/// Runs all kernels for a while; how many came to an end, and how many were stopped or refused.
fn run(module: &Module, seed: u64) -> [usize; 2] {
    let mut ended = [0; 2];
    let Ok(emulator) = Emulator::new(module) else {
        assert!(!Emulator::unsupported(module).is_empty());
        return [0, 1];
    };
    for (kernel, sizes) in emulator.kernels().filter(|(_, sizes)| sizes.iter().sum::<usize>() < 4096) {
        let mut memory = Memory::new();
        let buffer = memory.allocate(vec![3; 4096]);
        let bytes = |size: &usize| buffer.to_le_bytes().into_iter().cycle().take(*size).collect();
        let parameters: Vec<Vec<u8>> = sizes.iter().map(bytes).collect();
        let options = Options {
            seed,
            max_instructions: 3000,
            races: if seed.is_multiple_of(2) { Races::Listed } else { Races::Refused },
            uninitialised: seed.is_multiple_of(3),
            adversarial: seed.is_multiple_of(5),
            ..Options::default()
        };
        let launch =
            Launch { kernel, grid: [2, 1, 1], block: [72, 1, 1], shared_bytes: 128, parameters: &parameters };
        let done = emulator.launch(&launch, &mut memory, &options);
        ended[usize::from(done.is_err())] += 1;
    }
    ended
}

/// A text with some pieces taken away, repeated, exchanged, or replaced by what is seldom there.
fn changed(text: &str, random: &mut Random) -> String {
    const SELDOM: [&str; 16] = [
        "4294967295",
        "-1",
        "0",
        ".b128",
        ".v4",
        ".f16x2",
        "%laneid",
        "tile",
        "0x7fffffffffffffff",
        "_",
        "{",
        ".align 0",
        "[",
        "@!%p1",
        ".shared .b8 z[99999999999];",
        "call (%r1), others, (%r1);",
    ];
    let mut words: Vec<&str> = text.split_inclusive([' ', '\n', '\t', ',', ';']).collect();
    for _ in 0..1 + random.below(4) {
        let at = random.below(words.len() as u64) as usize;
        let other = random.below(words.len() as u64) as usize;
        match random.below(4) {
            0 => words[at] = "",
            1 => words[at] = words[other],
            2 => words.swap(at, other),
            _ => words.insert(at, SELDOM[random.below(SELDOM.len() as u64) as usize]),
        }
    }
    words.concat()
}

#[test]
fn texts_that_somebody_has_broken() {
    let mut random = Random::new(1);
    let mut ended = [0; 2];
    for seed in 0..3000 {
        if let Ok(module) = Module::parse(&changed(OTHERS, &mut random)) {
            let now = run(&module, seed);
            ended = [ended[0] + now[0], ended[1] + now[1]];
        }
    }
    assert!(ended[1] > 500, "{ended:?} of them are still texts");
}

#[test]
fn random_edits_of_compiled_kernels() {
    let Some(module) = kernels() else { return };
    let mut ended = [0; 2];
    for kernel in ["reduce", "scan", "multiply", "integers", "calls", "warps"] {
        let base = Base::new(module.kernels(&[kernel]).unwrap());
        for seed in 0..60 {
            let mut edits = Vec::new();
            for step in 0..1 + seed % 4 {
                edits.extend(base.mutate(&edits, seed * 10 + step));
            }
            let edited = base.apply(&edits).unwrap();
            let now = run(&edited, seed);
            ended = [ended[0] + now[0], ended[1] + now[1]];
        }
    }
    assert!(ended[0] > 20 && ended[1] > 20, "{ended:?}");
}

#[test]
fn declarations_that_take_more_than_there_is() {
    let refused = |declarations: &str| {
        let text = format!("{declarations}\n.visible .entry k() {{ ret; }}");
        Emulator::new(&Module::parse(&text).unwrap()).err().map(|unsupported| unsupported.to_string())
    };
    assert!(refused(".global .b8 x[4];").is_none());
    for declarations in [
        ".global .b8 x[2000000000];",
        ".global .b64 x[4000000000][4000000000];",
        ".global .b8 a[600000000]; .global .b8 b[600000000];",
        ".shared .b8 x[300000];",
        ".shared .b8 a[230000], b[230000], c[230000], d[230000], e[230000];",
        ".global .align 3 .b8 x[4];",
        ".global .b8 x[2] = {1, 2, 3};",
        ".global .u64 x = nothing;",
    ] {
        let sentence = refused(declarations).unwrap_or_else(|| panic!("{declarations} is taken"));
        assert!(sentence.starts_with("the module cannot be emulated: "), "{sentence}");
    }
    let body = |body: &str| {
        let module = Module::parse(&format!(".visible .entry k() {{ {body} ret; }}")).unwrap();
        Emulator::unsupported(&module).first().map(ToString::to_string)
    };
    assert!(body(".local .b8 x[600000];").unwrap().ends_with("`x` is more local memory than a thread has"));
    assert!(body(".reg .b128 %q; mov.b128 %q, %q;").is_some());
}

/// A function that calls itself without end is stopped before memory is.
#[test]
fn endless_recursion() {
    let text = ".func f() { .local .b8 own[4096]; call f; ret; }\n.visible .entry k() { call f; ret; }";
    let emulator = Emulator::new(&Module::parse(text).unwrap()).unwrap();
    let launch = Launch { kernel: "k", grid: [1; 3], block: [64, 1, 1], shared_bytes: 0, parameters: &[] };
    let fault = emulator.launch(&launch, &mut Memory::new(), &Options::default()).unwrap_err();
    assert!(
        fault.to_string().ends_with("cannot call: too many functions are called inside of each other"),
        "{fault}"
    );
}

#[test]
fn a_launch_that_never_ends_is_given_up_when_its_time_is_over() {
    let module = Module::parse(".entry k() { L: bra L; }").unwrap();
    let emulator = Emulator::new(&module).unwrap();
    let launch = Launch { kernel: "k", grid: [1; 3], block: [32, 1, 1], shared_bytes: 0, parameters: &[] };
    let until = |deadline: Option<Instant>| {
        let options = Options { max_instructions: 5000, deadline, ..Options::default() };
        emulator.launch(&launch, &mut Memory::new(), &options).unwrap_err()
    };
    assert!(matches!(until(None), Fault::Endless { most: 5000, .. }));
    assert_eq!(until(Some(Instant::now())), Fault::Late { instructions: 0 });
}
