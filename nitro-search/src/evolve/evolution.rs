//! The population of an evolution of edits.

use std::collections::{HashMap, HashSet};
use std::convert::Infallible;

use super::breed::{self, Edits};
use super::model::Model;
use super::rank::{Standing, front, standings};
use super::records::Records;
use super::{EvolvePlan, Finalist, Fitness, PatchSpace, Purpose, Report, Rules, Trial, TrialId};
use crate::random::Random;
use crate::{Evaluation, Failure, Measurement, Observation, Proposer, TellError};

/// The number of the individual without edits, which is the first.
pub(super) const ORIGINAL: usize = 0;

/// An evolution of edits, for an [`Engine`](crate::Engine). Its steps are generations.
///
/// The first trial is the program as it is.
///
/// ```
/// use nitro_search::{Ask, Budget, Engine};
/// use nitro_search::evolve::{Evolution, EvolvePlan, Fitness, PatchSpace, Report};
///
/// /// Switches that take a share of the time; 3 and 4 only together.
/// struct Switches;
///
/// impl PatchSpace for Switches {
///     type Edit = u8;
///
///     fn mutate(&self, edits: &[u8], seed: u64) -> Option<u8> {
///         Some((seed % 9) as u8).filter(|edit| !edits.contains(edit))
///     }
///
///     fn is_valid(&self, _: &[u8]) -> bool {
///         true
///     }
/// }
///
/// let plan = EvolvePlan { population: 32, generations: 20, ..EvolvePlan::default() };
/// let mut search = Engine::new(Evolution::new(Switches, plan), Budget::default());
/// while let Ok(Ask::Evaluate(trials)) = search.ask(4) {
///     for trial in trials {
///         let pair = [3, 4].iter().filter(|edit| trial.edits.contains(edit)).count();
///         let time_ns = 100.0 + [0.0, 5.0, -20.0][pair] + trial.edits.len() as f64 * 2.0; // here it would be run
///         search.tell(&trial, Report::Ran { fitness: Fitness { time_ns, error: 0.0 }, code: None })?;
///     }
/// }
/// let finalists = search.proposer().finalists();
/// assert_eq!((finalists[0].edits.clone(), finalists[0].search.time_ns), (vec![3, 4], 84.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Evolution<P: PatchSpace> {
    pub(super) space: P,
    pub(super) plan: EvolvePlan,
    random: Random,
    pub(super) records: Records<P::Edit>,
    /// Machine code that ran in this generation, with the first of its times.
    fresh: HashMap<u64, Fitness>,
    /// The individual and the purpose of each trial, by number.
    pub(super) trials: Vec<(usize, Purpose)>,
    /// Those that may have children, the best first.
    pub(super) population: Vec<usize>,
    standings: Vec<Standing>,
    /// Made of them, and not yet known.
    children: Vec<usize>,
    /// Joins the first generation.
    given: Vec<Edits<P>>,
    /// Generations that are complete.
    pub(super) generation: usize,
    /// The number of suggestions that were made, and of trials from which on none is made alone.
    pub(super) suggested: usize,
    pub(super) most_screened: usize,
    /// Set if hardly any single edit is new.
    pub(super) is_dry: bool,
    /// The model of what was measured until this generation, and the variance from run to run.
    pub(super) model: Option<Model<P::Edit>>,
    pub(super) noise_variance: Option<f64>,
}

impl<P: PatchSpace> Evolution<P> {
    /// An evolution that has not begun.
    #[must_use]
    pub fn new(space: P, plan: EvolvePlan) -> Self {
        Self::with_patches(space, plan, Vec::new())
    }

