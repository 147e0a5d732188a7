//! Additions, fetches, divisions and choices.

use nitro_nest::{
    Access, Affine, Binary, Condition, Expression, Instruction, Program, Relation, RunError, Variable, WIDE,
};

use crate::{I, THREAD, assign, at, below, program, run};

/// The register of each thread.
pub fn own() -> Access {
    Access { array: 2, subscripts: Vec::new() }
}

/// Each thread adds one to the first element, `lanes` of them together.
pub fn sum_of(lanes: u32) -> Vec<Instruction> {
    vec![assign(own(), 1.0), Instruction::Add { target: at(0, 0), value: own(), lanes }]
}

/// With blocks of as many threads as a warp has.
fn in_warps(body: Vec<Instruction>) -> Program {
    let mut program = program(body);
    program.kernels[0].block = [32, 1, 1];
    program.kernels[0].body[0] = Instruction::Define(0, vec![Variable::Block(0) * 32 + THREAD]);
    program
}

fn is_race(result: Result<Vec<f32>, RunError>) -> bool {
    matches!(result, Err(RunError::Race { .. }))
}

fn only(thread: i64, body: Vec<Instruction>) -> Instruction {
    let (left, right) = (THREAD.into(), Affine::from(thread));
    Instruction::If(vec![Condition { relation: Relation::Equal, left, right }], body, Vec::new())
}

#[test]
fn a_lane_that_does_not_come_to_an_addition_is_missed() {
    let result = run(&in_warps(sum_of(32)), 64, 1).unwrap();
    assert_eq!(result[0], 64.0);
    let RunError::Divergence { what, .. } = run(&in_warps(vec![below(31, sum_of(32))]), 32, 1).unwrap_err()
    else {
        panic!("all came")
    };
    assert!(what.starts_with("31 of 32 threads wait"), "{what}");
    let alone = run(&in_warps(vec![below(31, sum_of(1))]), 32, 1).unwrap();
    assert_eq!(alone[0], 31.0);
}

/// Each thread has its number, and so many lanes combine them.
pub fn combined(operator: Binary, lanes: u32) -> Vec<Instruction> {
    let number = Expression::Integer(Affine::from(I));
    let combine = Instruction::Combine { register: own(), operator, lanes };
    vec![assign(own(), number), combine, assign(at(0, I), own())]
}

#[test]
fn all_lanes_of_a_warp_get_what_their_registers_come_to() {
    for (operator, expected) in
        [(Binary::Add, [496.0, 1520.0]), (Binary::Maximum, [31.0, 63.0]), (Binary::Minimum, [0.0, 32.0])]
    {
        for seed in 0..4 {
            let result = run(&in_warps(combined(operator, 32)), 64, seed).unwrap();
            let of_warps = [result[..32].to_vec(), result[32..].to_vec()];
            assert_eq!(of_warps, expected.map(|value| vec![value; 32]), "{operator:?}");
        }
    }
}

#[test]
fn lanes_that_share_a_warp_combine_among_themselves() {
    for lanes in [2, 4, 8, 16_u16] {
        let result = run(&in_warps(combined(Binary::Add, lanes.into())), 64, 1).unwrap();
        let sum =
            |lane: u16| (lane / lanes * lanes..lane / lanes * lanes + lanes).map(f32::from).sum::<f32>();
        assert_eq!(result, (0..64).map(sum).collect::<Vec<f32>>());
    }
}

#[test]
fn each_lane_of_a_scan_gets_what_those_up_to_it_come_to() {
    let number = Expression::Integer(Affine::from(I));
    let scan = Instruction::Scan { register: own(), operator: Binary::Add };
    let body = vec![assign(own(), number), scan, assign(at(0, I), own())];
    for seed in 0..4 {
        let result = run(&in_warps(body.clone()), 64, seed).unwrap();
        let expected = (0..64).map(|lane: u16| (lane / 32 * 32..=lane).map(f32::from).sum::<f32>());
        assert_eq!(result, expected.collect::<Vec<f32>>());
    }
    let RunError::Divergence { what, .. } = run(&in_warps(vec![below(31, body)]), 32, 1).unwrap_err() else {
        panic!("all came")
    };
    assert!(what.starts_with("31 of 32 threads wait"), "{what}");
}

#[test]
fn a_lane_that_does_not_come_to_a_combination_is_missed() {
    let RunError::Divergence { what, .. } =
        run(&in_warps(vec![below(31, combined(Binary::Add, 32))]), 32, 1).unwrap_err()
    else {
        panic!("all came")
    };
    assert!(what.starts_with("31 of 32 threads wait"), "{what}");
}

