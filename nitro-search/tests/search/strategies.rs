//! What every strategy promises, on several spaces.

use std::collections::BTreeSet;

use nitro_search::{Budget, Candidate, Evaluation, Failure, Outcome, Replay, Sources, Strategy};

use crate::fake::{answer, begin, constrained, finish, spaces};

#[test]
fn nothing_is_proposed_twice_or_does_not_exist_and_the_budget_is_kept() {
    for space in spaces() {
        for strategy in Strategy::ALL {
            for evaluations in [1, 23, 10_000] {
                let mut search = begin(&space, strategy, 3, Budget::evaluations(evaluations));
                let proposed = finish(&mut search, &space, 3);
                let distinct: BTreeSet<_> = proposed.iter().collect();
                assert_eq!(distinct.len(), proposed.len(), "{strategy} proposes something twice");
                assert!(proposed.iter().all(|candidate| candidate.index() < space.len()));
                assert_eq!(search.observations().len(), proposed.len());
                let most = evaluations.min(space.len());
                assert!(
                    proposed.len() == most || strategy == Strategy::Climb,
                    "{strategy}: {}",
                    proposed.len()
                );
            }
        }
    }
}

#[test]
fn proposals_depend_on_seed_and_outcomes_alone() {
    for space in spaces() {
        for strategy in Strategy::ALL {
            let run = |seed, room| {
                finish(&mut begin(&space, strategy, seed, Budget::evaluations(60)), &space, room)
            };
            let alone = run(5, 1);
            assert_eq!(alone, run(5, 1), "{strategy}: the same seed");
            assert_eq!(alone, run(5, 4), "{strategy}: four at once");
            let steered = [Strategy::Exhaustive, Strategy::Climb, Strategy::Transfer].contains(&strategy);
            assert!(space.len() == 1 || steered || alone != run(6, 1), "{strategy}: another seed");
        }
    }
}

#[test]
fn from_any_prefix_a_search_goes_on_as_it_would_have() {
    let space = constrained();
    for strategy in Strategy::ALL {
        let whole = finish(&mut begin(&space, strategy, 9, Budget::evaluations(45)), &space, 1);
        let outcome = |&proposal: &Candidate| Outcome { proposal, report: answer(&space, proposal, 1.2) };
        for length in 0..=whole.len() {
            let mut search = begin(&space, strategy, 9, Budget::evaluations(45));
            search.restore(&whole[..length].iter().map(outcome).collect::<Vec<_>>()).unwrap();
            assert_eq!(search.observations().len(), length);
            assert_eq!(finish(&mut search, &space, 2), whole[length..], "{strategy} after {length}");
        }
    }
}

#[test]
fn everything_is_reached_where_the_budget_allows() {
    for space in spaces() {
        for strategy in Strategy::ALL.into_iter().filter(|&strategy| strategy != Strategy::Climb) {
            let proposed = finish(&mut begin(&space, strategy, 1, Budget::default()), &space, 8);
            let distinct: BTreeSet<_> = proposed.into_iter().collect();
            assert!(distinct.into_iter().eq(space.candidates()), "{strategy}");
        }
    }
}

#[test]
fn where_everything_fails_a_search_ends_without_a_best() {
    let space = constrained();
    let failed = vec![Evaluation::Failed(Failure::Compile); space.len()];
    let replay = Replay::new(space.clone(), failed);
    for strategy in Strategy::ALL {
        let figures = replay.figures(strategy, &Sources::default().into(), 50, 2);
        assert_eq!((figures.valid, figures.never_95, figures.evaluations_to_95), (0, 2, None));
        assert!(figures.best_after.values().all(|&share| share == 0.0), "{strategy}");
        let mut search = begin(&space, strategy, 0, Budget::default());
        while let Ok(nitro_search::Ask::Evaluate(candidates)) = search.ask(9) {
            for candidate in candidates {
                search.tell(&candidate, Evaluation::Failed(Failure::Crash)).unwrap();
            }
        }
        assert_eq!(search.best(), None);
    }
}

#[test]
fn what_nobody_asked_for_is_refused_and_changes_nothing() {
    let space = constrained();
    let mut search = begin(&space, Strategy::Exhaustive, 0, Budget::default());
    let first = Candidate::new(0);
    assert!(search.tell(&first, answer(&space, first, 0.0)).is_err());
    assert!(search.ask(1).is_ok());
    assert!(search.tell(&first, Evaluation::TimeNs(f64::NAN)).is_err());
    assert!(search.tell(&first, Evaluation::TimeNs(-1.0)).is_err());
    search.tell(&first, Evaluation::TimeNs(1.0)).unwrap();
    assert!(search.tell(&first, Evaluation::TimeNs(1.0)).is_err());
    assert_eq!(search.observations().len(), 1);
}

#[test]
fn outcomes_of_another_search_are_refused() {
    let space = constrained();
    let outcome = Outcome { proposal: Candidate::new(90), report: Evaluation::TimeNs(1.0) };
    let mut search = begin(&space, Strategy::Climb, 0, Budget::default());
    assert!(search.restore(&[outcome]).unwrap_err().to_string().contains("Candidate(90)"));
}
