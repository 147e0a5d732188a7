use std::sync::Arc;

use nitro_stats::random::Random;

use super::*;

pub(super) fn some(random: &mut Random, count: usize) -> Values {
    Values::of((0..count).filter(|_| random.below(2) == 0))
}

/// Four choices: numbers, of which one is 0, and labels.
fn choices(random: &mut Random) -> (Problem, Vec<ChoiceId>) {
    let mut problem = Problem::default();
    let ids = (0..4).map(|at| {
        let numbers = [[0, 1, 2, 3], [1, 2, 4, 8], [2, 3, 5, 6]][random.below(3)];
        problem.numbers(format!("c{at}"), numbers.into_iter().take(2 + random.below(3))).unwrap()
    });
    let ids = ids.collect();
    (problem, ids)
}

fn within(random: &mut Random, problem: &Problem, ids: &[ChoiceId]) -> Within {
    let choice = ids[random.below(ids.len())];
    Within { choice, values: some(random, problem.all(choice).len()) }
}

fn factor(random: &mut Random, problem: &Problem, ids: &[ChoiceId]) -> Factor {
    let when = (random.below(2) == 0).then(|| within(random, problem, ids));
    Factor { when, ..Factor::choice(ids[random.below(ids.len())]) }
}

const KINDS: usize = 8;

fn drawn(random: &mut Random, problem: &Problem, ids: &[ChoiceId], kind: usize) -> Rule {
    let factors = |random: &mut Random| {
        (0..1 + random.below(3)).map(|_| factor(random, problem, ids)).collect::<Vec<_>>()
    };
    let limit = random.below(12) as u128;
    match kind {
        0 => {
            let mut choices = ids.to_vec();
            random.shuffle(&mut choices);
            choices.truncate(1 + random.below(3));
            let sizes: Vec<usize> = choices.iter().map(|&choice| problem.all(choice).len()).collect();
            let mask = random.next_u64();
            let allowed = Relation::new(&sizes, |values| {
                mask >> (values.iter().fold(0, |at, &value| at * 4 + value) % 61) & 1 == 1
            });
            Rule::Table { choices, allowed }
        }
        1 => Rule::Clause {
            when: (0..random.below(3)).map(|_| within(random, problem, ids)).collect(),
            then: within(random, problem, ids),
        },
        2 => {
            let at_most = [limit + random.below(20) as u128, limit][random.below(2)];
            Rule::Product { of: factors(random), at_least: limit, at_most }
        }
        3 => {
            let of = (0..1 + random.below(3)).map(|_| {
                let when = (random.below(2) == 0).then(|| within(random, problem, ids));
                Term { product: factors(random), when }
            });
            Rule::Sum { of: of.collect(), at_least: limit / 2, at_most: 2 * limit }
        }
        4 => {
            let at_least = random.below(2);
            let of = (0..1 + random.below(4)).map(|_| within(random, problem, ids)).collect();
            Rule::Count { of, at_least, at_most: at_least + random.below(2) }
        }
        5 => Rule::Divides { product: factors(random), size: random.below(25) as u64 },
        6 => Rule::NoMore {
            when: (0..random.below(3)).map(|_| within(random, problem, ids)).collect(),
            product: factors(random),
            than: factors(random),
        },
        _ => Rule::Equal(ids[random.below(4)], ids[random.below(4)]),
    }
}

fn assignments(problem: &Problem) -> Vec<Vec<usize>> {
    problem.choices().fold(vec![vec![]], |rows, choice| {
        let with = |row: &Vec<usize>| {
            let row = row.clone();
            problem
                .all(choice)
                .iter()
                .map(move |value| [row.as_slice(), &[value]].concat())
                .collect::<Vec<_>>()
        };
        rows.iter().flat_map(with).collect()
    })
}

