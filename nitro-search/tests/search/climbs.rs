//! G-ADAPT's walk.

use std::sync::Arc;

use nitro_search::{
    Ask, Budget, Constraint, Engine, Evaluation, Failure, Parameter, Sources, Space, Strategy,
};

/// The configurations in the order in which the walk evaluates them.
fn walk(space: &Arc<Space>, time: impl Fn(&[u16]) -> Option<f64>) -> Vec<Vec<u16>> {
    let mut search = Engine::new(Strategy::Climb.over(space, 0, &Sources::default()), Budget::default());
    let mut walked = Vec::new();
    while let Ok(Ask::Evaluate(candidates)) = search.ask(1) {
        let row = space.configuration(candidates[0]);
        walked.push(row.to_vec());
        let evaluation = time(row).map_or(Evaluation::Failed(Failure::Wrong), Evaluation::TimeNs);
        search.tell(&candidates[0], evaluation).unwrap();
    }
    walked
}

fn numbers(sizes: &[usize]) -> Vec<Parameter> {
    let named = |(at, &size): (usize, &usize)| {
        Parameter::linear(format!("p{at}"), (0..size).map(|value| value as f64))
    };
    sizes.iter().enumerate().map(named).collect()
}

#[test]
fn goes_to_the_fastest_of_a_round_even_if_it_is_slower_and_ends_at_the_high_corner() {
    let space = Arc::new(Space::constrained(numbers(&[3, 3]), vec![]).unwrap());
    let times = [[5.0, 9.0, 1.0], [6.0, 8.0, 4.0], [9.0, 3.0, 2.0]];
    let walked = walk(&space, |row| Some(times[usize::from(row[0])][usize::from(row[1])]));
    // From 00 (5) to 10 (6, the other 9), to 11 (8, the other 9), to 21 (3, the other 4), to 22.
    let expected = [[0, 0], [1, 0], [0, 1], [2, 0], [1, 1], [2, 1], [1, 2], [2, 2]];
    assert_eq!(walked, expected);
}

#[test]
fn of_equally_fast_ones_the_first_parameter_is_taken_and_a_failed_one_is_slowest() {
    let space = Arc::new(Space::constrained(numbers(&[2, 2]), vec![]).unwrap());
    assert_eq!(walk(&space, |_| Some(1.0)), [[0, 0], [1, 0], [0, 1], [1, 1]]);
    assert_eq!(walk(&space, |_| None), [[0, 0], [1, 0], [0, 1], [1, 1]]);
    let space = Arc::new(Space::constrained(numbers(&[3, 2]), vec![]).unwrap());
    let walked = walk(&space, |row| (row[0] != 1).then_some(1.0));
    assert_eq!(walked, [[0, 0], [1, 0], [0, 1], [1, 1], [2, 1]], "on to 01, since 10 failed");
}

#[test]
fn what_does_not_exist_is_skipped_and_where_nothing_is_left_it_stops() {
    let odd = Constraint::new(["p0", "p1"], |values| values[0] != 1.0 && values[0] + values[1] <= 3.0);
    let space = Arc::new(Space::constrained(numbers(&[4, 3]), vec![odd]).unwrap());
    // p0 goes from 0 to 2; at 2 p1 may become 1, and then nothing may be raised.
    assert_eq!(walk(&space, |row| Some(9.0 - f64::from(row[0]))), [[0, 0], [2, 0], [0, 1], [3, 0], [2, 1]]);
}

#[test]
fn with_one_parameter_everything_is_seen_and_with_several_the_bound_is_kept() {
    let space = Arc::new(Space::constrained(numbers(&[17]), vec![]).unwrap());
    assert_eq!(walk(&space, |row| Some(f64::from(row[0] % 5))).len(), 17);
    let sizes = [4, 5, 3, 6];
    let space = Arc::new(Space::constrained(numbers(&sizes), vec![]).unwrap());
    let walked = walk(&space, |row| Some(row.iter().map(|&value| f64::from(value * 7919 % 13)).sum()));
    let bound = 1 + sizes.len() * sizes.iter().map(|size| size - 1).sum::<usize>();
    assert!(walked.len() <= bound, "{} evaluations, at most {bound}", walked.len());
    assert_eq!(walked.last().unwrap(), &[3, 4, 2, 5]);
}
