//! An evolution of compiled code. Nothing is run here: a price of each instruction stands for the time, and for the
//! right result that of the last store.

use std::collections::HashMap;
use std::path::Path;

use nitro_ptx::{Base, Module, machine_code};
use nitro_search::evolve::{Evolution, EvolvePlan, Fitness, Report, minimise};
use nitro_search::{Ask, Budget, Engine, Failure};

use crate::support::{assemble, ptxas};

/// The first store is overwritten, and the barrier orders nothing.
const WASTEFUL: &str = ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry wasteful(.param .u64 to)\n{\n\
    .reg .b32 %r<9>; .reg .b64 %rd<5>;\n\
    ld.param.u64 %rd1, [to]; cvta.to.global.u64 %rd2, %rd1; mov.u32 %r1, %tid.x; mul.wide.u32 %rd3, %r1, 4;\n\
    add.s64 %rd4, %rd2, %rd3; mul.lo.s32 %r2, %r1, %r1;\n\
    st.volatile.global.u32 [%rd4], %r1; bar.sync 0; st.volatile.global.u32 [%rd4], %r2; ret;\n}\n";

/// Whether the last store is the same, and all that its address and value come from.
fn is_right(text: &str) -> bool {
    let code: Vec<String> = text.lines().map(|line| line.trim().replace(" \t", " ")).collect();
    let last = code.iter().rfind(|line| line.starts_with("st.volatile"));
    let needed = [
        "mov.u32 %r1, %tid.x;",
        "mul.wide.u32 %rd3, %r1, 4;",
        "add.s64 %rd4, %rd2, %rd3;",
        "mul.lo.s32 %r2, %r1, %r1;",
        "cvta.to.global.u64 %rd2, %rd1;",
    ];
    let writers =
        |name: &str| code.iter().filter(|line| line.split_whitespace().nth(1) == Some(name)).count();
    last.is_some_and(|last| last == "st.volatile.global.u32 [%rd4], %r2;")
        && needed.iter().all(|line| code.iter().any(|own| own == line))
        && ["%r1,", "%r2,", "%rd2,", "%rd3,", "%rd4,"].into_iter().all(|name| writers(name) == 1)
}

fn price_ns(text: &str) -> f64 {
    let of_line = |line: &str| match line.trim() {
        line if line.starts_with("st.") => 10.0,
        line if line.starts_with("bar.") => 20.0,
        _ => 1.0,
    };
    text.lines().map(of_line).sum()
}

#[test]
fn planted_waste_is_found_and_minimised_to_exactly_that() {
    let Some(ptxas) = ptxas() else { return };
    (0..3).for_each(|seed| check(&ptxas, seed));
}

fn check(ptxas: &Path, seed: u64) {
    let base = Base::new(Module::parse(WASTEFUL).unwrap());
    let mut codes: HashMap<String, u64> = HashMap::new();
    let plan = EvolvePlan { population: 24, generations: 12, seed, ..EvolvePlan::default() };
    let mut evolution = Engine::new(Evolution::new(base.clone(), plan), Budget::default());
    while let Ok(Ask::Evaluate(trials)) = evolution.ask(8) {
        for trial in trials {
            let text = base.apply(&trial.edits).expect("what is asked for can be made").to_string();
            let code = *codes.entry(text.clone()).or_insert_with_key(|text| {
                let image = assemble(ptxas, text).unwrap_or_else(|error| panic!("{error}\n{text}"));
                machine_code(&image).unwrap().digest()
            });
            let fitness = Fitness { time_ns: price_ns(&text), error: 0.0 };
            let report = match is_right(&text) {
                true => Report::Ran { fitness, code: Some(code) },
                false => Report::Failed(Failure::Wrong),
            };
            evolution.tell(&trial, report).unwrap();
        }
    }
    let best = evolution.proposer().finalists().remove(0);
    // Another text with the same machine code may have been cheaper, and is what the time was taken of.
    let price_of_best_ns = price_ns(&base.apply(&best.edits).expect("it was made").to_string());
    let is_as_good = |edits: &[_]| {
        let text = base.apply(edits).map(|module| module.to_string());
        text.is_ok_and(|text| is_right(&text) && price_ns(&text) <= price_of_best_ns)
    };
    let kept = base.simplified(&minimise(&best.edits, is_as_good));
    let patch = base.patch(&minimise(&kept, is_as_good)).to_string();
    assert_eq!(patch.lines().skip(1).collect::<Vec<_>>(), ["delete b6", "delete b7"], "{patch}");
}