    /// An evolution that has not begun, with patches that join its first generation.
    ///
    /// Each is evaluated like any other candidate, whatever was measured elsewhere. What is proposed depends on the
    /// patches, too: [`Engine::restore`](crate::Engine::restore) wants the same ones in the same order.
    ///
    /// ```
    /// use nitro_search::{Ask, Budget, Engine};
    /// use nitro_search::evolve::{Evolution, EvolvePlan, Fitness, PatchSpace, Report};
    ///
    /// /// Switches, of which chance finds the first three.
    /// struct Switches;
    ///
    /// impl PatchSpace for Switches {
    ///     type Edit = u8;
    ///
    ///     fn mutate(&self, _: &[u8], seed: u64) -> Option<u8> {
    ///         Some((seed % 3) as u8)
    ///     }
    ///
    ///     fn is_valid(&self, _: &[u8]) -> bool {
    ///         true
    ///     }
    /// }
    ///
    /// let plan = EvolvePlan { population: 8, generations: 4, ..EvolvePlan::default() };
    /// let evolution = Evolution::with_patches(Switches, plan, vec![vec![7]]);
    /// let mut search = Engine::new(evolution, Budget::default());
    /// while let Ok(Ask::Evaluate(trials)) = search.ask(8) {
    ///     for trial in trials {
    ///         let time_ns = if trial.edits.contains(&7) { 50.0 } else { 100.0 }; // here it would be run
    ///         search.tell(&trial, Report::Ran { fitness: Fitness { time_ns, error: 0.0 }, code: None })?;
    ///     }
    /// }
    /// assert_eq!(search.proposer().finalists()[0].edits, [7]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn with_patches(space: P, plan: EvolvePlan, patches: Vec<Vec<P::Edit>>) -> Self {
        Self {
            space,
            random: Random::new(plan.seed),
            most_screened: plan.most_screened(),
            plan,
            records: Records::new(),
            fresh: HashMap::new(),
            trials: Vec::new(),
            population: Vec::new(),
            standings: Vec::new(),
            children: Vec::new(),
            given: patches.into_iter().map(breed::set::<P>).collect(),
            generation: 0,
            suggested: 0,
            is_dry: false,
            model: None,
            noise_variance: None,
        }
    }

    /// Returns the program that is edited.
    #[must_use]
    pub fn space(&self) -> &P {
        &self.space
    }

    /// Returns time and error of this machine code with the inputs of the search, if it ran before.
    ///
    /// A new trial that comes to it is told as [`Report::Same`].
    #[must_use]
    pub fn measured(&self, code: u64) -> Option<Fitness> {
        self.records.of_code(code).or_else(|| self.fresh.get(&code).copied())
    }

    /// Returns the time with the inputs of the search below which something counts as faster than the program as it
    /// is; none before that has run.
    #[must_use]
    pub fn to_beat_ns(&self) -> Option<f64> {
        Some(self.original()?.time_ns * (1.0 - self.plan.margin))
    }

    /// Returns time and error of the program as it is, with the inputs of the search; none before it has run.
    #[must_use]
    pub fn original(&self) -> Option<Fitness> {
        if self.records.numbers().is_empty() { None } else { self.records.fitness(ORIGINAL) }
    }

    /// Breeds no further generation. The one that is under way is the last, and then the front is measured again and
    /// shown to the validation, as far as it was not.
    ///
    /// For whoever has no more time: how long something takes is not known before.
    pub fn finish(&mut self) {
        self.most_screened = 0;
        self.plan.generations = self.plan.generations.min(self.generation);
    }

    /// Returns how many generations are complete, the first included.
    #[must_use]
    pub fn generation(&self) -> usize {
        self.generation
    }

    /// Returns the front so far, by ascending error: each is faster, by more than the margin, than all with less
    /// error.
    #[must_use]
    pub fn front(&self) -> Vec<(&[P::Edit], Fitness)> {
        let mut front = Vec::new();
        for number in self.front_numbers() {
            front.extend(self.records.fitness(number).map(|fitness| (self.records.edits(number), fitness)));
        }
        front
    }

    /// Returns those of the front that ran more than once and that the validation has accepted: all of them when the
    /// evolution is over.
    #[must_use]
    pub fn finalists(&self) -> Vec<Finalist<P::Edit>> {
        self.front_numbers().into_iter().filter_map(|number| self.finalist(number)).collect()
    }

    fn finalist(&self, number: usize) -> Option<Finalist<P::Edit>> {
        let measured = self.records.measured(number).filter(|measured| measured.runs() > 1)?;
        let validation = measured.validation?;
        Some(Finalist {
            edits: self.records.edits(number).to_vec(),
            search: self.records.fitness(number)?,
            validation,
        })
    }

    fn front_numbers(&self) -> Vec<usize> {
        let live = self.records.numbers().filter_map(|number| Some((number, self.believed(number)?)));
        let mut live: Vec<(usize, Fitness)> = live.collect();
        // Of those that are the same, what is fewer edits.
        live.sort_by_key(|(number, _)| self.records.edits(*number).len());
        let fitness: Vec<Fitness> = live.iter().map(|(_, fitness)| *fitness).collect();
        front(&fitness, self.plan.margin).into_iter().map(|at| live[at].0).collect()
    }

    /// Proposes the program as it is, the patches that were given, and single edits by chance.
    fn begin(&mut self) -> Vec<(usize, Purpose)> {
        let mut first: Vec<Edits<P>> = vec![Vec::new()];
        first.append(&mut self.given);
        if self.plan.rules == Rules::Model {
            let mut proposals = self.add(first);
            proposals.extend(self.screen());
            return proposals;
        }
        let seeds = self.seeds(self.plan.population.saturating_sub(1));
        first.extend(breed::on_cores(&seeds, |random| breed::first(&self.space, random)));
        self.add(first)
    }

    /// Makes the best of elites and children the new population.
    ///
    /// By the rules of the model parents stand beside children, so that one that fails costs no place, each machine
    /// code is there once, and of two times that are believed the smaller is better by however little.
    fn select(&mut self) {
        let is_model = self.plan.rules == Rules::Model;
        let (parents, margin) =
            if is_model { (self.population.len(), 0.0) } else { (self.plan.elites(), self.plan.margin) };
        let mut pool: Vec<usize> =
            self.population.iter().take(parents).chain(&self.children).copied().collect();
        pool.sort_unstable();
        pool.dedup();
        if is_model {
            pool.sort_by_key(|&number| self.records.edits(number).len());
            let mut codes = HashSet::new();
            pool.retain(|&number| self.records.code(number).is_some_and(|code| codes.insert(code)));
        }
        let live = pool.into_iter().filter_map(|number| Some((number, self.believed(number)?)));
        let (numbers, fitness): (Vec<usize>, Vec<Fitness>) = live.unzip();
        let mut ranked: Vec<(usize, Standing)> =
            numbers.into_iter().zip(standings(&fitness, margin)).collect();
        ranked.sort_by(|(one, standing), (other, other_standing)| {
            standing.compare(other_standing).then(one.cmp(other))
        });
        ranked.truncate(self.plan.population);
        (self.population, self.standings) = ranked.into_iter().unzip();
    }

    fn next_generation(&mut self) -> Vec<(usize, Purpose)> {
        // The program as it is, too: all are held against it, and a first time may have been taken while the device
        // was slow.
        let elites = self.population.iter().take(self.plan.elites()).filter(|elite| **elite != ORIGINAL);
        let again = self.original().map(|_| &ORIGINAL).into_iter().chain(elites);
        let mut proposals: Vec<_> = again.map(|&number| (number, Purpose::Again)).collect();
        if self.generation.is_multiple_of(self.plan.validate_every.max(1)) {
            let confirmations = self.confirmations();
            let new: Vec<_> = confirmations.into_iter().filter(|one| !proposals.contains(one)).collect();
            proposals.extend(new);
        }
        self.children.clear();
        let mut children = match self.plan.rules {
            Rules::Model => self.guided(),
            Rules::Paper if self.generation == 1 => self.unite(),
            Rules::Paper => Vec::new(),
        };
        if children.is_empty() {
            children = self.breed();
        }
        proposals.extend(self.add(children));
        proposals
    }

    /// Proposes what is on the front and was not validated yet, or ran once only.
    fn confirmations(&self) -> Vec<(usize, Purpose)> {
        let mut open = Vec::new();
        for number in self.front_numbers() {
            let Some(measured) = self.records.measured(number) else { continue };
            open.extend((measured.runs() < 2).then_some((number, Purpose::Again)));
            open.extend(measured.validation.is_none().then_some((number, Purpose::Validation)));
        }
        open
    }

    /// Makes unions of what ran with one edit, as the paper begins; none where nothing did.
    fn unite(&mut self) -> Vec<Edits<P>> {
        let seeds = self.seeds(self.plan.population);
        let ran = self.population.iter().map(|&number| self.records.edits(number));
        let ran: Vec<&[P::Edit]> = ran.filter(|edits| !edits.is_empty()).collect();
        let seeds = if ran.is_empty() { &[] } else { &seeds[..] };
        breed::on_cores(seeds, |random| breed::unite(&self.space, &ran, random))
    }

    fn breed(&mut self) -> Vec<Edits<P>> {
        let pairs = if self.population.is_empty() { 0 } else { self.plan.population.div_ceil(2) };
        let seeds = self.seeds(pairs);
        breed::on_cores(&seeds, |random| self.pair(random)).into_iter().flatten().collect()
    }

    /// Makes two children.
    fn pair(&self, random: &mut Random) -> [Edits<P>; 2] {
        self.crossed(random).map(|child| match random.unit() < self.plan.mutation {
            true => breed::mutate(&self.space, child, random),
            false => child,
        })
    }

    /// Makes two children that have nothing new.
    pub(super) fn crossed(&self, random: &mut Random) -> [Edits<P>; 2] {
        let parents = [self.parent(random), self.parent(random)];
        let [one, other] = parents.map(|parent| self.records.edits(parent));
        let has_enough = one.len() >= 2 || other.len() >= 2;
        if has_enough && random.unit() < self.plan.crossover {
            breed::cross(&self.space, [one, other], random)
        } else {
            [one.to_vec(), other.to_vec()]
        }
    }

    /// Draws a seed for each individual, so that it does not matter which is bred first.
    pub(super) fn seeds(&mut self, count: usize) -> Vec<u64> {
        (0..count).map(|_| self.random.next_u64()).collect()
    }

    /// Draws the winner of a binary tournament.
    fn parent(&self, random: &mut Random) -> usize {
        let count = self.population.len();
        let (one, other) = (random.below(count), random.below(count));
        let is_first = self.standings[one].compare(&self.standings[other]).is_le();
        self.population[if is_first { one } else { other }]
    }

    /// Makes all of them children, and proposes those that nobody has seen.
    pub(super) fn add(&mut self, all: Vec<Edits<P>>) -> Vec<(usize, Purpose)> {
        let mut new = Vec::new();
        for edits in all {
            let (number, is_new) = self.records.number(edits);
            self.children.push(number);
            new.extend(is_new.then_some((number, Purpose::Search)));
        }
        new
    }
}

