//! A program that nobody runs: edits with small effects that add up, pairs that do not, and edits that fail.
//!
//! Its figures are like those of logs of real programs: of 63 single draws some 13 live, half of what lives is the
//! original's machine code, nearly all that pays saves less than 1 %, and times vary by 0.5 % from run to run.

use nitro_search::Failure;
use nitro_search::evolve::{Evolution, Fitness, PatchSpace, Purpose, Report, Trial};
use nitro_stats::random::Random;

/// The number of edits that are suggested.
const SUGGESTIONS: u32 = 160;
/// The number of other edits.
const OTHERS: u32 = 4000;
/// The standard deviation of a time, as a share of it.
const NOISE: f64 = 0.005;
/// The share of the original's time below which something looks faster, and is validated.
const LOOKS_FASTER: f64 = 0.99;

/// A landscape, which its seed draws.
pub struct Landscape {
    seed: u64,
    /// The most error that is allowed.
    pub max_error: f64,
    /// The share of those that pay among edits that nothing suggests and that live.
    paying: f64,
}

/// The properties of an edit.
struct Properties {
    lives: bool,
    /// The change of the logarithm of the time; 0 for the machine code as it was.
    effect: f64,
    /// Set if it is wrong with the inputs of the validation.
    is_wrong: bool,
    error: f64,
}

impl Landscape {
    /// Creates the landscape of a seed.
    pub fn new(seed: u64, max_error: f64, paying: f64) -> Self {
        Self { seed, max_error, paying }
    }

    /// Draws random numbers that depend on some edits alone.
    fn random(&self, one: u32, other: u32) -> Random {
        let mut random = Random::new(self.seed.wrapping_mul(0x1_0001).wrapping_add(u64::from(one)));
        Random::new(random.next_u64() ^ u64::from(other))
    }

    /// Returns what an edit does.
    fn properties(&self, edit: u32) -> Properties {
        let mut random = self.random(edit, u32::MAX);
        let is_suggested = edit < SUGGESTIONS;
        let (live, pay, gain, loss) =
            if is_suggested { (0.4, 0.6, 0.005, 0.01) } else { (0.12, self.paying, 0.004, 0.02) };
        let lives = random.unit() < live;
        let is_neutral = random.unit() < 0.5;
        let size = -(1.0 - random.unit()).ln();
        let effect = match random.unit() {
            _ if is_neutral => 0.0,
            draw if is_suggested && draw < 1.0 / 45.0 => -0.02 - 0.01 * size,
            draw if draw < pay => -gain * size,
            _ => loss * size,
        };
        let is_wrong = random.unit() < 0.05;
        let error = if random.unit() < 0.15 && effect < 0.0 { 0.003 * random.unit() } else { 0.0 };
        Properties { lives, effect, is_wrong, error }
    }

    /// Returns what two edits do together beside what each does; none where they fail.
    fn pair(&self, edits: [u32; 2], effects: [f64; 2]) -> Option<f64> {
        let mut random = self.random(edits[0], edits[1]);
        if random.unit() < 0.01 {
            return None;
        }
        let is_redundant = random.unit() < 0.03 && effects.iter().all(|effect| *effect < 0.0);
        let helps = random.unit() < 0.002;
        let redundant = if is_redundant { -effects[0].max(effects[1]) } else { 0.0 };
        Some(redundant - if helps { 0.01 + 0.02 * random.unit() } else { 0.0 })
    }

    /// Returns the logarithm of the time as a share of the original's and the error; none where the edits fail.
    pub fn truth(&self, edits: &[u32]) -> Option<(f64, f64)> {
        let all: Vec<Properties> = edits.iter().map(|&edit| self.properties(edit)).collect();
        if all.iter().any(|own| !own.lives) {
            return None;
        }
        let (mut log_time, mut error) = (0.0, 0.0);
        for (at, own) in all.iter().enumerate() {
            log_time += own.effect;
            error += own.error;
            for other in (0..at).filter(|&other| own.effect != 0.0 && all[other].effect != 0.0) {
                log_time += self.pair([edits[other], edits[at]], [all[other].effect, own.effect])?;
            }
        }
        let is_wrong = log_time < LOOKS_FASTER.ln() && all.iter().any(|own| own.is_wrong);
        (!is_wrong && error <= self.max_error).then_some((log_time, error))
    }

    /// Reports on a trial as an evaluator would.
    pub fn report(&self, evolution: &Evolution<&Self>, trial: &Trial<u32>, number: usize) -> Report {
        let Some((log_time, error)) = self.truth(&trial.edits) else { return Report::Failed(Failure::Wrong) };
        let changing = trial.edits.iter().filter(|&&edit| self.properties(edit).effect != 0.0);
        let code = changing.fold(1, |code, &edit| Random::new(code ^ u64::from(edit)).next_u64());
        if trial.purpose == Purpose::Search && evolution.measured(code).is_some() {
            return Report::Same(code);
        }
        let mut random = self.random(u32::MAX, number as u32);
        // The sum of twelve even numbers is close to a normal one.
        let normal = (0..12).map(|_| random.unit()).sum::<f64>() - 6.0;
        let time_ns = 1e6 * (log_time + NOISE * normal).exp();
        Report::Ran { fitness: Fitness { time_ns, error }, code: Some(code) }
    }

    /// Returns how many times as fast the best exact union of suggestions is that climbing with the true times finds.
    pub fn best_union(&self) -> f64 {
        let mut paying = Vec::new();
        for edit in 0..SUGGESTIONS {
            let truth = self.truth(&[edit]).filter(|(log_time, error)| *log_time != 0.0 && *error == 0.0);
            paying.extend(truth.filter(|_| !self.properties(edit).is_wrong).map(|_| edit));
        }
        let mut union: Vec<u32> = Vec::new();
        let mut best = 0.0;
        loop {
            // The one edit more or less that pays most.
            let mut step: Option<(f64, Vec<u32>)> = None;
            for edit in &paying {
                let mut changed = union.clone();
                match changed.iter().position(|own| own == edit) {
                    Some(at) => drop(changed.remove(at)),
                    None => changed.push(*edit),
                }
                changed.sort_unstable();
                if let Some((log_time, _)) = self.truth(&changed)
                    && log_time < step.as_ref().map_or(best, |(least, _)| *least)
                {
                    step = Some((log_time, changed));
                }
            }
            let Some((log_time, changed)) = step else { return (-best).exp() };
            (best, union) = (log_time, changed);
        }
    }
}

impl PatchSpace for Landscape {
    type Edit = u32;

    /// Draws a suggestion in a third of the draws.
    fn mutate(&self, edits: &[u32], seed: u64) -> Option<u32> {
        let mut random = Random::new(seed);
        let is_suggestion = random.below(3) == 0;
        let edit = if is_suggestion {
            random.below(SUGGESTIONS as usize)
        } else {
            SUGGESTIONS as usize + random.below(OTHERS as usize)
        };
        Some(edit as u32).filter(|edit| !edits.contains(edit))
    }

    fn is_valid(&self, _: &[u32]) -> bool {
        true
    }

    fn suggestions(&self) -> usize {
        SUGGESTIONS as usize
    }

    fn suggestion(&self, number: usize, _: u64) -> Option<u32> {
        Some(number as u32)
    }
}
