//! Three kernels that run in any order: a space whose nodes are made as they are come to, and what running a path
//! through it would give.

use nitro_search::{
    AntColony, Ants, Ask, Budget, Crossing, Decision, Decisions, Engine, Failure, GeneticPaths, NodeKey,
    PartReport, Path, PathStrategy, Paths, RandomPaths, Report, Step,
};

/// Kernels 0, 1 and 2. Which is next is chosen while several remain; what remains alone follows. Each has a tile, a
/// block that is no larger, a memory and an unroll factor.
#[derive(Clone, Copy, Default)]
pub struct Kernels {
    /// Whether a node of a kernel knows what was chosen before: then no two orders share one.
    pub unshared: bool,
}

const PHASES: [(&str, usize); 4] = [("tile", 6), ("block", 5), ("memory", 2), ("unroll", 4)];
/// The best options of each kernel.
const BEST: [[usize; 4]; 3] = [[4, 2, 1, 1], [1, 0, 0, 2], [5, 4, 1, 0]];
/// The times of the kernels at their best.
const TIMES_NS: [f64; 3] = [300.0, 200.0, 100.0];

/// What a path has come to.
struct State {
    /// In the order in which they run.
    order: Vec<usize>,
    /// The options of each.
    options: [Vec<usize>; 3],
}

impl State {
    fn of(path: &[Crossing]) -> Self {
        let mut state = Self { order: Vec::new(), options: Default::default() };
        for crossing in path {
            if state.is_between() {
                let next = state.remaining()[crossing.option];
                state.order.push(next);
            } else {
                let kernel = *state.order.last().unwrap();
                state.options[kernel].push(crossing.option);
            }
            if state.is_between() && state.order.len() == 2 {
                state.order.push(state.remaining()[0]);
            }
        }
        state
    }

    /// Whether a kernel is to be chosen.
    fn is_between(&self) -> bool {
        self.order.last().is_none_or(|&kernel| self.options[kernel].len() == PHASES.len())
    }

    fn remaining(&self) -> Vec<usize> {
        (0..3).filter(|kernel| !self.order.contains(kernel)).collect()
    }
}

impl Decisions for Kernels {
    fn next(&self, path: &[Crossing]) -> Step {
        let state = State::of(path);
        let remaining = state.remaining();
        let too_many = |options: &Vec<usize>| options.len() == 4 && options[2] == 1 && options[3] == 3;
        if state.options.iter().any(too_many) {
            return Step::DeadEnd("textures and eightfold unrolling need too many registers".into());
        }
        if state.is_between() {
            let ids = remaining.iter().map(|&kernel| kernel as u32);
            return if remaining.is_empty() {
                Step::Complete
            } else {
                Step::Choose(Decision::new(NodeKey::new("next").statements(ids), remaining.len()))
            };
        }
        let kernel = *state.order.last().unwrap();
        let chosen = &state.options[kernel];
        let (phase, count) = PHASES[chosen.len()];
        let mut key = NodeKey::new(phase).statements([kernel as u32]);
        if self.unshared {
            key = key.shape(path.iter().map(|crossing| crossing.option as i64));
        }
        let decision = Decision::new(key, count).part(format!("kernel {kernel}"));
        Step::Choose(decision.only(|option| phase != "block" || option <= chosen[0]))
    }

    fn longest(&self) -> usize {
        14
    }
}

/// How many times slower than at best a kernel is.
fn slower(kernel: usize, options: &[usize]) -> f64 {
    let away = |at: usize| options[at].abs_diff(BEST[kernel][at]) as f64;
    1.0 + 0.3 * away(0) + 0.2 * away(1) + 0.5 * away(2) + 0.1 * away(3)
}

/// The time of a path, of its kernels, and the share of the device that each of them uses. Kernel 2 cannot run with
/// its smallest tile.
pub fn answer(path: &[Crossing]) -> Report {
    let state = State::of(path);
    if state.options[2][0] == 0 {
        return Report::failed(Failure::Launch);
    }
    let part = |kernel: usize| {
        let slower = slower(kernel, &state.options[kernel]);
        PartReport {
            part: format!("kernel {kernel}").into(),
            time_ns: TIMES_NS[kernel] * slower,
            metrics: [("throughput".to_owned(), 1.0 / slower), ("clock".to_owned(), 0.5)].into(),
        }
    };
    let parts: Vec<PartReport> = (0..3).map(part).collect();
    let launches_ns = if state.order[0] == 1 { 0.0 } else { 60.0 };
    let mut report = Report::time_ns(launches_ns + parts.iter().map(|part| part.time_ns).sum::<f64>());
    report.parts = parts;
    report
}

/// The time of the best path.
pub fn best_ns() -> f64 {
    TIMES_NS.iter().sum()
}

/// A strategy over paths, by name.
#[derive(Clone, Debug)]
pub enum Walker {
    Random,
    Genetic,
    Colony(Ants),
}

impl Walker {
    pub fn begin(&self, seed: u64) -> Box<dyn PathStrategy> {
        match self {
            Self::Random => Box::new(RandomPaths::new(seed)),
            Self::Genetic => Box::new(GeneticPaths::new(seed)),
            Self::Colony(ants) => Box::new(AntColony::with(ants.clone(), seed)),
        }
    }
}

pub type Search<D, S = Box<dyn PathStrategy>> = Engine<Paths<D, S>>;

pub fn begin<D: Decisions>(decisions: D, walker: &Walker, seed: u64, evaluations: usize) -> Search<D> {
    Engine::new(Paths::new(decisions, walker.begin(seed)), Budget::evaluations(evaluations))
}

/// Runs a search to its end, `room` at a time, each batch told in reverse order.
pub fn finish<D: Decisions, S: PathStrategy>(
    search: &mut Search<D, S>,
    room: usize,
    answer: impl Fn(&[Crossing]) -> Report,
) -> Vec<Path> {
    let mut proposed = Vec::new();
    loop {
        match search.ask(room).unwrap() {
            Ask::Evaluate(paths) => {
                assert!(!paths.is_empty() && paths.len() <= room);
                for path in paths.iter().rev() {
                    search.tell(path, answer(path)).unwrap();
                }
                proposed.extend(paths);
            }
            Ask::Wait => panic!("nothing is under way"),
            Ask::Done(_) => return proposed,
        }
    }
}

/// Returns what a search of 50 evaluations proposes.
pub fn proposals(walker: &Walker, seed: u64) -> Vec<Path> {
    finish(&mut begin(Kernels::default(), walker, seed, 50), 1, answer)
}

/// Returns the share of the best speed that a search of so many evaluations finds, mean over 20 seeds.
pub fn mean_found(kernels: Kernels, walker: &Walker, evaluations: usize) -> f64 {
    let mut sum = 0.0;
    for seed in 0..20 {
        let mut search = begin(kernels, walker, seed, evaluations);
        finish(&mut search, 10, answer);
        sum += search.best().map_or(0.0, |best| best_ns() / best.report.evaluation.time_ns().unwrap());
    }
    sum / 20.0
}