impl<P: PatchSpace> Proposer for Evolution<P> {
    type Proposal = Trial<P::Edit>;
    type Report = Report;
    type Error = Infallible;

    fn propose(&mut self, _: usize) -> Result<Vec<Trial<P::Edit>>, Infallible> {
        let has_begun = !self.trials.is_empty();
        let is_screening = has_begun && self.is_screening();
        if has_begun && !is_screening && self.generation <= self.plan.generations {
            self.generation += 1;
            if self.plan.rules == Rules::Model {
                self.fit();
            }
            self.select();
        }
        let proposals = match self.generation {
            _ if !has_begun => self.begin(),
            _ if is_screening => self.screen(),
            generation if generation <= self.plan.generations => self.next_generation(),
            _ => self.confirmations(),
        };
        let mut step = Vec::with_capacity(proposals.len());
        for (individual, purpose) in proposals {
            let id = TrialId(self.trials.len() as u64);
            step.push(Trial { id, purpose, edits: self.records.edits(individual).to_vec() });
            self.trials.push((individual, purpose));
        }
        Ok(step)
    }

    /// Refuses places that are none, and [`Report::Same`] where the machine code was not measured, or was to be run again.
    fn judge(&mut self, trial: &Trial<P::Edit>, report: &Report) -> Result<Evaluation, TellError> {
        match *report {
            Report::Ran { fitness, code } => {
                if let Some(code) = code.filter(|_| trial.purpose == Purpose::Search) {
                    self.fresh.entry(code).or_insert(fitness);
                }
                if fitness.error > self.plan.max_error {
                    return Ok(Evaluation::Failed(Failure::Wrong));
                }
            }
            Report::Same(code) if trial.purpose != Purpose::Search || self.measured(code).is_none() => {
                return Err(TellError::Foreign(self.name(trial)));
            }
            Report::Blamed(places) if places.iter().any(|&at| at >= trial.edits.len()) => {
                return Err(TellError::Foreign(self.name(trial)));
            }
            Report::Same(_) | Report::Failed(_) | Report::Blamed(_) => {}
        }
        Ok(report.evaluation())
    }

