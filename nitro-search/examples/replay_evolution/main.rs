//! Compares the rules of an evolution at equal numbers of evaluations, on landscapes that nobody has to run:
//! `cargo run -p nitro-variants-search --example replay_evolution -- [SEEDS] [MAX_ERROR]
//! [PAYING]`. PAYING is the share of edits that pay among those that nothing suggests and that live.
//!
//! For each number of evaluations it prints how many times as fast the program is with the best patch of an evolution,
//! by its true time: the geometric mean over the seeds, each of which is another landscape.

mod landscape;

use nitro_search::evolve::{Evolution, EvolvePlan, Rules};
use nitro_search::{Ask, Budget, Engine};
use nitro_stats::statistics::geometric_mean;

use self::landscape::Landscape;

/// The numbers of evaluations.
const EVALUATIONS: [usize; 5] = [250, 500, 1000, 2000, 4000];

fn main() {
    let mut arguments = std::env::args().skip(1);
    let seeds = arguments.next().map_or(20, |seeds| seeds.parse().expect("SEEDS is a number"));
    let max_error = arguments.next().map_or(0.0, |error| error.parse().expect("MAX_ERROR is a number"));
    let paying = arguments.next().map_or(0.2, |paying| paying.parse().expect("PAYING is a number"));
    let union = geometric_mean((0..seeds).map(|seed| Landscape::new(seed, 0.0, paying).best_union()));
    println!("best exact union of suggestions: {:.3}x", union.unwrap_or(1.0));
    println!("{:>12} {:>8} {:>8} {:>8}", "evaluations", "paper", "model", "ahead");
    for evaluations in EVALUATIONS {
        let mut speedups = [Vec::new(), Vec::new()];
        let mut ahead = 0;
        for seed in 0..seeds {
            let [paper, model] = [Rules::Paper, Rules::Model]
                .map(|rules| speedup(&Landscape::new(seed, max_error, paying), rules, evaluations, seed));
            speedups[0].push(paper);
            speedups[1].push(model);
            ahead += usize::from(model > paper);
        }
        let [paper, model] = speedups.map(|all| geometric_mean(all).unwrap_or(1.0));
        println!("{evaluations:>12} {paper:>7.3}x {model:>7.3}x {ahead:>4}/{seeds}");
    }
}

/// Evolves a landscape. Returns how many times as fast it is with the fastest patch that was found.
fn speedup(landscape: &Landscape, rules: Rules, evaluations: usize, seed: u64) -> f64 {
    let plan = EvolvePlan {
        population: 64,
        generations: usize::MAX,
        max_error: landscape.max_error,
        seed,
        rules,
        ..EvolvePlan::default()
    };
    let mut evolution = Evolution::new(landscape, plan);
    evolution.limit_screen(evaluations / 4); // as `train evolve` does
    let mut search = Engine::new(evolution, Budget::evaluations(evaluations));
    let mut number = 0;
    while let Ok(Ask::Evaluate(trials)) = search.ask(usize::MAX) {
        for trial in trials {
            let report = landscape.report(search.proposer(), &trial, number);
            search.tell(&trial, report).expect("it was asked");
            number += 1;
        }
    }
    let front = search.proposer().front();
    let fastest = front.last().and_then(|(edits, _)| landscape.truth(edits));
    fastest.map_or(1.0, |(log_time, _)| (-log_time).exp())
}
