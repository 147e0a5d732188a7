//! Certificates of proofs: all that a proof rests on, and its check without a device.

use std::collections::BTreeMap;
use std::fmt;

use nitro_core::Artifact;
use nitro_search::{
    Ask, Budget, Engine, Evaluation, Generator, Observation, ProofPlan, Proposer, Prover, TellError, Tree,
};
use serde::{Deserialize, Serialize};

/// The form of certificates that this program writes and reads.
const FORM: u32 = 1;
/// Two bounds are the same if they differ by no more than this share: texts round numbers.
const ROUNDING: f64 = 1e-9;
/// What comes before the digest in a certificate's text, and after it.
const DIGEST: [&str; 2] = [",\"digest\":\"", "\"}"];
/// So many points without a time are named.
const NAMED: usize = 3;

/// A proof that nothing in a space is faster than what it found, with all that this rests on.
///
/// `train search --strategy prove --certificate FILE` writes one for each proof, and `train check --certificate FILE`
/// checks them. Each point that was timed stands for itself alone, unless the proof is one up to classes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Certificate {
    /// The form of the text.
    pub form: u32,
    /// The version of the program with the bound.
    pub program: String,
    /// The function.
    pub function: String,
    /// The variant, whose generator has the space.
    pub variant: String,
    /// The device.
    pub device: String,
    /// The input.
    pub input: String,
    /// The device features that the bound asked for.
    pub rates: BTreeMap<String, f64>,
    /// The percentage of the best time by which something may be faster.
    pub within_percent: f64,
    /// True where one point stands for those that differ only in what seldom matters.
    #[serde(default)]
    pub classes: bool,
    /// The seed of the search.
    pub seed: u64,
    /// The bound of the whole space in nanoseconds: by it, another version of the bound is known.
    pub root_ns: f64,
    /// The text of the fastest in the space.
    pub best: String,
    /// Its time in nanoseconds.
    pub best_ns: f64,
    /// Nothing in the space takes less than so many nanoseconds.
    pub proved_ns: f64,
    /// True if the search came to its end.
    pub is_complete: bool,
    /// The tree of the search; none where its strategy counts none.
    pub tree: Option<Tree>,
    /// Everything in the space that was evaluated.
    pub samples: Vec<Sample>,
}

/// An evaluated point of a [`Certificate`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sample {
    /// What was decided.
    pub name: String,
    /// The digest of its text.
    pub code: String,
    /// The result.
    pub result: Evaluation,
    /// Number of timed repeats that a time is the median of.
    pub repeats: u32,
    /// Interquartile range of these in nanoseconds.
    pub spread_ns: f64,
}

/// The findings about a certificate: the fields of `check --certificate --json`.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct CertificateCheck {
    /// The function.
    pub function: String,
    /// The variant.
    pub variant: String,
    /// The device.
    pub device: String,
    /// The input.
    pub input: String,
    /// What was proved again: nothing takes less than so many nanoseconds; none where that is less than is certified.
    pub proved_ns: Option<f64>,
    /// The tree of the proof that was made again, where its strategy counts one.
    pub tree: Option<Tree>,
    /// What no computation can check, a sentence each.
    pub rests_on: Vec<String>,
    /// The reasons why the certificate proves nothing, a sentence each; empty for one that holds.
    pub problems: Vec<String>,
}

impl Sample {
    /// Returns the digest of a text.
    fn digest(text: &str) -> String {
        Artifact::of(text).to_string()
    }

    pub(super) fn new(
        name: String,
        text: &str,
        result: Evaluation,
        (repeats, spread_ns): (u32, f64),
    ) -> Self {
        Self { name, code: Self::digest(text), result, repeats, spread_ns }
    }
}