    fn learn(&mut self, step: &[Observation<Trial<P::Edit>, Report>]) {
        self.fresh.clear();
        // A report that says `Same` stands on another one that ran, maybe of the same generation: those come first.
        let (same, ran): (Vec<_>, Vec<_>) =
            step.iter().partition(|own| matches!(own.report, Report::Same(_)));
        for own in ran.into_iter().chain(same) {
            let (individual, purpose) = self.trials[own.proposal.id.0 as usize];
            let max_error = self.plan.max_error;
            if let Report::Blamed(places) = own.report {
                self.records.refuse(places.map(|at| own.proposal.edits[at].clone()));
            }
            match purpose {
                Purpose::Search => self.records.search(individual, own.report, max_error),
                Purpose::Again => self.records.again(individual, own.report, max_error),
                Purpose::Validation => self.records.validation(individual, own.report, max_error),
            }
        }
    }

    fn name(&self, trial: &Trial<P::Edit>) -> String {
        trial.id.to_string()
    }
}

impl Measurement for Report {
    fn evaluation(&self) -> Evaluation {
        match *self {
            Self::Ran { fitness, .. } => Evaluation::TimeNs(fitness.time_ns),
            Self::Same(_) => Evaluation::Failed(Failure::Invalid), // it is no better than what has its code
            Self::Failed(failure) => Evaluation::Failed(failure),
            Self::Blamed(_) => Evaluation::Failed(Failure::Wrong),
        }
    }

    fn fault(&self) -> Option<(String, f64)> {
        match *self {
            Self::Ran { fitness: Fitness { error, .. }, .. } if !error.is_finite() || error < 0.0 => {
                Some(("error".to_owned(), error))
            }
            _ => None,
        }
    }
}
