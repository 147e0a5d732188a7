//! Generated code: the trait of whatever writes the texts that a search is to try.

use std::convert::Infallible;

use crate::{Crossing, Decisions, Evaluation, Proposer};

/// An error of any kind.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// A strategy that proposes texts of a [`Generator`] until it has proved that nothing is faster.
///
/// Behind an [`Engine`](crate::Engine) it is driven as follows.
///
/// - [`restore`](crate::Engine::restore) takes times of texts that are known, in any order, also one by one; a text
///   that is none of the generator's is [`Foreign`](crate::TellError::Foreign).
/// - [`ask`](crate::Engine::ask) gives at most so many texts, at least one. The more are timed at once, the less is
///   pruned by their times.
/// - [`tell`](crate::Engine::tell) takes the times in any order. A time below its bound is
///   [`Unsound`](crate::TellError::Unsound): the bound is wrong, and nothing is proved any more.
/// - [`gap`](crate::Engine::gap) says what is left to prove, also where a budget ended the search.
pub type Prover<'a> =
    Box<dyn Proposer<Proposal = String, Report = Evaluation, Error = Infallible> + Send + 'a>;

/// A function that bounds the times of what comes of a path, as [`Generator::path_bound`] says.
pub type PathBound<'a> = Box<dyn Fn(&[Crossing]) -> Option<f64> + Send + 'a>;

/// A description of a text of a [`Generator`], for people.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Description {
    /// To be read on a terminal.
    pub text: String,
    /// A page that needs nothing but itself.
    pub html: String,
    /// The passes that made the code, each with what there was after it; empty: the generator has none.
    pub passes: String,
}

/// The place where code is to run, whose limits a description compares it with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target<'a> {
    /// A device here by its name, e.g. `cuda:0`.
    Device(&'a str),
    /// An architecture, whether or not such a device is here, as devices of its kind number them: 90 is `sm_90`.
    Architecture(u32),
}

/// The settings of a proof ([`Generator::prover`]).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ProofPlan {
    /// The percentage of the best time by which something may still be faster.
    pub within_percent: f64,
    /// True where texts that differ only in what seldom matters are a class, and one stands for all: the proof then
    /// holds up to that, as its [`ClassCounts`](crate::ClassCounts) say.
    pub classes: bool,
    /// The seed of everything random.
    pub seed: u64,
}

/// A writer of code for a variant: it knows the decisions, and the text that comes of them.
///
/// A trainer takes it for a variant with a parameter `in artifacts` (`nitro_train::Tunable::generated`).
///
/// ```
/// use nitro_search::{BoxError, Crossing, Decision, Decisions, Generator, NodeKey, Step};
///
/// /// Loops that are unrolled and cut into blocks, as text that a variant understands.
/// struct Loops;
///
/// const BLOCKS: [usize; 4] = [16, 32, 64, 128];
///
/// impl Decisions for Loops {
///     fn next(&self, path: &[Crossing]) -> Step {
///         match path.len() {
///             0 => Step::Choose(Decision::new(NodeKey::new("block"), BLOCKS.len())),
///             1 => Step::Choose(Decision::new(NodeKey::new("unroll"), 3)),
///             _ => Step::Complete,
///         }
///     }
/// }
///
/// impl Generator for Loops {
///     fn decisions(&self) -> &dyn Decisions {
///         self
///     }
///
///     fn artifact(&self, path: &[Crossing]) -> Result<String, BoxError> {
///         let [block, unroll] = path else { return Err("a path has two decisions".into()) };
///         Ok(format!("block={} unroll={}", BLOCKS[block.option], 1 << unroll.option))
///     }
///
///     fn presets(&self) -> Vec<(String, String)> {
///         vec![("what experts write".to_owned(), "block=64 unroll=4".to_owned())]
///     }
/// }
///
/// assert!(matches!(Loops.decisions().next(&[]), Step::Choose(decision) if decision.allowed.len() == 4));
/// ```
pub trait Generator: Send + Sync {
    /// Returns the decisions. They are the same whenever this is asked: a search that was stopped goes on by asking
    /// again.
    fn decisions(&self) -> &dyn Decisions;

    /// The text that these decisions give, e.g. CUDA C++ with what it is launched with. The same decisions give the
    /// same text; two paths may give one text, which is evaluated once.
    ///
    /// # Errors
    /// When nothing can be made of them; the search goes on without that path.
    fn artifact(&self, path: &[Crossing]) -> Result<String, BoxError>;

    /// Returns the lower bound of times, in nanoseconds, on a device with these features.
    ///
    /// Nothing that comes of a path's decisions takes less than the bound of the path. A search does not run what is
    /// no faster by that than its best, so it has to be a true bound, not a guess. None where nothing is known, of the
    /// device or of a path; a generator has no bound unless it says otherwise.
    fn path_bound(&self, device: &dyn Fn(&str) -> Option<f64>) -> Option<PathBound<'_>> {
        let _ = device;
        None
    }

    /// Begins a search that proves: once it is [`Exhausted`](crate::StopReason::Exhausted), no text of the generator is
    /// faster than the best, as far as its plan says.
    ///
    /// It proposes texts as those of [`artifact`](Self::artifact), and recalls the times of texts that are known
    /// ([`Engine::restore`](crate::Engine::restore)), whoever proposed them. None where there is no bound of the
    /// times on a device with these features, as unless a generator says otherwise.
    fn prover(&self, device: &dyn Fn(&str) -> Option<f64>, plan: &ProofPlan) -> Option<Prover<'_>> {
        let _ = (device, plan);
        None
    }

    /// Texts, each with a name for people, that every search evaluates before the first path: what is known to be sane.
    fn presets(&self) -> Vec<(String, String)> {
        Vec::new()
    }

    /// Returns texts that a model takes for fast on an input and a device with these features, best first.
    ///
    /// A search evaluates them after the presets and before its first path. None, unless a generator says otherwise.
    fn guesses(&self, input: &str, device: &dyn Fn(&str) -> Option<f64>) -> Vec<String> {
        let _ = (input, device);
        Vec::new()
    }

    /// The part ([`Decision::part`](crate::Decision::part)) that a kernel of such a text runs, by the kernel's
    /// name: whose decisions a profiler's counters of the kernel are to answer for. None, unless a generator says
    /// otherwise.
    fn part_of(&self, artifact: &str, kernel: &str) -> Option<String> {
        let _ = (artifact, kernel);
        None
    }

    /// Describes such a text, how it was made, and what it takes of the target if one is named. None, unless a
    /// generator says otherwise.
    ///
    /// # Errors
    /// When the text is none of this generator's.
    fn describe(&self, artifact: &str, target: Option<Target<'_>>) -> Option<Result<Description, BoxError>> {
        let _ = (artifact, target);
        None
    }
}
