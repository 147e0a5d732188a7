//! An evolution on landscapes of small effects.

#[path = "../../examples/replay_evolution/landscape.rs"]
mod landscape;

use nitro_search::evolve::{Evolution, EvolvePlan, Rules};
use nitro_search::{Ask, Budget, Engine};
use nitro_stats::statistics::geometric_mean;

use self::landscape::Landscape;

/// Evolves a landscape with 1,000 evaluations. Returns how many times as fast it truly is then.
fn speedup(landscape: &Landscape, rules: Rules, seed: u64) -> f64 {
    let plan = EvolvePlan {
        population: 64,
        generations: usize::MAX,
        max_error: 0.0,
        seed,
        rules,
        ..EvolvePlan::default()
    };
    let mut search = Engine::new(Evolution::new(landscape, plan), Budget::evaluations(1000));
    let mut number = 0;
    while let Ok(Ask::Evaluate(trials)) = search.ask(usize::MAX) {
        for trial in trials {
            let report = landscape.report(search.proposer(), &trial, number);
            search.tell(&trial, report).unwrap();
            number += 1;
        }
    }
    let (edits, _) = search.proposer().front()[0];
    (-landscape.truth(edits).unwrap().0).exp()
}

#[test]
fn edits_that_pay_less_than_times_vary_are_added_up() {
    let seeds = 100..106;
    let speedups = |rules| {
        let all = seeds.clone().map(|seed| speedup(&Landscape::new(seed, 0.0, 0.02), rules, seed));
        geometric_mean(all).unwrap()
    };
    let union =
        geometric_mean(seeds.clone().map(|seed| Landscape::new(seed, 0.0, 0.02).best_union())).unwrap();
    let (paper, model) = (speedups(Rules::Paper), speedups(Rules::Model));
    assert!(union > 1.05, "there is something to find: {union}");
    assert!(model.ln() > 0.8 * union.ln(), "{model} of {union}");
    assert!(paper.ln() < 0.7 * model.ln(), "the rules of the paper find {paper}, those of the model {model}");
}
