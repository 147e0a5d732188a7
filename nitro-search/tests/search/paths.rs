//! What a search of paths promises, whoever proposes.

use std::collections::BTreeSet;

use nitro_search::{
    Ants, Ask, Crossing, Decision, Decisions, Failure, NodeKey, Observation, PartReport, Path, Report, Step,
    StopReason, WalkError,
};

use crate::kernels::{Kernels, Walker, answer, begin, finish};

fn strategies() -> [Walker; 4] {
    let [all, base] = [Ants::default(), Ants::base()].map(Walker::Colony);
    [Walker::Random, Walker::Genetic, all, base]
}

fn options(path: &[Crossing]) -> Vec<usize> {
    path.iter().map(|crossing| crossing.option).collect()
}

#[test]
fn a_path_takes_what_is_allowed_to_its_end_and_none_comes_twice() {
    for strategy in strategies() {
        let proposed = finish(&mut begin(Kernels::default(), &strategy, 5, 300), 7, answer);
        let distinct: BTreeSet<_> = proposed.iter().map(|path| options(path)).collect();
        assert_eq!((proposed.len(), distinct.len()), (300, 300));
        for path in &proposed {
            for (at, crossing) in path.iter().enumerate() {
                let Step::Choose(decision) = Kernels::default().next(&path[..at]) else {
                    panic!("it ended before")
                };
                assert!(decision.key == crossing.node && decision.part == crossing.part);
                assert!(decision.allowed[crossing.option]);
            }
            assert_eq!(Kernels::default().next(path), Step::Complete);
        }
    }
}

#[test]
fn proposals_depend_on_seed_and_outcomes_alone() {
    for strategy in strategies() {
        let run = |seed, room| {
            let mut search = begin(Kernels::default(), &strategy, seed, 60);
            finish(&mut search, room, answer)
        };
        assert_eq!(run(1, 1), run(1, 1));
        assert_eq!(run(1, 1), run(1, 4), "four at once");
        assert_ne!(run(1, 1), run(2, 1), "another seed");
    }
}

#[test]
fn from_any_prefix_a_search_goes_on_as_it_would_have() {
    for strategy in strategies() {
        let begun = || begin(Kernels::default(), &strategy, 9, 45);
        let whole = finish(&mut begun(), 1, answer);
        let outcome = |path: &Path| Observation { proposal: path.clone(), report: answer(path) };
        for length in 0..=whole.len() {
            let mut search = begun();
            let mut kept: Vec<Observation<Path, Report>> = whole[..length].iter().map(outcome).collect();
            kept.reverse();
            let text = serde_json::to_string(&kept).unwrap();
            let kept: Vec<Observation<Path, Report>> = serde_json::from_str(&text).unwrap();
            search.restore(&kept).unwrap();
            assert_eq!(search.observations().len(), length);
            assert_eq!(finish(&mut search, 2, answer), whole[length..], "after {length}");
        }
    }
}

#[test]
fn outcomes_of_another_search_and_what_is_no_number_are_refused() {
    let begun = |seed| begin(Kernels::default(), &Walker::Random, seed, 20);
    let mut other = begun(1);
    finish(&mut other, 1, answer);
    let refused = begun(2).restore(other.observations()).unwrap_err().to_string();
    assert!(refused.contains("the path ") && refused.contains("is none of this search's"), "{refused}");

    let mut search = begun(1);
    let Ask::Evaluate(proposals) = search.ask(1).unwrap() else { panic!("there is something to evaluate") };
    let path = &proposals[0];
    assert!(search.tell(path, Report::time_ns(f64::NAN)).is_err());
    let mut report = Report::time_ns(1.0);
    report.parts.push(PartReport { part: "kernel".into(), time_ns: -1.0, metrics: [].into() });
    let refused = search.tell(path, report).unwrap_err().to_string();
    assert!(refused.contains("-1 as its time of kernel"), "{refused}");
    search.tell(path, Report::time_ns(1.0)).unwrap();
    assert!(search.tell(path, Report::time_ns(1.0)).is_err(), "told before");
    assert_eq!(search.observations().len(), 1);
}

/// `depth` choices of two options each; only paths whose last choices are all 1 can be completed.
struct Narrow {
    depth: usize,
    ones: usize,
}

