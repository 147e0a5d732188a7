//! The rules of the model: a screen of single edits, and children of what is believed to pay.

use super::breed::{self, Edits};
use super::evolution::{Evolution, ORIGINAL};
use super::model::{Draw, Evidence, Lived, Model};
use super::{Fitness, PatchSpace, Purpose, Rules};
use crate::random::Random;

/// The share of children that are made of what the model believes. The others are crossed, and have an edit more that
/// was not tried alone: once all suggestions are known, what is found is found by those.
const OF_MODEL: f64 = 0.25;
/// The share of the first ones that have a new edit, too.
const OF_MODEL_FRESH: f64 = 0.5;
/// In so many children one is a pair of edits that may pay more or less than their sum.
const ONE_PAIR_IN: usize = 8;
/// The most times that children are drawn until enough are new.
const ROUNDS: usize = 4;
/// The members of the population of which the one that looks best under some effects has a child.
const TOURNAMENT: usize = 8;
/// The most times that it is tried which of the edits of a child go together.
const ATTEMPTS: usize = 24;
/// The most draws of an edit that was not tried alone.
const FRESH: usize = 4;

impl<P: PatchSpace> Evolution<P> {
    /// Tries no edits alone once so many trials were proposed, by [`Rules::Model`].
    ///
    /// For whoever has little time. Who restores an evolution has to say so before, with the number of its trials
    /// before the first generation.
    pub fn limit_screen(&mut self, trials: usize) {
        self.most_screened = self.most_screened.min(trials);
    }

    /// Tells whether more edits are to be tried alone: some are suggested, or too few lived.
    pub(super) fn is_screening(&self) -> bool {
        let is_open = self.suggested < self.space.suggestions()
            || (self.records.living_codes() <= self.plan.population && !self.is_dry);
        let is_asked_for = self.plan.rules == Rules::Model && self.generation == 0;
        is_asked_for && is_open && self.trials.len() < self.most_screened
    }

    /// Proposes the program as it is once more, and single edits: suggestions first, then by chance.
    pub(super) fn screen(&mut self) -> Vec<(usize, Purpose)> {
        let mut proposals = Vec::new();
        if self.original().is_some() {
            proposals.push((ORIGINAL, Purpose::Again));
        }
        for _ in 0..ROUNDS {
            let room = self.plan.population.saturating_sub(proposals.len());
            let singles = self.singles(room);
            proposals.extend(self.add(singles));
        }
        self.is_dry = proposals.len() < self.plan.population / 2;
        proposals
    }

    /// Makes single edits: the suggestions that are left, then by chance.
    fn singles(&mut self, count: usize) -> Vec<Edits<P>> {
        let seeds = self.seeds(count);
        let left = self.space.suggestions() - self.suggested;
        let (of_suggestions, by_chance) = seeds.split_at(left.min(count));
        let numbered: Vec<(usize, u64)> = (self.suggested..).zip(of_suggestions.iter().copied()).collect();
        self.suggested += numbered.len();
        let mut singles: Vec<Edits<P>> = breed::of_each(&numbered, |&(number, seed)| {
            self.space.suggestion(number, seed).into_iter().collect()
        });
        singles.extend(breed::on_cores(by_chance, |random| breed::first(&self.space, random)));
        singles.retain(|edits| !edits.is_empty());
        singles
    }

    /// Fits the model to everything that is known.
    pub(super) fn fit(&mut self) {
        let Some(original) = self.original() else { return };
        let to_beat_ns = original.time_ns * (1.0 - self.plan.margin);
        let mut known = Vec::new();
        for number in self.records.numbers().skip(1) {
            let lived = self.records.fitness(number).map(|fitness| Lived {
                log_time: (fitness.time_ns / original.time_ns).ln(),
                error: fitness.error,
                looked_faster: fitness.time_ns < to_beat_ns,
                is_original: self.records.code(number) == self.records.code(ORIGINAL),
            });
            known.push(Evidence { edits: self.records.edits(number), lived });
        }
        self.model = Model::fit(&known);
        self.noise_variance = self.records.noise_variance();
    }

    /// Returns the error of an individual that may live, and the time that is believed of it.
    ///
    /// By the rules of the model that is between what was measured and what its edits promise, the nearer to the
    /// first the more often it ran: of many that are measured once, the fastest were lucky.
    pub(super) fn believed(&self, number: usize) -> Option<Fitness> {
        let fitness = self.records.fitness(number)?;
        let (Some(model), Some(noise), Some(original)) = (&self.model, self.noise_variance, self.original())
        else {
            return Some(fitness);
        };
        let Some(expected) = model.expected(self.records.edits(number)).filter(|_| number != ORIGINAL) else {
            return Some(fitness);
        };
        let runs = self.records.measured(number)?.runs() as f64;
        let misfit = (model.deviation().powi(2) - noise).max(0.0);
        let noise = noise / runs;
        let weight = if misfit + noise > 0.0 { misfit / (misfit + noise) } else { 1.0 };
        let measured = (fitness.time_ns / original.time_ns).ln();
        let log_time = expected + weight * (measured - expected);
        Some(Fitness { time_ns: original.time_ns * log_time.exp(), ..fitness })
    }

