//! Ask and tell for patches.

use std::collections::HashMap;

use super::breed::{self, Edits};
use super::rank::{Standing, front, standings};
use super::records::Records;
use super::{EvolvePlan, Finalist, Fitness, PatchSpace, Purpose, Report, Told, Trial, TrialId};
use crate::course::Course;
use crate::random::Random;
use crate::{Ask, Evaluation, Failure, TellError};

/// The number of the individual without edits, which is the first.
const ORIGINAL: usize = 0;

/// An evolution of edits: [`ask`](Self::ask) what to evaluate, [`tell`](Self::tell) what that gave.
///
/// It proposes in generations and sees the outcomes of one at once, in the order of its proposals: what it proposes
/// depends on seed and outcomes alone. The first trial is the program as it is.
///
/// ```
/// use nitro_search::Ask;
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
/// let plan = EvolvePlan { population: 16, generations: 10, ..EvolvePlan::default() };
/// let mut evolution = Evolution::new(Switches, plan);
/// while let Ask::Evaluate(trials) = evolution.ask(4) {
///     for trial in trials {
///         let pair = [3, 4].iter().filter(|edit| trial.edits.contains(edit)).count();
///         let time_ns = 100.0 + [0.0, 5.0, -20.0][pair] + trial.edits.len() as f64 * 2.0; // here it would be run
///         evolution.tell(trial.id, Report::Ran { fitness: Fitness { time_ns, error: 0.0 }, code: None })?;
///     }
/// }
/// let finalists = evolution.finalists();
/// assert_eq!((finalists[0].edits.clone(), finalists[0].search.time_ns), (vec![3, 4], 84.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Evolution<P: PatchSpace> {
    space: P,
    plan: EvolvePlan,
    random: Random,
    records: Records<P::Edit>,
    course: Course<TrialId, Report>,
    /// Machine code that ran in this generation.
    fresh: HashMap<u64, Fitness>,
    /// What was asked for, by number: who, and for what.
    trials: Vec<(usize, Purpose)>,
    told: Vec<Told<P::Edit>>,
    /// Those that may have children, the best first.
    population: Vec<usize>,
    standings: Vec<Standing>,
    /// Made of them, and not yet known.
    children: Vec<usize>,
    /// Joins the first generation.
    given: Vec<Edits<P>>,
    /// Generations that are complete.
    generation: usize,
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
    /// patches, too: [`restore`](Self::restore) wants the same ones in the same order.
    ///
    /// ```
    /// use nitro_search::Ask;
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
    /// let mut evolution = Evolution::with_patches(Switches, plan, vec![vec![7]]);
    /// while let Ask::Evaluate(trials) = evolution.ask(8) {
    ///     for trial in trials {
    ///         let time_ns = if trial.edits.contains(&7) { 50.0 } else { 100.0 }; // here it would be run
    ///         evolution.tell(trial.id, Report::Ran { fitness: Fitness { time_ns, error: 0.0 }, code: None })?;
    ///     }
    /// }
    /// assert_eq!(evolution.finalists()[0].edits, [7]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn with_patches(space: P, plan: EvolvePlan, patches: Vec<Vec<P::Edit>>) -> Self {
        let (random, course) = (Random::new(plan.seed), Course::new(plan.budget));
        Self {
            space,
            plan,
            random,
            records: Records::new(),
            course,
            fresh: HashMap::new(),
            trials: Vec::new(),
            told: Vec::new(),
            population: Vec::new(),
            standings: Vec::new(),
            children: Vec::new(),
            given: patches.into_iter().map(breed::set::<P>).collect(),
            generation: 0,
        }
    }

    /// What is edited.
    #[must_use]
    pub fn space(&self) -> &P {
        &self.space
    }

    /// Up to `room` trials to evaluate next.
    pub fn ask(&mut self, room: usize) -> Ask<Trial<P::Edit>> {
        self.advance();
        match self.course.ask(room) {
            Ask::Evaluate(ids) => Ask::Evaluate(ids.into_iter().map(|id| self.trial(id)).collect()),
            Ask::Wait => Ask::Wait,
            Ask::Done(why) => Ask::Done(why),
        }
    }

    /// Time and error of this machine code with the inputs of the search, if it ran before: a new trial that comes
    /// to it is told as [`Report::Same`].
    #[must_use]
    pub fn measured(&self, code: u64) -> Option<Fitness> {
        self.records.of_code(code).or_else(|| self.fresh.get(&code).copied())
    }

    /// What a time with the inputs of the search has to be below to count as faster than the program as it is; none
    /// before that has run.
    #[must_use]
    pub fn to_beat_ns(&self) -> Option<f64> {
        Some(self.original()?.time_ns * (1.0 - self.plan.margin))
    }

    /// Time and error of the program as it is, with the inputs of the search; none before it has run.
    #[must_use]
    pub fn original(&self) -> Option<Fitness> {
        if self.records.numbers().is_empty() { None } else { self.records.fitness(ORIGINAL) }
    }

    /// What a trial gave.
    ///
    /// # Errors
    /// When it was not asked for or was told before, a number is none, or it is told as [`Report::Same`] although
    /// the machine code was not measured, or was to be run again.
    pub fn tell(&mut self, id: TrialId, report: Report) -> Result<(), TellError<TrialId>> {
        let evaluation = match report {
            Report::Ran { fitness: Fitness { error, .. }, .. } if !error.is_finite() || error < 0.0 => {
                return Err(TellError::Number(id, "error".to_owned(), error));
            }
            Report::Ran { fitness, .. } if fitness.error > self.plan.max_error => {
                Evaluation::Failed(Failure::Wrong)
            }
            Report::Ran { fitness, .. } => Evaluation::TimeNs(fitness.time_ns),
            Report::Same(code) => {
                match self.measured(code).filter(|_| self.purpose(id) == Some(Purpose::Search)) {
                    Some(_) => Evaluation::Failed(Failure::Invalid), // it is no better than what has its code
                    None => return Err(TellError::Foreign(id)),
                }
            }
            Report::Failed(failure) => Evaluation::Failed(failure),
        };
        self.course.tell(id, evaluation, report)?;
        let trial = self.trial(id);
        if let (Purpose::Search, Report::Ran { fitness, code: Some(code) }) = (trial.purpose, report) {
            self.fresh.entry(code).or_insert(fitness);
        }
        self.told.push(Told { trial, report });
        Ok(())
    }

    /// Breeds no further generation: what is under way is the last, and then what is on the front is measured again and shown to the validation, as far as it was not.
    ///
    /// For whoever has no more time: how long something takes is not known before.
    pub fn finish(&mut self) {
        self.plan.generations = self.plan.generations.min(self.generation);
    }

    /// Brings an evolution that has not begun to where another one of the same space and plan was that was told this, in whatever order. What was under way then is
    /// asked for again.
    ///
    /// # Errors
    /// When something is none of this evolution's.
    pub fn restore(&mut self, told: &[Told<P::Edit>]) -> Result<(), TellError<TrialId>> {
        let mut known: HashMap<TrialId, &Told<P::Edit>> =
            told.iter().map(|told| (told.trial.id, told)).collect();
        while !known.is_empty() {
            self.advance();
            let (trials, records) = (&self.trials, &self.records);
            let found = self.course.ask_known(|id| {
                let (individual, purpose) = trials[id.0 as usize];
                let is_it = |told: &&Told<P::Edit>| {
                    told.trial.purpose == purpose && told.trial.edits == records.edits(individual)
                };
                known.get(&id).copied().filter(is_it)
            });
            if found.is_empty() {
                break;
            }
            // What ran comes before what is the same as that.
            let is_same = |told: &Told<P::Edit>| matches!(told.report, Report::Same(_));
            let (same, ran): (Vec<_>, Vec<_>) = found.into_iter().partition(|(_, told)| is_same(told));
            for (id, told) in ran.into_iter().chain(same) {
                known.remove(&id);
                self.tell(id, told.report)?;
            }
        }
        known.keys().min().map_or(Ok(()), |&id| Err(TellError::Foreign(id)))
    }

    /// All that was told, in that order: what [`restore`](Self::restore) takes.
    #[must_use]
    pub fn told(&self) -> &[Told<P::Edit>] {
        &self.told
    }

    /// How many generations are complete, the first included.
    #[must_use]
    pub fn generation(&self) -> usize {
        self.generation
    }

    /// What is worth having so far, by ascending error: each is faster, by more than the margin, than all with less error.
    #[must_use]
    pub fn front(&self) -> Vec<(&[P::Edit], Fitness)> {
        let member = |number| Some((self.records.edits(number), self.records.fitness(number)?));
        self.front_numbers().into_iter().filter_map(member).collect()
    }

    /// Those of the front that ran more than once and that the validation has accepted: all of them when the evolution is over.
    #[must_use]
    pub fn finalists(&self) -> Vec<Finalist<P::Edit>> {
        let finalist = |number| {
            let measured = self.records.measured(number).filter(|measured| measured.runs() > 1)?;
            let validation = measured.validation?;
            let edits = self.records.edits(number).to_vec();
            Some(Finalist { edits, search: self.records.fitness(number)?, validation })
        };
        self.front_numbers().into_iter().filter_map(finalist).collect()
    }

    fn front_numbers(&self) -> Vec<usize> {
        let live = self.records.numbers().filter_map(|number| Some((number, self.records.fitness(number)?)));
        let mut live: Vec<(usize, Fitness)> = live.collect();
        // Of those that are the same, what is fewer edits.
        live.sort_by_key(|(number, _)| self.records.edits(*number).len());
        let fitness: Vec<Fitness> = live.iter().map(|(_, fitness)| *fitness).collect();
        front(&fitness, self.plan.margin).into_iter().map(|at| live[at].0).collect()
    }

    fn purpose(&self, id: TrialId) -> Option<Purpose> {
        self.trials.get(id.0 as usize).map(|(_, purpose)| *purpose)
    }

    fn trial(&self, id: TrialId) -> Trial<P::Edit> {
        let (individual, purpose) = self.trials[id.0 as usize];
        Trial { id, purpose, edits: self.records.edits(individual).to_vec() }
    }

    /// Goes on to the next generation when this one is complete.
    fn advance(&mut self) {
        let Some(told) = self.course.complete() else { return };
        self.fresh.clear();
        let (same, ran): (Vec<_>, Vec<_>) =
            told.into_iter().partition(|(_, report)| matches!(report, Report::Same(_)));
        for (id, report) in ran.into_iter().chain(same) {
            let (individual, purpose) = self.trials[id.0 as usize];
            match purpose {
                Purpose::Search => self.records.search(individual, report, self.plan.max_error),
                Purpose::Again => self.records.again(individual, report, self.plan.max_error),
                Purpose::Validation => self.records.validation(individual, report, self.plan.max_error),
            }
        }
        if self.course.left() == 0 {
            return;
        }
        let has_begun = !self.trials.is_empty();
        if has_begun && self.generation <= self.plan.generations {
            self.generation += 1;
            self.select();
        }
        let proposals = match self.generation {
            _ if !has_begun => self.begin(),
            generation if generation <= self.plan.generations => self.next_generation(),
            _ => self.confirmations(),
        };
        let first = self.trials.len() as u64;
        self.trials.extend(proposals);
        self.course.begin((first..self.trials.len() as u64).map(TrialId).collect());
    }

    /// Proposes the program as it is, the patches that were given, and single edits by chance.
    fn begin(&mut self) -> Vec<(usize, Purpose)> {
        let mut first: Vec<Edits<P>> = vec![Vec::new()];
        first.append(&mut self.given);
        let seeds = self.seeds(self.plan.population.saturating_sub(1));
        first.extend(breed::on_cores(&seeds, |random| breed::first(&self.space, random)));
        self.propose(first)
    }

    /// The best of elites and children are the new population.
    fn select(&mut self) {
        let elites = self.population.iter().take(self.plan.elites());
        let mut pool: Vec<usize> = elites.chain(&self.children).copied().collect();
        pool.sort_unstable();
        pool.dedup();
        let live = pool.into_iter().filter_map(|number| Some((number, self.records.fitness(number)?)));
        let (numbers, fitness): (Vec<usize>, Vec<Fitness>) = live.unzip();
        let mut ranked: Vec<(usize, Standing)> =
            numbers.into_iter().zip(standings(&fitness, self.plan.margin)).collect();
        ranked.sort_by(|(one, standing), (other, other_standing)| {
            standing.compare(other_standing).then(one.cmp(other))
        });
        ranked.truncate(self.plan.population);
        (self.population, self.standings) = ranked.into_iter().unzip();
    }

    fn next_generation(&mut self) -> Vec<(usize, Purpose)> {
        // The program as it is, too: all are held against it, and a first time may have been taken while the device was slow.
        let elites = self.population.iter().take(self.plan.elites()).filter(|elite| **elite != ORIGINAL);
        let again = self.original().map(|_| &ORIGINAL).into_iter().chain(elites);
        let mut proposals: Vec<_> = again.map(|&number| (number, Purpose::Again)).collect();
        if self.generation.is_multiple_of(self.plan.validate_every.max(1)) {
            let confirmations = self.confirmations();
            let new: Vec<_> = confirmations.into_iter().filter(|one| !proposals.contains(one)).collect();
            proposals.extend(new);
        }
        let mut children = if self.generation == 1 { self.unite() } else { Vec::new() };
        if children.is_empty() {
            children = self.breed();
        }
        proposals.extend(self.propose(children));
        proposals
    }

    /// What is on the front and was not validated yet, or ran once only.
    fn confirmations(&self) -> Vec<(usize, Purpose)> {
        let mut open = Vec::new();
        for number in self.front_numbers() {
            let Some(measured) = self.records.measured(number) else { continue };
            open.extend((measured.runs() < 2).then_some((number, Purpose::Again)));
            open.extend(measured.validation.is_none().then_some((number, Purpose::Validation)));
        }
        open
    }

    /// Unions of what ran with one edit, as the paper begins; none where nothing did.
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

    /// Two children.
    fn pair(&self, random: &mut Random) -> [Edits<P>; 2] {
        let parents = [self.parent(random), self.parent(random)];
        let [one, other] = parents.map(|parent| self.records.edits(parent));
        let has_enough = one.len() >= 2 || other.len() >= 2;
        let pair = if has_enough && random.unit() < self.plan.crossover {
            breed::cross(&self.space, [one, other], random)
        } else {
            [one.to_vec(), other.to_vec()]
        };
        pair.map(|child| match random.unit() < self.plan.mutation {
            true => breed::mutate(&self.space, child, random),
            false => child,
        })
    }

    /// One for each individual, so that what comes of it does not depend on who is bred when.
    fn seeds(&mut self, count: usize) -> Vec<u64> {
        (0..count).map(|_| self.random.next_u64()).collect()
    }

    /// The winner of a binary tournament.
    fn parent(&self, random: &mut Random) -> usize {
        let count = self.population.len();
        let (one, other) = (random.below(count), random.below(count));
        let is_first = self.standings[one].compare(&self.standings[other]).is_le();
        self.population[if is_first { one } else { other }]
    }

    /// All are children; those that nobody has seen are evaluated.
    fn propose(&mut self, all: Vec<Edits<P>>) -> Vec<(usize, Purpose)> {
        self.children.clear();
        let mut new = Vec::new();
        for edits in all {
            let (number, is_new) = self.records.number(edits);
            self.children.push(number);
            new.extend(is_new.then_some((number, Purpose::Search)));
        }
        new
    }
}
