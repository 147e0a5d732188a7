//! What was done to the loops of a nest: as written, its dependences, what was changed before it was mapped, what
//! became of each loop, the kernels, and what these take of a GPU.

#[cfg(feature = "search")]
mod describe;
mod edges;
mod graph;
mod occupancy;
mod page;
mod points;
#[cfg(test)]
mod tests;
mod text;
mod tile;
mod tree;

use nitro_cuda::{Image, Usage};
use nitro_page::Drawing;

#[cfg(feature = "search")]
pub use describe::describe;
pub use occupancy::{Bound, Occupancy};

use crate::dependence::{DependenceError, Dependences};
use crate::forms::Forms;
use crate::kernel::Program;
use crate::mapping::Mapping;
use crate::mapping::roles::{Roles, roles};
use crate::nest::Nest;

/// One nest, followed from its loops to its kernels.
///
/// ```
/// use nitro_nest::{Array2, Mapping, NestView, nest};
///
/// #[nest]
/// fn column_sums(n: usize, m: usize, #[shape(n, m)] a: &Array2<f32>, #[shape(m)] sums: &mut [f32]) {
///     for i in 0..n {
///         for j in 0..m {
///             sums[j] += a[[i, j]];
///         }
///     }
/// }
///
/// let view = NestView::new(&column_sums::nest(), &Mapping::naive())?;
/// assert!(view.text().contains("j → x: 256 threads"), "{}", view.text());
/// let page = view.page(); // HTML that needs nothing but itself
/// assert!(page.starts_with("<!DOCTYPE html>") && page.contains("was not compiled"));
/// # Ok::<(), nitro_nest::DependenceError>(())
/// ```
#[derive(Clone, Debug)]
pub struct NestView {
    /// As it is written.
    written: Stage,
    /// As it is mapped, where that is another nest.
    changed: Option<Stage>,
    program: Program,
    /// Of each kernel of the program.
    roles: Vec<Roles>,
    compiled: Compiled,
    /// What is to be known first.
    note: Option<String>,
}

/// A nest and what has to keep its order in it.
#[derive(Clone, Debug)]
struct Stage {
    nest: Nest,
    dependences: Dependences,
}

impl Stage {
    fn new(nest: Nest) -> Result<Self, DependenceError> {
        Ok(Self { dependences: nest.dependences()?, nest })
    }
}

/// What a compiler made of the kernels.
#[derive(Clone, Debug)]
enum Compiled {
    For {
        architecture: u32,
        /// Of each kernel, where the compiler's log says it.
        usages: Vec<Option<Usage>>,
    },
    /// Nothing, for this reason if somebody tried.
    Not(Option<String>),
}

/// A picture: an SVG file that needs nothing but itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// What it shows, as the name of a file without its ending: `dependences`, `dependences-changed`, `schedule`,
    /// and `tile-K` of the kernel of index K.
    pub name: String,
    /// The text of the file.
    pub svg: String,
}

impl NestView {
    /// The nest with temporaries and wavefronts where these help, in the [`Form`](crate::Form) that the mapping
    /// names, mapped: as a search begins with it.
    ///
    /// # Errors
    /// When isl is not granted as many operations as the nest takes.
    pub fn new(nest: &Nest, mapping: &Mapping) -> Result<Self, DependenceError> {
        Self::mapped_as(nest, Forms::of(nest)?.get(mapping.form(), false).clone(), mapping)
    }

    /// The same with fused loops.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn with_fused_loops(nest: &Nest, mapping: &Mapping) -> Result<Self, DependenceError> {
        Self::mapped_as(nest, Forms::of(nest)?.get(mapping.form(), true).clone(), mapping)
    }

    /// A nest and what was made of it before it is mapped.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn of(written: &Nest, changed: Nest, mapping: &Mapping) -> Result<Self, DependenceError> {
        let dependences = changed.dependences()?;
        Self::mapped_as(written, (changed, dependences), mapping)
    }

    /// As [`of`](Self::of), where the dependences are known.
    fn mapped_as(
        written: &Nest,
        (nest, dependences): (Nest, Dependences),
        mapping: &Mapping,
    ) -> Result<Self, DependenceError> {
        let mapped = Stage { nest, dependences };
        let (written, changed) = match mapped.nest == *written {
            true => (mapped, None),
            false => (Stage::new(written.clone())?, Some(mapped)),
        };
        let Stage { nest, dependences } = changed.as_ref().unwrap_or(&written);
        let program = nest.map(dependences, mapping);
        let roles = roles(nest, dependences, mapping);
        Ok(Self { program, roles, changed, written, compiled: Compiled::Not(None), note: None })
    }

    /// With what the kernels take of a GPU of this architecture, as in `90`, for which the image was compiled
    /// (`nitro_cuda::Executable::image` of [`Program::plan`]).
    #[must_use]
    pub fn with_image(self, image: &Image, architecture: u32) -> Self {
        let usages = self.program.kernels.iter().map(|kernel| image.usage(&kernel.name)).collect();
        Self { compiled: Compiled::For { architecture, usages }, ..self }
    }

    /// The program that the mapping gives.
    #[must_use]
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// All of it as text.
    #[must_use]
    pub fn text(&self) -> String {
        text::text(self)
    }

    /// What became of each loop, as a tree of text.
    #[must_use]
    pub fn schedule(&self) -> String {
        tree::text(self)
    }

    /// All of it as a page: HTML that needs nothing but itself.
    #[must_use]
    pub fn page(&self) -> String {
        page::page(self)
    }

    /// The pictures of the page.
    #[must_use]
    pub fn pictures(&self) -> Vec<Picture> {
        let alone = |name: &str, drawing: Drawing| Picture { name: name.to_owned(), svg: drawing.alone() };
        let mut pictures = vec![alone("dependences", graph::drawing(&self.written))];
        pictures.extend(self.changed.iter().map(|stage| alone("dependences-changed", graph::drawing(stage))));
        pictures.push(alone("schedule", tree::drawing(self)));
        let tiles = (0..self.roles.len()).map(|kernel| (kernel, tile::drawing(self, kernel)));
        pictures.extend(tiles.filter_map(|(kernel, tile)| Some(alone(&format!("tile-{kernel}"), tile?))));
        pictures
    }

    /// The nest that is mapped.
    fn mapped(&self) -> &Stage {
        self.changed.as_ref().unwrap_or(&self.written)
    }
}