impl Certificate {
    /// Returns a certificate of this program's form that proves nothing yet.
    #[must_use]
    pub fn begin() -> Self {
        let program = format!("{} {}", env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"));
        Self { form: FORM, program, ..Self::default() }
    }

    /// Writes it as a line that ends with a digest of all before. The digest finds accidents, not forgers.
    ///
    /// # Panics
    /// Never: all in it can be written as JSON.
    #[must_use]
    pub fn to_line(&self) -> String {
        let json = serde_json::to_string(self).expect("all fields can be written");
        let body = json.strip_suffix('}').expect("it is an object");
        format!("{body}{}{}{}", DIGEST[0], Sample::digest(body), DIGEST[1])
    }

    /// Reads a line.
    ///
    /// # Errors
    /// When it is no certificate, one of another form, or not as it was written.
    pub fn from_line(line: &str) -> Result<Self, String> {
        let parts = line.trim_end().strip_suffix(DIGEST[1]).and_then(|rest| rest.rsplit_once(DIGEST[0]));
        let (body, digest) = parts.ok_or("this is no certificate: it has no digest at its end")?;
        if Sample::digest(body) != digest {
            return Err("this certificate is not as it was written: its digest is another".to_owned());
        }
        let read: Self = serde_json::from_str(&format!("{body}}}"))
            .map_err(|error| format!("this certificate cannot be read: {error}"))?;
        match read.form {
            FORM => Ok(read),
            other => Err(format!("this certificate has the form {other}, and this program reads {FORM}")),
        }
    }

    /// Proves again what is certified: with its rates, the bounds of this program, and its times in the place of a
    /// device.
    ///
    /// The best is known from the beginning, so that the tree is that of any search that knew as much. Every point
    /// whose bound is not above what is certified has to be among the samples.
    #[must_use]
    pub fn check(&self, generator: &dyn Generator) -> CertificateCheck {
        let mut found = self.unchecked();
        let feature = |name: &str| self.rates.get(name).copied();
        let Self { within_percent, classes, seed, .. } = *self;
        match generator.prover(&feature, &ProofPlan { within_percent, classes, seed }) {
            Some(prover) => self.prove_again(prover, &mut found),
            None => found.problems.push("no time follows from the rates that it has".to_owned()),
        }
        found
    }

    /// Returns what is said of a certificate before anything is checked.
    pub(crate) fn unchecked(&self) -> CertificateCheck {
        let Self { function, variant, device, input, .. } = self.clone();
        let rests_on = self.rests_on();
        CertificateCheck { function, variant, device, input, rests_on, ..CertificateCheck::default() }
    }

    fn rests_on(&self) -> Vec<String> {
        let (timed, failed): (Vec<&Sample>, Vec<&Sample>) =
            self.samples.iter().partition(|own| own.result.time_ns().is_some());
        let (count, repeats) = (timed.len(), timed.iter().map(|own| own.repeats).min().unwrap_or(0));
        let times = format!("{count} times on {}, each the median of {repeats} repeats or more", self.device);
        let mut rests_on = vec![times];
        if !self.rates.is_empty() {
            let rates = self.rates.iter().map(|(name, value)| format!("{name} = {value}"));
            let rates: Vec<String> = rates.collect();
            rests_on.push(format!("rates of the device that it never exceeds: {}", rates.join(", ")));
        }
        let classes = self.tree.as_ref().and_then(|tree| tree.classes);
        rests_on.extend(classes.map(|classes| format!("samples of classes, as it holds {classes}")));
        if !failed.is_empty() {
            rests_on.push(format!("{} points that failed and would do so again", failed.len()));
        }
        rests_on
    }

    fn prove_again(&self, prover: Prover<'_>, found: &mut CertificateCheck) {
        let mut search = Engine::new(prover, Budget::default());
        let root_ns = search.proposer().proved_ns();
        if !alike(root_ns, self.root_ns) {
            found.problems.push(format!(
                "the bound of the whole space is {root_ns} ns here and {} ns in the certificate: the space or the bound \
                 is another one than that of {}",
                self.root_ns, self.program
            ));
        }
        let best = Observation { proposal: self.best.clone(), report: Evaluation::TimeNs(self.best_ns) };
        let name = search.proposer().name(&self.best);
        if !self.samples.iter().any(|own| own.name == name && own.result == best.report) {
            found.problems.push("the best is not among the samples with its time".to_owned());
        }
        if let Err(error) = search.proposer_mut().recall(&best) {
            found.problems.push(format!("the best: {error}"));
        }
        if found.problems.is_empty() {
            self.replay(&mut search, found);
        }
    }

    /// Answers a search from the samples until it has proved what is certified.
    fn replay(&self, search: &mut Engine<Prover<'_>>, found: &mut CertificateCheck) {
        let samples: BTreeMap<&str, &Sample> = self.samples.iter().map(|own| (&*own.name, own)).collect();
        let mut unknown = Vec::new();
        // An open proof is not gone through to its end: it would ask for what nobody has timed.
        while self.is_complete || !self.is_reached(search.proposer().proved_ns()) {
            let Ok(Ask::Evaluate(texts)) = search.ask(1) else { break };
            for text in texts {
                let name = search.proposer().name(&text);
                match samples.get(&*name) {
                    None => unknown.push(name),
                    Some(own) if own.code != Sample::digest(&text) => {
                        return found
                            .problems
                            .push(format!("another text is made now of: {}", one_line(&name)));
                    }
                    Some(own) => {
                        if let Err(error @ TellError::Unsound { .. }) = search.tell(&text, own.result) {
                            return found.problems.push(error.to_string());
                        }
                    }
                }
            }
        }
        let proved_ns = search.proposer().proved_ns();
        found.tree = search.proposer().tree();
        if !self.is_reached(proved_ns) {
            let names: Vec<String> = unknown.iter().take(NAMED).map(|name| one_line(name)).collect();
            return found.problems.push(format!(
                "nothing takes less than {proved_ns} ns, and {} ns is certified; {} points have no time, such as: {}",
                self.proved_ns,
                unknown.len(),
                names.join(" | ")
            ));
        }
        found.proved_ns = Some(proved_ns);
        if self.is_complete && found.tree.as_ref().is_some_and(|tree| !tree.is_complete()) {
            found.problems.push("the tree has not all points of the space".to_owned());
        }
    }

    fn is_reached(&self, proved_ns: f64) -> bool {
        proved_ns >= self.proved_ns * (1.0 - ROUNDING)
    }
}

impl fmt::Display for CertificateCheck {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { function, variant, device, input, .. } = self;
        write!(formatter, "{function} {variant} on {device}, input {input}: ")?;
        match self.proved_ns.filter(|_| self.problems.is_empty()) {
            Some(proved_ns) => writeln!(formatter, "nothing takes less than {:.4} ms", proved_ns / 1e6)?,
            None => writeln!(formatter, "nothing is proved")?,
        }
        self.rests_on.iter().try_for_each(|own| writeln!(formatter, "  rests on {own}"))?;
        let Some(tree) = &self.tree else { return Ok(()) };
        let Some(points) = tree.points else { return Ok(()) };
        writeln!(formatter, "  {points} points, of which were pruned:")?;
        for (level, own) in tree.levels.iter().enumerate().filter(|(_, own)| own.pruned_points > 0) {
            let share = 100.0 * own.pruned_points as f64 / points as f64;
            writeln!(formatter, "  {share:5.1} % on level {level}, in {} states", own.pruned)?;
        }
        Ok(())
    }
}

fn alike(one: f64, other: f64) -> bool {
    (one - other).abs() <= ROUNDING * one.abs().max(other.abs())
}

fn one_line(name: &str) -> String {
    name.trim().replace('\n', "; ")
}
