//! What evolutions of the same program have for each other.

use super::{Evolution, Fitness, PatchSpace};

impl<P: PatchSpace> Evolution<P> {
    /// Takes in what another evolution of the same program has found: it joins the candidates of this generation, from 1, and is evaluated as they are. Whether it will: not if it is
    /// known, or the generation has begun.
    ///
    /// What is proposed then depends on seed, outcomes and what was taken in. [`restore`](Self::restore) wants the same taken in before.
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
    /// let mut evolution = Evolution::new(Switches, EvolvePlan { population: 8, generations: 4, ..EvolvePlan::default() });
    /// assert!(evolution.take_in(1, vec![7]) && !evolution.take_in(2, vec![7]));
    /// while let Ask::Evaluate(trials) = evolution.ask(8) {
    ///     for trial in trials {
    ///         let time_ns = if trial.edits.contains(&7) { 50.0 } else { 100.0 }; // here it would be run
    ///         evolution.tell(trial.id, Report::Ran { fitness: Fitness { time_ns, error: 0.0 }, code: None })?;
    ///     }
    /// }
    /// assert!(evolution.best(1)[0].0.contains(&7));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn take_in(&mut self, generation: usize, mut edits: Vec<P::Edit>) -> bool {
        edits.sort();
        edits.dedup();
        let is_late = generation <= self.generation;
        let mut waiting = self.arrivals.values().flatten();
        if is_late || self.records.is_known(&edits) || waiting.any(|one| *one == edits) {
            return false;
        }
        self.arrivals.entry(generation).or_default().push(edits);
        true
    }

    /// Up to so many of the population, the best first, with time and error: of each machine code one, and not the program as it is.
    #[must_use]
    pub fn best(&self, count: usize) -> Vec<(&[P::Edit], Fitness)> {
        let mut seen = Vec::new();
        let of = |&number: &usize| {
            let member = (self.records.edits(number), self.records.fitness(number)?);
            let code = self.records.code(number);
            let is_new = !member.0.is_empty() && !seen.contains(&code);
            seen.push(code);
            is_new.then_some(member)
        };
        self.population.iter().filter_map(of).take(count).collect()
    }
}
