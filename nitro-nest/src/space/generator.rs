//! The texts of a space: launch plans, as a trainer searches, records and ships them.

use nitro_launch::LaunchPlan;
use nitro_search::{BoxError, Crossing, Decisions, Generator};
#[cfg(feature = "show")]
use nitro_search::{Description, Target};

use super::MappingSpace;
use super::guess::MOST_GUESSES;
use super::shape::shapes;
use crate::kernel::MOST_WRITTEN_OUT;
use crate::lower::lower_as_it_is;
use crate::mapping::{Mapping, Tiling};
use crate::origin::Origin;

/// Simpler tilings: each takes away what may be without effect on a kernel.
const SIMPLER: [fn(&mut Tiling); 9] = [
    |tiling| tiling.adds_wide = false,
    |tiling| tiling.sliced_k = 0,
    |tiling| (tiling.tile_k, tiling.stages) = (0, 1),
    // Where a loop is taken apart, and nothing is staged.
    |tiling| (tiling.tile_k, tiling.stages) = (tiling.tile_k.min(1), 1),
    |tiling| tiling.stages = 1,
    |tiling| tiling.vector_width = 1,
    |tiling| tiling.transposes = false,
    |tiling| tiling.unroll = 0,
    // Where a row has nothing that a thread keeps.
    |tiling| tiling.thread_tile[0] = 1,
];

impl MappingSpace {
    /// Returns the origin of the plan of these choices, without what changes nothing in a kernel.
    ///
    /// As staging where there is nothing to stage. So paths that give the same kernels give one text.
    fn origin(&self, path: &[Crossing]) -> Origin {
        let input = self.input(path);
        let mut mapping = self.mapping(path);
        let plan = lower_as_it_is(input, &mapping).plan();
        for (shape, mut tiling) in self.tilings(path) {
            for takes_away in SIMPLER {
                let mut simpler = tiling.clone();
                takes_away(&mut simpler);
                let other = mapping.clone().with_tiling(&shape.statements, simpler.clone());
                if simpler != tiling && lower_as_it_is(input, &other).plan() == plan {
                    (mapping, tiling) = (other, simpler);
                }
            }
        }
        Origin { mapping, has_fused_loops: self.has_fused_loops(path) }
    }

    /// Returns the plan of a mapping, which says how it was made.
    fn plan(&self, mut origin: Origin) -> LaunchPlan {
        let (rewrites, input) = &self.forms.all[self.forms.index(origin.rewrites())];
        // What changes nothing of this nest is not said.
        let mut schedule = origin.mapping.schedule();
        if schedule.rows || schedule.time_steps > 0 {
            let shapes = shapes(input, schedule);
            schedule.rows &= shapes.iter().any(|shape| shape.is_row);
            if !shapes.iter().any(|shape| shape.stencil.is_some()) {
                schedule.time_steps = 0;
            }
        }
        origin.mapping = origin.mapping.with_form(rewrites.form).with_schedule(schedule);
        LaunchPlan { origin: origin.to_json(), ..lower_as_it_is(input, &origin.mapping).plan() }
    }
}

/// A path's text is its [launch plan](Program::plan), which says how it was made ([`LaunchPlan::origin`]).
impl Generator for MappingSpace {
    fn decisions(&self) -> &dyn Decisions {
        self
    }

    fn artifact(&self, path: &[Crossing]) -> Result<String, BoxError> {
        let operations = self.program(path).written_out();
        if operations > MOST_WRITTEN_OUT {
            return Err(format!(
                "a compiler would write out {operations} operations, and may {MOST_WRITTEN_OUT}"
            )
            .into());
        }
        Ok(self.plan(self.origin(path)).to_json())
    }

    fn presets(&self) -> Vec<(String, String)> {
        let short = Mapping::presets()
            .into_iter()
            .filter(|(_, mapping)| self.map(mapping).written_out() <= MOST_WRITTEN_OUT);
        let texts = short.map(|(name, mapping)| {
            (name.to_owned(), self.plan(Origin { mapping, has_fused_loops: false }).to_json())
        });
        texts.collect()
    }

    fn guesses(&self, input: &str, device: &dyn Fn(&str) -> Option<f64>) -> Vec<String> {
        let sizes = self.sizes.as_ref().and_then(|sizes| sizes.0(input));
        let expected = self.nest().parameters().len();
        match (sizes.filter(|sizes| sizes.len() == expected), device("sm_count")) {
            (Some(sizes), Some(multiprocessors)) => {
                let mut guesses: Vec<String> = Vec::new();
                for path in self.guessed_paths(&sizes, multiprocessors) {
                    if guesses.len() < MOST_GUESSES {
                        let guess = self.artifact(&path).ok();
                        guesses.extend(guess.filter(|guess| !guesses.contains(guess)));
                    }
                }
                guesses
            }
            _ => Vec::new(),
        }
    }

    fn part_of(&self, artifact: &str, kernel: &str) -> Option<String> {
        let plan = LaunchPlan::from_json(artifact).ok()?;
        plan.kernels.into_iter().find(|planned| planned.name == kernel).map(|planned| planned.part)
    }

    #[cfg(feature = "show")]
    fn describe(&self, artifact: &str, target: Option<Target<'_>>) -> Option<Result<Description, BoxError>> {
        Some(crate::show::describe(&self.written, &self.forms, artifact, target))
    }
}