impl Decisions for Narrow {
    fn next(&self, path: &[Crossing]) -> Step {
        if path.len() < self.depth {
            return Step::Choose(Decision::new(NodeKey::new("bit").shape([path.len() as i64]), 2));
        }
        let complete = path.iter().rev().take(self.ones).all(|crossing| crossing.option == 1);
        if complete { Step::Complete } else { Step::DeadEnd("a bit is 0".into()) }
    }
}

#[test]
fn every_path_is_found_behind_dead_ends_and_then_the_search_is_over() {
    for strategy in strategies() {
        let mut search = begin(Narrow { depth: 9, ones: 5 }, &strategy, 1, 1000);
        let proposed = finish(&mut search, 3, |path| Report::time_ns(1.0 + path[0].option as f64));
        assert_eq!(proposed.len(), 16);
        assert_eq!(search.ask(1).unwrap(), Ask::Done(StopReason::Exhausted));
        assert_eq!(search.best().unwrap().proposal[0].option, 0);
    }
}

#[test]
fn a_space_without_a_path_is_an_error_that_says_why() {
    for strategy in strategies() {
        let none = Narrow { depth: 3, ones: 9 };
        let next = |path: &[Crossing]| match none.next(path) {
            Step::Complete => Step::DeadEnd("nothing fits".into()),
            step => step,
        };
        let refused = begin(By(next), &strategy, 1, 5).ask(1).unwrap_err();
        assert!(matches!(refused, WalkError::NoPath { .. }), "{refused}");
        let many = begin(Narrow { depth: 60, ones: 60 }, &strategy, 1, 5).ask(1);
        assert!(
            many.unwrap_err().to_string().contains("because a bit is 0"),
            "it is given up after some steps"
        );
        let closed = |_: &[Crossing]| Step::Choose(Decision::new(NodeKey::new("shut"), 3).only(|_| false));
        let refused = begin(By(closed), &strategy, 1, 5).ask(1).unwrap_err().to_string();
        assert!(refused.contains("no option was allowed"), "{refused}");
    }
}

/// A space by a function.
struct By<F>(F);

impl<F: Fn(&[Crossing]) -> Step + Sync> Decisions for By<F> {
    fn next(&self, path: &[Crossing]) -> Step {
        (self.0)(path)
    }

    fn longest(&self) -> usize {
        20
    }
}

#[test]
fn what_never_ends_and_what_changes_its_options_is_an_error_that_names_the_node() {
    let around = |_: &[Crossing]| Step::Choose(Decision::new(NodeKey::new("again").statements([7]), 2));
    for strategy in strategies() {
        let refused = begin(By(around), &strategy, 1, 5).ask(1).unwrap_err();
        assert_eq!(refused, WalkError::Endless { longest: 20, key: NodeKey::new("again").statements([7]) });
        assert!(refused.to_string().contains("more than 20 choices, the last at `again{7}`"), "{refused}");
    }
    let growing = |path: &[Crossing]| match path.len() {
        4 => Step::Complete,
        passed => Step::Choose(Decision::new(NodeKey::new("node"), 2 + passed)),
    };
    let colony = Walker::Colony(Ants::default());
    let refused = begin(By(growing), &colony, 1, 5).ask(1).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "the node `node` had 2 options, and now has 3: nodes of other options need another key"
    );
}

#[test]
fn a_space_where_nothing_is_to_be_decided_has_one_path() {
    for strategy in strategies() {
        let mut search = begin(By(|_: &[Crossing]| Step::Complete), &strategy, 1, 5);
        assert_eq!(finish(&mut search, 3, |_| Report::time_ns(1.0)).len(), 1);
    }
}

#[test]
fn what_is_skipped_costs_no_evaluation_up_to_ten_for_each_of_the_budget() {
    for strategy in strategies() {
        let begun = || begin(Kernels::default(), &strategy, 5, 20);
        let skipped = |_: &[Crossing]| Report::failed(Failure::Skipped);
        let mut search = begun();
        assert_eq!(finish(&mut search, 7, skipped).len(), 20 + 200, "then it ends");
        assert!(search.best().is_none());
        let half = |path: &[Crossing]| if path[0].option == 0 { skipped(path) } else { answer(path) };
        let proposed = finish(&mut begun(), 7, half);
        let ran = proposed.iter().filter(|own| half(own) != skipped(own)).count();
        assert!(ran == 20 && proposed.len() > 20, "{ran} of {} were run", proposed.len());
    }
}