    /// Makes children that nobody has seen, a population of them if there are so many.
    pub(super) fn guided(&mut self) -> Vec<Edits<P>> {
        let count = self.plan.population;
        let mut children = Vec::new();
        for pair in self.model.iter().flat_map(Model::suspects) {
            if children.len() * ONE_PAIR_IN >= count {
                break;
            }
            let pair = breed::set::<P>(pair.to_vec());
            if self.records.is_open(&pair) && self.space.is_valid(&pair) {
                children.push(pair);
            }
        }
        for child in self.believed_best() {
            if !child.is_empty() && self.records.is_open(&child) && !children.contains(&child) {
                children.push(child);
            }
        }
        for _ in 0..ROUNDS {
            let seeds = self.seeds(count.saturating_sub(children.len()));
            let drawn = breed::on_cores(&seeds, |random| match &self.model {
                Some(model) if random.unit() < OF_MODEL => self.of_model(model, random),
                _ if self.population.is_empty() => breed::first(&self.space, random),
                _ => {
                    let [child, _] = self.crossed(random);
                    self.fresh(child, random)
                }
            });
            for child in drawn {
                if self.records.is_open(&child) && !children.contains(&child) {
                    children.push(child);
                }
            }
        }
        children
    }

    /// Makes the children of what is believed to pay, exact and with the error that is allowed: so all that pays alone
    /// comes together, whatever is drawn.
    fn believed_best(&self) -> Vec<Edits<P>> {
        let Some(model) = &self.model else { return Vec::new() };
        let draw = model.believed();
        let mut children = Vec::new();
        for max_error in [0.0, self.plan.max_error] {
            let all = self.child(&draw, &self.population, max_error);
            let alone = self.child(&draw, &[], max_error);
            children.extend([all, alone]);
        }
        children
    }

    /// Makes a child of what may pay.
    fn of_model(&self, model: &Model<P::Edit>, random: &mut Random) -> Edits<P> {
        let draw = model.draw(random);
        // Half of the children are exact, the others have part of the error that is allowed.
        let max_error = if random.unit() < 0.5 { 0.0 } else { self.plan.max_error * random.unit() };
        let count = self.population.len();
        let parents: Vec<usize> =
            (0..TOURNAMENT.min(count)).map(|_| self.population[random.below(count)]).collect();
        let child = self.child(&draw, &parents, max_error);
        if child.is_empty() {
            // Nothing seems to pay, so that only luck helps: what costs alone may pay together.
            let ran = self.population.iter().map(|&number| self.records.edits(number));
            let ran: Vec<&[P::Edit]> = ran.filter(|edits| !edits.is_empty()).collect();
            return breed::unite(&self.space, &ran, random);
        }
        if random.unit() < OF_MODEL_FRESH { self.fresh(child, random) } else { child }
    }

    /// Makes a child of the parent that looks best under these effects, or of the program as it is.
    fn child(&self, draw: &Draw<'_, P::Edit>, parents: &[usize], max_error: f64) -> Edits<P> {
        let mut parent: (f64, &[P::Edit]) = (0.0, &[]);
        for &number in parents {
            let is_right = self.records.fitness(number).is_some_and(|fitness| fitness.error <= max_error);
            let sum = draw.sum(self.records.edits(number));
            if is_right && sum < parent.0 {
                parent = (sum, self.records.edits(number));
            }
        }
        let (stays, added) = draw.child(parent.1, max_error);
        let mut child = if self.space.is_valid(&stays) { stays } else { parent.1.to_vec() };
        self.add_what_fits(&mut child, &added, &mut { ATTEMPTS });
        child
    }

    /// Adds an edit, one that was not tried alone if such is found: of those that were the model knows better.
    fn fresh(&self, mut child: Edits<P>, random: &mut Random) -> Edits<P> {
        let mut drawn = None;
        for _ in 0..FRESH {
            drawn = self.space.mutate(&child, random.next_u64()).or(drawn);
            if drawn.as_ref().is_some_and(|edit| !self.records.contains(std::slice::from_ref(edit))) {
                break;
            }
        }
        child.extend(drawn);
        breed::set::<P>(child)
    }

    /// Adds edits, or else each half of them.
    fn add_what_fits(&self, child: &mut Edits<P>, added: &[P::Edit], attempts: &mut usize) {
        if added.is_empty() || *attempts == 0 {
            return;
        }
        *attempts -= 1;
        let together = breed::set::<P>([&child[..], added].concat());
        if self.space.is_valid(&together) {
            *child = together;
        } else if added.len() > 1 {
            let (first, second) = added.split_at(added.len() / 2);
            self.add_what_fits(child, first, attempts);
            self.add_what_fits(child, second, attempts);
        }
    }
}
