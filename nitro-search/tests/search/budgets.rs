//! When a search is over.

use nitro_search::{Ask, Budget, Evaluation, StopReason, Strategy};

use crate::fake::{begin, constrained, single};

fn run(budget: Budget, times_ns: &[f64]) -> (usize, StopReason) {
    let mut search = begin(&constrained(), Strategy::Exhaustive, 0, budget);
    let mut times_ns = times_ns.iter().copied().chain(std::iter::repeat(1000.0));
    loop {
        let Ok(asked) = search.ask(1);
        match asked {
            Ask::Evaluate(asked) => {
                search.tell(&asked[0], Evaluation::TimeNs(times_ns.next().unwrap())).unwrap()
            }
            Ask::Wait => unreachable!("everything is told"),
            Ask::Done(why) => return (search.observations().len(), why),
        }
    }
}

#[test]
fn each_limit_ends_a_search_and_says_so() {
    assert_eq!(run(Budget::evaluations(7), &[]), (7, StopReason::Evaluations));
    assert_eq!(run(Budget::evaluations(0), &[]), (0, StopReason::Evaluations));
    let target = Budget { target_ns: Some(50.0), ..Budget::default() };
    assert_eq!(run(target, &[90.0, 60.0, 50.0]), (3, StopReason::Target));
    let plateau = Budget { plateau: Some(4), ..Budget::default() };
    assert_eq!(run(plateau, &[90.0, 80.0, 85.0, 80.0]), (6, StopReason::Plateau));
    assert_eq!(run(Budget::evaluations(1000), &[]), (constrained().len(), StopReason::Exhausted));
}

#[test]
fn what_depends_on_what_is_under_way_waits() {
    let mut search = begin(&single(), Strategy::Climb, 0, Budget::default());
    let Ok(Ask::Evaluate(asked)) = search.ask(5) else { panic!("there is something to evaluate") };
    assert_eq!(search.ask(5), Ok(Ask::Wait));
    search.tell(&asked[0], Evaluation::TimeNs(1.0)).unwrap();
    assert_eq!(search.ask(5), Ok(Ask::Done(StopReason::Exhausted)));
}