/// What a rule says of values that are all known, told without any filter.
fn holds(problem: &Problem, rule: &Rule, row: &[usize]) -> bool {
    let is = |within: &Within| within.values.has(row[within.choice.position()]);
    let number = |choice: ChoiceId| u128::from(problem.number(choice, row[choice.position()]).unwrap());
    let size = |factor: &Factor| match (factor.when.is_none_or(|when| is(&when)), factor.size) {
        (false, _) => 1,
        (true, Size::Fixed(size)) => u128::from(size),
        (true, Size::Choice(choice)) => number(choice),
    };
    let product = |of: &[Factor]| of.iter().map(size).product::<u128>();
    match rule {
        Rule::Table { choices, allowed } => {
            allowed.allows(&choices.iter().map(|choice| row[choice.position()]).collect::<Vec<_>>())
        }
        Rule::Clause { when, then } => !when.iter().all(is) || is(then),
        Rule::Product { of, at_least, at_most } => (*at_least..=*at_most).contains(&product(of)),
        Rule::Sum { of, at_least, at_most } => {
            let counted = of.iter().filter(|term| term.when.is_none_or(|when| is(&when)));
            (*at_least..=*at_most).contains(&counted.map(|term| product(&term.product)).sum())
        }
        Rule::Count { of, at_least, at_most } => {
            (*at_least..=*at_most).contains(&of.iter().filter(|within| is(within)).count())
        }
        Rule::Divides { product: of, size } => match product(of) {
            0 => *size == 0,
            product => u128::from(*size) % product == 0,
        },
        Rule::NoMore { when, product: less, than } => !when.iter().all(is) || product(less) <= product(than),
        Rule::Equal(one, other) => number(*one) == number(*other),
    }
}

pub(crate) fn solutions(problem: &Problem) -> Vec<Vec<usize>> {
    let every = |row: &Vec<usize>| problem.rules().all(|rule| holds(problem, problem.get(rule), row));
    assignments(problem).into_iter().filter(every).collect()
}

/// Rules of one kind, or of all of them.
pub(crate) fn drawn_problem(seed: u64) -> Problem {
    let random = &mut Random::new(seed);
    let (mut problem, ids) = choices(random);
    for at in 0..1 + random.below(4) {
        let kind = if seed.is_multiple_of(2) { random.below(KINDS) } else { (seed / 2) as usize % KINDS };
        let rule = drawn(random, &problem, &ids, kind);
        problem.rule(format!("r{at}"), rule).unwrap();
    }
    problem
}

fn decisions(random: &mut Random, problem: &Problem) -> Vec<Within> {
    let ids: Vec<ChoiceId> = problem.choices().collect();
    let one = |random: &mut Random| {
        let mut within = within(random, problem, &ids);
        within.values = within.values.or(Values::of([random.below(2)]));
        within
    };
    (0..3).map(|_| one(random)).collect()
}

fn decide(problem: &Arc<Problem>, decisions: &[Within]) -> Result<Candidate, Conflict> {
    let mut candidate = Candidate::new(problem.clone())?;
    decisions.iter().try_for_each(|within| candidate.restrict(within.choice, within.values))?;
    Ok(candidate)
}

#[test]
fn no_value_goes_that_a_solution_has_and_what_is_decided_is_one() {
    for seed in 0..600 {
        let problem = Arc::new(drawn_problem(seed));
        let decisions = decisions(&mut Random::new(seed + 1), &problem);
        let mut left = solutions(&problem);
        left.retain(|row| decisions.iter().all(|own| own.values.has(row[own.choice.position()])));
        match decide(&problem, &decisions) {
            Err(conflict) => assert!(left.is_empty(), "seed {seed}: {conflict}"),
            Ok(candidate) => {
                for row in &left {
                    let kept =
                        problem.choices().all(|choice| candidate.values(choice).has(row[choice.position()]));
                    assert!(kept, "seed {seed}: {row:?} of {candidate:?}");
                }
                assert!(candidate.solution().is_none_or(|row| left.contains(&row)), "seed {seed}");
            }
        }
    }
}

#[test]
fn the_order_of_rules_and_of_decisions_does_not_matter() {
    for seed in 0..400 {
        let problem = drawn_problem(seed);
        let random = &mut Random::new(seed + 2);
        let mut decisions = decisions(random, &problem);
        let first = decide(&Arc::new(problem.clone()), &decisions);
        let mut order: Vec<RuleId> = problem.rules().collect();
        random.shuffle(&mut order);
        random.shuffle(&mut decisions);
        let mut other = choices(&mut Random::new(seed)).0;
        for rule in order {
            other.rule("same", problem.get(rule).clone()).unwrap();
        }
        match (first, decide(&Arc::new(other), &decisions)) {
            (Ok(one), Ok(other)) => {
                assert!(
                    problem.choices().all(|choice| one.values(choice) == other.values(choice)),
                    "seed {seed}"
                );
            }
            (one, other) => assert_eq!((one.is_err(), other.is_err()), (true, true), "seed {seed}"),
        }
    }
}

