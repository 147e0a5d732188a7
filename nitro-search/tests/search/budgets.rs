//! When a search is over.

use nitro_search::{Ask, Budget, Ended, Evaluation, Plan, Search, Strategy};

use crate::fake::{constrained, single};

fn run(budget: Budget, times_ns: &[f64]) -> (usize, Ended) {
    let mut search = Search::new(constrained(), Plan { budget, ..Plan::new(Strategy::Exhaustive) });
    let mut times_ns = times_ns.iter().copied().chain(std::iter::repeat(1000.0));
    loop {
        match search.ask(1) {
            Ask::Evaluate(asked) => {
                search.tell(asked[0], Evaluation::TimeNs(times_ns.next().unwrap())).unwrap()
            }
            Ask::Wait => unreachable!("everything is told"),
            Ask::Done(why) => return (search.evaluations(), why),
        }
    }
}

#[test]
fn each_limit_ends_a_search_and_says_so() {
    assert_eq!(run(Budget::evaluations(7), &[]), (7, Ended::Evaluations));
    assert_eq!(run(Budget::evaluations(0), &[]), (0, Ended::Evaluations));
    let target = Budget { target_ns: Some(50.0), ..Budget::default() };
    assert_eq!(run(target, &[90.0, 60.0, 50.0]), (3, Ended::Target));
    let plateau = Budget { plateau: Some(4), ..Budget::default() };
    assert_eq!(run(plateau, &[90.0, 80.0, 85.0, 80.0]), (6, Ended::Plateau));
    assert_eq!(run(Budget::evaluations(1000), &[]), (constrained().len(), Ended::Exhausted));
}

#[test]
fn what_depends_on_what_is_under_way_waits() {
    let mut search = Search::new(single(), Plan::new(Strategy::Climb));
    let Ask::Evaluate(asked) = search.ask(5) else { panic!("there is something to evaluate") };
    assert_eq!(search.ask(5), Ask::Wait);
    search.tell(asked[0], Evaluation::TimeNs(1.0)).unwrap();
    assert_eq!(search.ask(5), Ask::Done(Ended::Exhausted));
}
