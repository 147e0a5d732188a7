//! The search that proves, as a trainer drives it: by texts, times, and what a store knows of an earlier search.

use nitro_decide::{DecidedSpace, Limits, LowerBound, TileSizes};
use nitro_search::{
    Ask, Budget, Engine, Evaluation, Failure, Generator, Observation, ProofPlan, Prover, StopReason,
    TellError,
};

use crate::bounds::{h200, h200_feature};

type Known = Observation<String, Evaluation>;

fn space() -> DecidedSpace {
    DecidedSpace::axpy(1 << 16, &TileSizes::reduced(), &Limits::default()).unwrap()
}

fn begin(space: &DecidedSpace, percent: f64) -> Engine<Prover<'_>> {
    Engine::new(
        space.prover(&h200_feature, &ProofPlan { within_percent: percent, seed: 3, classes: false }).unwrap(),
        Budget::default(),
    )
}

/// The time of a point: its bound, and up to a fifth more that no bound knows.
fn time_ns(space: &DecidedSpace, text: &str) -> f64 {
    let origin = nitro_nest::LaunchPlan::from_json(text).unwrap().origin;
    let values = space.parse(&origin).unwrap();
    let hidden =
        text.bytes().fold(7_u32, |hash, byte| hash.wrapping_mul(31).wrapping_add(byte.into())) % 1000;
    let bound_ns = space.time_bound(h200()).bound_ns(&space.root().decide(&values).unwrap());
    bound_ns * (1.0 + f64::from(hidden) / 5000.0)
}

/// Drives a search as a trainer does, until it is over or so many were evaluated; returns why it ended.
fn drive(space: &DecidedSpace, search: &mut Engine<Prover<'_>>, most: usize) -> Option<StopReason> {
    loop {
        let Ok(asked) = search.ask(4);
        match asked {
            Ask::Evaluate(texts) => {
                for text in texts.iter().rev() {
                    let evaluation = Evaluation::TimeNs(time_ns(space, text));
                    search.tell(text, evaluation).unwrap();
                }
            }
            Ask::Wait => panic!("all was told"),
            Ask::Done(ended) => return Some(ended),
        }
        if search.observations().len() >= most {
            return None;
        }
    }
}

fn best_ns(search: &Engine<Prover<'_>>) -> f64 {
    search.best().unwrap().report.time_ns().unwrap()
}

#[test]
fn a_search_that_goes_on_half_way_proves_what_one_without_a_break_proves() {
    let space = space();
    let points: Vec<Vec<usize>> = space.root().points().map(|point| point.solution().unwrap()).collect();
    let mut whole = begin(&space, 0.0);
    assert_eq!((whole.gap(), drive(&space, &mut whole, usize::MAX)), (None, Some(StopReason::Exhausted)));
    assert_eq!(whole.gap(), Some(0.0));
    let evaluations = whole.observations().len();
    assert!(evaluations * 2 < points.len(), "{evaluations} of {} points were timed", points.len());

    let mut first = begin(&space, 0.0);
    assert_eq!(drive(&space, &mut first, evaluations / 2), None);
    assert!(first.gap().unwrap() > 0.0, "something is left to prove");
    let mut kept: Vec<Known> = first.observations().to_vec();
    kept.reverse();
    let mut second = begin(&space, 0.0);
    second.restore(&kept).unwrap();
    assert_eq!((second.observations().len(), best_ns(&second)), (kept.len(), best_ns(&first)));
    assert_eq!(drive(&space, &mut second, usize::MAX), Some(StopReason::Exhausted));
    assert_eq!((best_ns(&second), second.gap()), (best_ns(&whole), Some(0.0)));
    for new in &second.observations()[kept.len()..] {
        assert!(kept.iter().all(|own| own.proposal != new.proposal), "what is known is not asked for again");
    }
    // By evaluating every point.
    let path = |values: &[usize]| -> String {
        let mut state = space.root().clone();
        let mut path = Vec::new();
        while let Some(choice) = state.first_open() {
            let option = values[choice.position()];
            let node = nitro_search::NodeKey::new(space.nesting().problem.name(choice).to_owned());
            path.push(nitro_search::Crossing { node, part: None, option });
            state.restrict(choice, nitro_decide::Values::of([option])).unwrap();
        }
        space.artifact(&path).unwrap()
    };
    let least = points.iter().map(|values| time_ns(&space, &path(values))).fold(f64::INFINITY, f64::min);
    assert_eq!(best_ns(&whole), least);
}

#[test]
fn within_percent_the_gap_that_is_left_is_at_most_that() {
    let space = space();
    let (mut exact, mut near) = (begin(&space, 0.0), begin(&space, 10.0));
    drive(&space, &mut exact, usize::MAX);
    drive(&space, &mut near, usize::MAX);
    assert!(near.gap().unwrap() <= 0.1 + 1e-9 && near.observations().len() <= exact.observations().len());
    assert!(0.9 * best_ns(&near) <= best_ns(&exact));
}

#[test]
fn a_time_under_its_bound_and_a_text_of_another_space_are_refused() {
    let space = space();
    let mut search = begin(&space, 0.0);
    let Ok(Ask::Evaluate(texts)) = search.ask(2) else { panic!("there is something to time") };
    let error = search.tell(&texts[0], Evaluation::TimeNs(0.1)).unwrap_err();
    assert!(matches!(&error, TellError::Unsound { proposal, .. } if proposal.contains(" = ")), "{error}");
    search.tell(&texts[0], Evaluation::Failed(Failure::Wrong)).unwrap();
    assert_eq!(search.gap(), None, "what failed proves nothing");

    let other = DecidedSpace::axpy(1 << 20, &TileSizes::reduced(), &Limits::default()).unwrap();
    let known = Observation { proposal: texts[1].clone(), report: Evaluation::TimeNs(1e9) };
    assert!(matches!(begin(&other, 0.0).restore(&[known]), Err(TellError::Foreign(_))));
    assert!(space.prover(&|_| None, &ProofPlan::default()).is_none(), "nothing is known of the device");
}
