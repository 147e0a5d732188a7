use super::*;
use crate::random::Random;

fn parameters(sizes: &[usize]) -> Vec<Parameter> {
    let named = |(at, &size): (usize, &usize)| {
        Parameter::linear(format!("p{at}"), (1..=size).map(|value| value as f64))
    };
    sizes.iter().enumerate().map(named).collect()
}

/// Some constraints over two or three parameters, drawn.
fn drawn(random: &mut Random, count: usize) -> Vec<Constraint> {
    let constraint = |random: &mut Random| {
        let mut at: Vec<usize> = (0..count).collect();
        random.shuffle(&mut at);
        at.truncate(2 + random.below(2));
        let limit = 2.0 + 8.0 * random.unit();
        let names = at.iter().map(|at| format!("p{at}"));
        match random.below(3) {
            0 => Constraint::new(names, move |values| values.iter().product::<f64>() <= 2.0 * limit),
            1 => Constraint::new(names, move |values| values.iter().sum::<f64>() >= limit / 2.0),
            _ => Constraint::new(names, |values| values[0] % values[1] == 0.0),
        }
    };
    (0..1 + random.below(4)).map(|_| constraint(random)).collect()
}

fn every(sizes: &[usize]) -> Vec<Vec<usize>> {
    sizes.iter().fold(vec![vec![]], |rows: Vec<Vec<usize>>, &size| {
        rows.iter().flat_map(|row| (0..size).map(move |value| [row.as_slice(), &[value]].concat())).collect()
    })
}

fn fulfils(parameters: &[Parameter], constraints: &[Constraint], row: &[usize]) -> bool {
    constraints.iter().all(|constraint| {
        let value = |name: &String| {
            let at = parameters.iter().position(|own| own.name() == name).unwrap();
            parameters[at].number(row[at])
        };
        constraint.admits(&constraint.names().iter().map(value).collect::<Vec<_>>())
    })
}

#[test]
fn a_constrained_space_is_what_enumeration_leaves() {
    let sizes = [4, 3, 5, 2];
    let parameters = parameters(&sizes);
    for seed in 0..60 {
        let constraints = drawn(&mut Random::new(seed), sizes.len());
        let rows: Vec<_> =
            every(&sizes).into_iter().filter(|row| fulfils(&parameters, &constraints, row)).collect();
        match Space::constrained(parameters.clone(), constraints) {
            Ok(space) => {
                let found = space.candidates().map(|candidate| {
                    space.configuration(candidate).iter().map(|&value| usize::from(value)).collect::<Vec<_>>()
                });
                assert_eq!(found.collect::<Vec<_>>(), rows);
            }
            Err(error) => assert_eq!((error, rows.len()), (SpaceError::Empty, 0)),
        }
    }
}

#[test]
fn propagation_takes_away_no_value_of_a_solution_and_minds_no_order() {
    let sizes = [4, 3, 5, 2];
    let parameters = parameters(&sizes);
    let mut removed = 0;
    for seed in 0..60 {
        let mut random = Random::new(seed);
        let mut constraints = drawn(&mut random, sizes.len());
        let mut start = Domains::all(&parameters);
        let fixed = random.below(sizes.len());
        start.assign(fixed, random.below(sizes[fixed]));
        let solutions: Vec<_> = every(&sizes)
            .into_iter()
            .filter(|row| start.values(fixed).any(|value| value == row[fixed]))
            .filter(|row| fulfils(&parameters, &constraints, row))
            .collect();
        let mut first = None;
        for _ in 0..4 {
            random.shuffle(&mut constraints);
            let mut domains = start.clone();
            let outcome = propagate(&parameters, &constraints, &mut domains).unwrap();
            let left = outcome.is_ok().then_some(domains);
            assert!(left.is_some() || solutions.is_empty(), "a conflict where there are solutions");
            for (row, left) in solutions.iter().zip(left.iter().cycle()) {
                assert!(row.iter().enumerate().all(|(at, value)| left.values(at).any(|kept| kept == *value)));
            }
            removed += left
                .iter()
                .map(|left| (0..4).map(|at| sizes[at] - left.count(at)).sum::<usize>())
                .sum::<usize>();
            assert_eq!(first.get_or_insert(left.clone()), &left, "the order of the constraints matters");
        }
    }
    assert!(removed > 400, "values are removed beyond those that are fixed: {removed}");
}

