//! Spaces and an evaluator that runs nothing.

use std::sync::Arc;

use nitro_search::{
    Ask, Budget, Candidate, Constraint, Engine, Evaluation, Failure, ListProposer, Parameter, Source,
    Sources, Space, Strategy,
};

/// Numbers, categories and a bool, with constraints.
pub fn constrained() -> Arc<Space> {
    let parameters = vec![
        Parameter::numbers("block", [16.0, 32.0, 64.0, 128.0, 256.0]),
        Parameter::linear("unroll", [1.0, 2.0, 3.0, 4.0]),
        Parameter::categories("order", ["row", "column", "tile"]),
        Parameter::bool("staged"),
    ];
    let fits = Constraint::new(["block", "unroll"], |values| values[0] * values[1] <= 512.0);
    let staged = Constraint::new(["order", "staged"], |values| values[0] < 2.0 || values[1] == 1.0);
    Arc::new(Space::constrained(parameters, vec![fits, staged]).unwrap())
}

/// A list without a pattern: most neighbours do not exist.
pub fn sparse() -> Arc<Space> {
    let parameters = (0..3).map(|at| Parameter::linear(format!("p{at}"), (0..9).map(f64::from))).collect();
    let rows = (0..9_usize.pow(3)).filter(|rank| rank * 7919 % 11 == 0);
    Arc::new(Space::table(parameters, rows.map(|rank| [rank % 9, rank / 9 % 9, rank / 81])).unwrap())
}

pub fn single() -> Arc<Space> {
    Arc::new(Space::constrained(vec![Parameter::linear("only", [7.0])], vec![]).unwrap())
}

pub fn spaces() -> [Arc<Space>; 3] {
    [constrained(), sparse(), single()]
}

/// A smooth time that depends on device and configuration; one in seven fails.
pub fn answer(space: &Space, candidate: Candidate, device: f64) -> Evaluation {
    if candidate.index() % 7 == 3 {
        return Evaluation::Failed(Failure::Launch);
    }
    let row = space.configuration(candidate).iter().enumerate();
    let far: f64 = row.map(|(at, &value)| (f64::from(value) - device - at as f64 / 2.0).powi(2)).sum();
    Evaluation::TimeNs(100.0 + 10.0 * far)
}

/// Three sources, one of them partial.
pub fn sources(space: &Space) -> Arc<Sources> {
    let source = |device: usize| Source {
        device: format!("device {device}"),
        evaluations: space
            .candidates()
            .map(|candidate| {
                (device < 2 || candidate.index() % 3 == 0)
                    .then(|| answer(space, candidate, device as f64 / 2.0))
            })
            .collect(),
        features: vec![device as f64],
    };
    Arc::new(Sources { devices: (0..3).map(source).collect(), features: vec![1.5] })
}

pub type Search = Engine<ListProposer>;

pub fn begin(space: &Arc<Space>, strategy: Strategy, seed: u64, budget: Budget) -> Search {
    Engine::new(strategy.over(space, seed, &sources(space)), budget)
}

/// Runs a search to its end, `room` at a time, each batch told in reverse order.
pub fn finish(search: &mut Search, space: &Space, room: usize) -> Vec<Candidate> {
    let mut proposed = Vec::new();
    loop {
        let Ok(asked) = search.ask(room);
        match asked {
            Ask::Evaluate(candidates) => {
                assert!(!candidates.is_empty() && candidates.len() <= room);
                for &candidate in candidates.iter().rev() {
                    search.tell(&candidate, answer(space, candidate, 1.2)).unwrap();
                }
                proposed.extend(candidates);
            }
            Ask::Wait => panic!("nothing is under way"),
            Ask::Done(_) => return proposed,
        }
    }
}
