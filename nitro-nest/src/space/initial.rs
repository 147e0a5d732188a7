//! The presets as paths: what a search begins with, so that it goes on from what is sane.

use nitro_search::{Crossing, complete};

use super::questions::{answer, questions};
use super::{MappingSpace, are_alike};
use crate::mapping::{self, Mapping, Shape};

impl MappingSpace {
    /// For each preset that a search could have found, with and without fused loops, the path whose tilings are the
    /// nearest.
    pub(super) fn preset_paths(&self) -> Vec<Vec<Crossing>> {
        let presets = [Mapping::sane(), Mapping::split(), Mapping::sliced()];
        let of = |mapping: &Mapping| [false, true].map(|fuses| self.preset_path(mapping, fuses));
        let mut paths: Vec<Vec<Crossing>> = Vec::new();
        for path in presets.iter().flat_map(of).flatten() {
            if !paths.contains(&path) {
                paths.push(path);
            }
        }
        paths
    }

    /// None: no schedule of the space gives the kernels of the preset.
    fn preset_path(&self, mapping: &Mapping, fuses: bool) -> Option<Vec<Crossing>> {
        let form = self.forms.index(mapping.form(), fuses);
        let (nest, dependences) = &self.forms.all[form].2;
        let own = mapping::shapes(nest, dependences, mapping.schedule());
        let is_own = |(index, _, shapes): &(usize, _, Vec<Shape>)| *index == form && are_alike(shapes, &own);
        let schedule = self.schedules.iter().position(is_own)?;
        let wanted = self.answers(mapping, schedule);
        complete(self, |path, _, open| {
            let wanted = wanted.get(path.len()).copied().unwrap_or_default();
            open.iter().copied().min_by_key(|option| option.abs_diff(wanted)).unwrap_or_default()
        })
        .ok()
    }

    /// What the preset answers to each question of a path.
    fn answers(&self, mapping: &Mapping, schedule: usize) -> Vec<usize> {
        let of_shape = |shape: &Shape| {
            let tiling = mapping.tiling_of(shape).clone();
            questions(shape).iter().map(|question| answer(question, &tiling)).collect::<Vec<_>>()
        };
        let first = (self.schedules.len() > 1).then_some(schedule);
        first.into_iter().chain(self.schedules[schedule].2.iter().flat_map(of_shape)).collect()
    }
}