#[test]
fn the_decisions_of_an_explanation_take_the_value_away_alone() {
    let mut explained = 0;
    for seed in 0..400 {
        let problem = Arc::new(drawn_problem(seed));
        let all = decisions(&mut Random::new(seed + 3), &problem);
        match decide(&problem, &all) {
            Ok(candidate) => {
                for choice in problem.choices() {
                    for value in problem.all(choice).iter() {
                        let Some(explanation) = candidate.explain(choice, value) else { continue };
                        let alone: Vec<Within> = explanation.decisions().collect();
                        assert!(alone.len() <= candidate.decisions().len());
                        let replayed = decide(&problem, &alone).unwrap();
                        assert!(!replayed.values(choice).has(value), "seed {seed}: {explanation}");
                        explained += 1;
                    }
                }
            }
            Err(conflict) => {
                let alone: Vec<Within> = conflict.explain().decisions().collect();
                assert!(decide(&problem, &alone).is_err(), "seed {seed}: {conflict}");
            }
        }
    }
    assert!(explained > 500, "{explained}");
}

#[test]
fn an_explanation_leaves_out_decisions_that_have_no_part_in_it() {
    let mut problem = Problem::default();
    let ids: Vec<_> = (0..3).map(|at| problem.numbers(format!("c{at}"), [1, 2]).unwrap()).collect();
    problem.rule("alike", Rule::Equal(ids[0], ids[1])).unwrap();
    let mut candidate = Candidate::new(Arc::new(problem)).unwrap();
    candidate.restrict(ids[2], Values::of([0])).unwrap();
    candidate.restrict(ids[0], Values::of([1])).unwrap();
    let text = candidate.explain(ids[1], 0).unwrap().to_string();
    assert_eq!(text, "decided: c0 is 2\nnot c1 is 1, by alike: c0 = c1");
    assert_eq!(candidate.explain(ids[1], 1), None);
}

#[test]
fn products_and_sums_neither_overflow_nor_trip_over_nothing() {
    let mut problem = Problem::default();
    let huge: Vec<_> = (0..3).map(|at| problem.numbers(format!("h{at}"), [0, u64::MAX]).unwrap()).collect();
    let of: Vec<Factor> = huge.iter().map(|&choice| Factor::choice(choice)).collect();
    problem.rule("not all", Rule::Product { of, at_least: 0, at_most: u128::MAX - 1 }).unwrap();
    problem.rule("empty product", Rule::Product { of: vec![], at_least: 1, at_most: 1 }).unwrap();
    problem.rule("empty sum", Rule::Sum { of: vec![], at_least: 0, at_most: 0 }).unwrap();
    let mut candidate = Candidate::new(Arc::new(problem.clone())).unwrap();
    candidate.restrict(huge[0], Values::of([1])).unwrap();
    candidate.restrict(huge[1], Values::of([1])).unwrap();
    assert_eq!(candidate.values(huge[2]), Values::of([0]));
    problem.rule("impossible", Rule::Sum { of: vec![], at_least: 1, at_most: 9 }).unwrap();
    let conflict = Candidate::new(Arc::new(problem)).unwrap_err();
    assert_eq!(conflict.to_string(), "nothing is left of any choice by the rule impossible: 1 <= 0 <= 9");
}

#[test]
fn what_is_no_problem_is_refused_by_name() {
    let mut problem = Problem::default();
    assert_eq!(problem.numbers("none", []), Err(ProblemError::Values("none".into(), 0)));
    assert!(problem.numbers("twice", [1, 1]).is_err());
    let kind = problem.labels("kind", ["plain", "thread"]).unwrap();
    assert_eq!(problem.named(kind, &["warp"]), Err(ProblemError::Label("kind".into(), "warp".into())));
    let factor = Rule::Divides { product: vec![Factor::choice(kind)], size: 4 };
    assert_eq!(problem.rule("r", factor), Err(ProblemError::NoNumber("r".into(), "kind".into())));
    let table = Rule::Table { choices: vec![kind, kind], allowed: Relation::new(&[2, 2], |_| true) };
    assert_eq!(problem.rule("t", table), Err(ProblemError::Table("t".into())));
    let then = Within { choice: kind, values: Values::of([2]) };
    assert_eq!(
        problem.rule("c", Rule::Clause { when: vec![], then }),
        Err(ProblemError::Unknown("c".into()))
    );
}
