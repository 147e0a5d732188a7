//! The presets as paths: a search begins with them, so that it goes on from what is sane.

use nitro_search::{Crossing, complete};

use super::questions::{answer, questions};
use super::shape::{Shape, shapes};
use super::{MappingSpace, are_alike};
use crate::lower::{Rewrites, usual_tiling_in_time};
use crate::mapping::Mapping;

impl MappingSpace {
    /// Returns a path for each preset that a search could have found, with and without fused loops.
    ///
    /// Its tilings are the nearest.
    pub(super) fn preset_paths(&self) -> Vec<Vec<Crossing>> {
        let mut paths: Vec<Vec<Crossing>> = Vec::new();
        let presets =
            [Mapping::sane(), Mapping::split(), Mapping::sliced(), Mapping::temporal(), Mapping::parted()];
        for mapping in presets {
            for fuses_loops in [false, true] {
                let path = self.preset_path(&mapping, fuses_loops);
                paths.extend(path.filter(|path| !paths.contains(path)));
            }
        }
        paths
    }

    /// Returns the path of a preset. None: no schedule of the space gives its kernels.
    fn preset_path(&self, mapping: &Mapping, fuses_loops: bool) -> Option<Vec<Crossing>> {
        let schedule = self.preset_schedule(mapping, fuses_loops)?;
        let mut answers = self.first_answers(schedule);
        for shape in &self.schedules[schedule].2 {
            answers.extend(self.preset_answers(mapping, shape));
        }
        self.nearest_path(&answers)
    }

    /// Returns the number of the schedule that gives a preset's kernels.
    pub(super) fn preset_schedule(&self, mapping: &Mapping, fuses_loops: bool) -> Option<usize> {
        let form = self.forms.index(Rewrites { form: mapping.form(), fuses_loops });
        let own = shapes(&self.forms.all[form].1, mapping.schedule());
        self.schedules.iter().position(|(index, _, shapes)| *index == form && are_alike(shapes, &own))
    }

    /// Returns what a path begins with that has a schedule.
    pub(super) fn first_answers(&self, schedule: usize) -> Vec<usize> {
        if self.schedules.len() > 1 { vec![schedule] } else { Vec::new() }
    }

    /// Returns what a preset answers to the questions about a kernel.
    pub(super) fn preset_answers(&self, mapping: &Mapping, shape: &Shape) -> Vec<usize> {
        let of_time =
            shape.stencil.as_ref().and_then(|(stencil, steps)| usual_tiling_in_time(stencil, *steps));
        let tiling = of_time.unwrap_or_else(|| mapping.usual_tiling(shape.dimensions, shape.kind()));
        questions(shape).iter().map(|question| answer(question, &tiling)).collect()
    }

    /// Returns the path whose answers are the nearest to these that are sound.
    pub(super) fn nearest_path(&self, answers: &[usize]) -> Option<Vec<Crossing>> {
        complete(self, |path, _, open| {
            let wanted = answers.get(path.len()).copied().unwrap_or_default();
            open.iter().copied().min_by_key(|option| option.abs_diff(wanted)).unwrap_or_default()
        })
        .ok()
    }
}