#[test]
fn continuations_and_neighbours_exist() {
    let rows = [[0, 0, 1], [2, 1, 0], [0, 2, 1], [0, 0, 0], [1, 1, 1]];
    let space = Space::table(parameters(&[3, 3, 2]), rows).unwrap();
    assert_eq!(space.continuations(&[]), [0, 1, 2]);
    assert_eq!(space.continuations(&[0]), [0, 2]);
    assert_eq!(space.continuations(&[0, 0]), [0, 1]);
    assert!(space.continuations(&[1, 0]).is_empty());
    assert!(space.continuations(&[0, 0, 0]).is_empty());
    assert_eq!(space.find(&[2, 1, 0]), Some(Candidate::new(1)));
    assert_eq!(space.find(&[2, 1, 1]), None);
    assert_eq!(space.neighbours(Candidate::new(0)), [2, 3].map(Candidate::new));
    assert_eq!(space.text(Candidate::new(1)), "p0=3,p1=2,p2=1");
}

#[test]
fn what_is_no_space_is_refused() {
    let two = || parameters(&[2, 2]);
    assert_eq!(Space::table(two(), [[0, 0], [0, 2]]).unwrap_err(), SpaceError::Row(1));
    assert_eq!(Space::table(two(), [vec![0]]).unwrap_err(), SpaceError::Row(0));
    assert_eq!(Space::table(two(), [[0, 1], [0, 1]]).unwrap_err(), SpaceError::Twice("p0=1,p1=2".into()));
    assert_eq!(Space::table(two(), [[0; 2]; 0]).unwrap_err(), SpaceError::Empty);
    let never = Constraint::new(["p1"], |_| false);
    assert_eq!(Space::constrained(two(), vec![never]).unwrap_err(), SpaceError::Empty);
    let never = Constraint::new([""; 0], |_| false);
    assert_eq!(Space::constrained(two(), vec![never]).unwrap_err(), SpaceError::Empty);
    let unknown = Constraint::new(["q"], |_| true);
    assert_eq!(Space::constrained(two(), vec![unknown]).unwrap_err(), SpaceError::Unknown("q".into()));
    let none = Parameter::linear("none", []);
    assert_eq!(Space::constrained(vec![none], vec![]).unwrap_err(), SpaceError::Values("none".into()));
    let twice = vec![Parameter::bool("a"), Parameter::bool("a")];
    assert_eq!(Space::constrained(twice, vec![]).unwrap_err(), SpaceError::Repeated("a".into()));
}

#[test]
fn without_parameters_there_is_one_configuration() {
    let space = Space::constrained(vec![], vec![]).unwrap();
    assert_eq!((space.len(), space.text(Candidate::new(0)).as_str()), (1, ""));
    assert_eq!(space.find(&[]), Some(Candidate::new(0)));
}

#[test]
fn other_spaces_have_other_digests() {
    let space = |sizes: &[usize], constraints| Space::constrained(parameters(sizes), constraints).unwrap();
    let smaller = Constraint::new(["p0", "p1"], |values| values[0] < values[1]);
    let all = [space(&[3, 4], vec![]), space(&[4, 3], vec![]), space(&[3, 4], vec![smaller])];
    let digests: std::collections::BTreeSet<_> = all.iter().map(Space::digest).collect();
    assert_eq!(digests.len(), all.len());
    assert_eq!(space(&[3, 4], vec![]).digest(), all[0].digest());
}