#[test]
fn additions_do_not_race_among_themselves_but_with_what_reads_and_writes() {
    for seed in 0..10 {
        assert_eq!(run(&program(sum_of(1)), 8, seed).unwrap()[0], 8.0);
        let write = vec![assign(at(0, 0), 1.0)];
        let read = vec![assign(at(0, 1), at(0, 0))];
        for plain in [write, read] {
            let [before, after] = [true, false].map(|is_first| {
                let mut body = sum_of(1);
                body.insert(if is_first { 0 } else { 2 }, only(2, plain.clone()));
                is_race(run(&program(body), 4, seed))
            });
            assert!(before && after, "{seed}: {before} {after}");
        }
    }
}

/// Each thread fetches an element and takes that of its neighbour.
fn fetched(in_between: &[Instruction]) -> Program {
    let fetch = Instruction::Fetch { target: at(1, THREAD), source: at(0, I), width: 1 };
    let taken = vec![assign(own(), at(1, Affine::from(3) - THREAD)), assign(at(0, I), own())];
    program([vec![fetch], in_between.to_vec(), taken].concat())
}

#[test]
fn what_others_fetch_is_there_past_a_barrier_and_no_earlier() {
    let (commit, all) = (Instruction::Commit, Instruction::Await(0));
    for seed in 0..10 {
        assert!(is_race(run(&fetched(&[]), 4, seed)));
        assert!(is_race(run(&fetched(&[commit.clone(), all.clone()]), 4, seed)));
        let result = run(&fetched(&[commit.clone(), all.clone(), Instruction::Barrier]), 4, seed);
        assert_eq!(result.unwrap(), [3.0, 2.0, 1.0, 0.0]);
    }
}

#[test]
fn what_is_not_awaited_is_no_number() {
    let commit = Instruction::Commit;
    let is_there = |in_between: &[Instruction]| {
        let result = run(&fetched(&[in_between, &[Instruction::Barrier]].concat()), 4, 1).unwrap();
        assert!(result.iter().all(|one| one.is_nan()) || result == [3.0, 2.0, 1.0, 0.0], "{result:?}");
        !result[0].is_nan()
    };
    assert!(!is_there(std::slice::from_ref(&commit)));
    // What is in no group is not awaited with the groups.
    assert!(!is_there(&[Instruction::Await(0)]));
    assert!(!is_there(&[commit.clone(), Instruction::Await(1)]));
    assert!(is_there(&[commit.clone(), commit, Instruction::Await(1)]));
}

#[test]
fn several_elements_are_copied_at_once_where_they_begin_at_a_multiple() {
    let wide = |to: i64, from: i64| {
        let back = Instruction::Copy { target: at(0, from), source: at(1, 0), width: 4 };
        let arrived = [Instruction::Commit, Instruction::Await(0), assign(at(1, 1), 9.0), back];
        let there = Instruction::Fetch { target: at(1, to), source: at(0, from), width: WIDE };
        run(&program(vec![below(1, [vec![there], arrived.to_vec()].concat())]), 8, 1)
    };
    assert_eq!(wide(0, 4).unwrap(), [0.0, 1.0, 2.0, 3.0, 4.0, 9.0, 6.0, 7.0]);
    let RunError::Misaligned { array, subscripts, .. } = wide(0, 2).unwrap_err() else { panic!("it is not") };
    assert_eq!((array.as_str(), subscripts), ("x", vec![2]));
    assert!(matches!(wide(4, 4).unwrap_err(), RunError::OutOfBounds { .. }));
    let by_all = vec![Instruction::Copy { target: at(1, 0), source: at(0, 0), width: 4 }];
    assert!(is_race(run(&program(by_all), 4, 1)), "all of the elements are written");
}

#[test]
fn a_division_gives_quotient_and_remainder() {
    let mut program = program(vec![
        Instruction::Divide { quotient: 1, remainder: 2, value: I + 1, divisor: 3.into() },
        assign(at(0, I), Variable::Iterator(1) * 10 + Variable::Iterator(2)),
    ]);
    program.kernels[0].iterators = vec!["quotient".to_owned(), "remainder".to_owned()];
    assert_eq!(run(&program, 8, 1).unwrap(), [1.0, 2.0, 10.0, 11.0, 12.0, 20.0, 21.0, 22.0]);
}

#[test]
fn what_is_otherwise_done_is_done_where_a_condition_does_not_hold() {
    let conditions = [(Relation::Less, 3), (Relation::Greater, 0)].map(|(relation, right)| Condition {
        relation,
        left: I.into(),
        right: right.into(),
    });
    let choice = |otherwise| Instruction::If(conditions.to_vec(), vec![assign(at(0, I), 7.0)], otherwise);
    let result = run(&program(vec![choice(vec![assign(at(0, I), 9.0)])]), 4, 1).unwrap();
    assert_eq!(result, [9.0, 7.0, 7.0, 9.0]);
    assert_eq!(run(&program(vec![choice(Vec::new())]), 4, 1).unwrap(), [0.0, 7.0, 7.0, 3.0]);
}
