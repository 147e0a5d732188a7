//! Strategies over paths, and what an engine drives them by.

use super::decisions::{Decisions, Path};
use super::report::Report;
use super::walk::WalkError;
use crate::{Measurement, Observation, Proposer};

/// A search strategy over [`Decisions`], in steps as those of a [`Proposer`].
pub trait PathStrategy: Send {
    /// Proposes the paths of the next step, none of which was proposed before; nothing when none is left.
    ///
    /// # Errors
    /// When no path of the space can be completed, or it breaks what [`Decisions`] promises.
    fn propose(&mut self, decisions: &dyn Decisions) -> Result<Vec<Path>, WalkError>;

    /// Learns from the reports of a complete step, in the order of its paths.
    fn learn(&mut self, decisions: &dyn Decisions, step: &[Observation<Path, Report>]);
}

impl<S: PathStrategy + ?Sized> PathStrategy for Box<S> {
    fn propose(&mut self, decisions: &dyn Decisions) -> Result<Vec<Path>, WalkError> {
        (**self).propose(decisions)
    }

    fn learn(&mut self, decisions: &dyn Decisions, step: &[Observation<Path, Report>]) {
        (**self).learn(decisions, step);
    }
}

/// A strategy at work on a space of [`Decisions`], for an [`Engine`](crate::Engine).
///
/// ```
/// use nitro_search::{
///     AntColony, Ask, Budget, Crossing, Decision, Decisions, Engine, NodeKey, Paths, Report, Step,
/// };
///
/// /// Three loops, each unrolled 1, 2, 4 or 8 times, together at most 64 times.
/// struct Unrolling;
///
/// impl Decisions for Unrolling {
///     fn next(&self, path: &[Crossing]) -> Step {
///         let unrolled: usize = path.iter().map(|crossing| 1 << crossing.option).product();
///         let key = NodeKey::new("unroll").statements([path.len() as u32]);
///         let decision = Decision::new(key, 4).only(|option| unrolled << option <= 64);
///         if path.len() < 3 { Step::Choose(decision) } else { Step::Complete }
///     }
/// }
///
/// let strategy = Paths::new(Unrolling, AntColony::new(0));
/// let mut search = Engine::new(strategy, Budget::evaluations(50));
/// while let Ask::Evaluate(paths) = search.ask(4)? {
///     for path in paths {
///         let time_ns = [3.0, 2.0, 1.0, 4.0].map(|time| time * 100.0); // here a program would be compiled and run
///         let sum_ns = path.iter().map(|crossing| time_ns[crossing.option]).sum();
///         search.tell(&path, Report::time_ns(sum_ns))?;
///     }
/// }
/// assert_eq!(search.best().unwrap().report, Report::time_ns(300.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Paths<D, S = Box<dyn PathStrategy>> {
    decisions: D,
    strategy: S,
}

impl<D: Decisions, S: PathStrategy> Paths<D, S> {
    /// Joins a space and a strategy that has not begun.
    pub fn new(decisions: D, strategy: S) -> Self {
        Self { decisions, strategy }
    }

    /// Returns the strategy.
    pub fn strategy(&self) -> &S {
        &self.strategy
    }
}

impl<D: Decisions, S: PathStrategy> Proposer for Paths<D, S> {
    type Proposal = Path;
    type Report = Report;
    type Error = WalkError;

    fn propose(&mut self, _: usize) -> Result<Vec<Path>, WalkError> {
        self.strategy.propose(&self.decisions)
    }

    fn learn(&mut self, step: &[Observation<Path, Report>]) {
        self.strategy.learn(&self.decisions, step);
    }

    fn name(&self, path: &Path) -> String {
        let choices: Vec<String> =
            path.iter().map(|crossing| format!("{} {}", crossing.node, crossing.option)).collect();
        format!("the path {}", choices.join(", "))
    }
}

impl Measurement for Report {
    fn evaluation(&self) -> crate::Evaluation {
        self.evaluation
    }

    fn fault(&self) -> Option<(String, f64)> {
        for part in &self.parts {
            if !part.time_ns.is_finite() || part.time_ns < 0.0 {
                return Some((format!("time of {}", part.part), part.time_ns));
            }
        }
        let metrics = self.parts.iter().flat_map(|part| &part.metrics).chain(&self.metrics);
        let mut infinite = metrics.filter(|(_, value)| !value.is_finite());
        infinite.next().map(|(name, value)| (format!("metric {name}"), *value))
    }
}
