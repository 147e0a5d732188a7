//! A nest followed from its loops to its kernels, and what these take of a GPU.
//!
//! Shown are the nest as it is written, its dependences, what passes over nests changed, what became of each loop, and
//! the kernels.

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
pub(crate) use describe::describe;
pub use occupancy::{Bound, Occupancy};

use crate::dependence::DependenceError;
use crate::kernel::{Kernel, Program};
use crate::lower::{AnalysedNest, KernelDraft, Rewrites, lower};
use crate::mapping::Mapping;
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
    written: AnalysedNest,
    /// The nest that is mapped, where that is another one.
    changed: Option<AnalysedNest>,
    program: Program,
    /// The decisions about each kernel of the program.
    kernels: Vec<KernelDraft>,
    /// The passes by name, each with a dump of what there is after it.
    passes: Vec<(&'static str, String)>,
    compiled: Compiled,
    /// A remark that is to be known first.
    note: Option<String>,
}

/// The result of a compiler.
#[derive(Clone, Debug)]
enum Compiled {
    For {
        architecture: u32,
        /// The needs of each kernel, where the compiler's log says them.
        usages: Vec<Option<Usage>>,
    },
    /// Nothing, for this reason if somebody tried.
    Not(Option<String>),
}

/// A picture: an SVG file that needs nothing but itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// The name of a file, without its ending.
    ///
    /// It is `dependences`, `dependences-changed`, `schedule`, or `tile-K` of the kernel of index K.
    pub name: String,
    /// The text of the file.
    pub svg: String,
}

impl Picture {
    fn new(name: &str, drawing: &Drawing) -> Self {
        Self { name: name.to_owned(), svg: drawing.alone() }
    }
}

impl NestView {
    /// Lowers a nest by all passes of the [`Form`](crate::Form) that the mapping names: as a search begins with it.
    ///
    /// # Errors
    /// When isl is not granted as many operations as the nest takes.
    pub fn new(nest: &Nest, mapping: &Mapping) -> Result<Self, DependenceError> {
        Self::rewritten(nest, Rewrites { form: mapping.form(), fuses_loops: false }, mapping)
    }

    /// Lowers a nest as [`new`](Self::new) does, with fused loops.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn with_fused_loops(nest: &Nest, mapping: &Mapping) -> Result<Self, DependenceError> {
        Self::rewritten(nest, Rewrites { form: mapping.form(), fuses_loops: true }, mapping)
    }

    /// Lowers a nest with these optional passes.
    fn rewritten(nest: &Nest, rewrites: Rewrites, mapping: &Mapping) -> Result<Self, DependenceError> {
        let written = AnalysedNest::new(nest.clone())?;
        let mut passes = Vec::new();
        let draft = lower(written.clone(), Some(rewrites), mapping, &mut |pass, draft| {
            passes.push((pass, draft.to_string()));
        })?;
        let changed = (draft.input.nest != written.nest).then(|| draft.input.clone());
        let kernels = draft.kernels.clone();
        let (program, compiled) = (draft.into_program(), Compiled::Not(None));
        Ok(Self { written, changed, program, kernels, passes, compiled, note: None })
    }

    /// Adds what the kernels take of a GPU of this architecture, as in `90`, for which the image was compiled.
    ///
    /// The image is `nitro_cuda::Executable::image` of [`Program::plan`].
    #[must_use]
    pub fn with_image(self, image: &Image, architecture: u32) -> Self {
        let element = self.program.nest.element;
        let usage = |kernel: &Kernel| {
            let mut usage = image.usage(&kernel.name)?;
            usage.static_shared_bytes += kernel.dynamic_shared_bytes(element);
            Some(usage)
        };
        let usages = self.program.kernels.iter().map(usage).collect();
        Self { compiled: Compiled::For { architecture, usages }, ..self }
    }

    /// Returns the program that the mapping gives.
    #[must_use]
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// Returns all of it as text.
    #[must_use]
    pub fn text(&self) -> String {
        text::text(self)
    }

    /// Returns what became of each loop, as a tree of text.
    #[must_use]
    pub fn schedule(&self) -> String {
        tree::text(self)
    }

    /// Returns all of it as a page: HTML that needs nothing but itself.
    #[must_use]
    pub fn page(&self) -> String {
        page::page(self)
    }

    /// Returns the pictures of the page.
    #[must_use]
    pub fn pictures(&self) -> Vec<Picture> {
        let mut pictures = vec![Picture::new("dependences", &graph::drawing(&self.written))];
        if let Some(changed) = &self.changed {
            pictures.push(Picture::new("dependences-changed", &graph::drawing(changed)));
        }
        pictures.push(Picture::new("schedule", &tree::drawing(self)));
        for kernel in 0..self.kernels.len() {
            let tile = tile::drawing(self, kernel);
            pictures.extend(tile.map(|tile| Picture::new(&format!("tile-{kernel}"), &tile)));
        }
        pictures
    }

    /// Returns the passes that made the program, each with a dump of what there is after it.
    #[must_use]
    pub fn passes(&self) -> String {
        let mut text = String::new();
        let mut before = self.written.nest.to_string();
        for (pass, dump) in &self.passes {
            let shown =
                if dump.trim_end() == before.trim_end() { "nothing changed" } else { dump.trim_end() };
            text += &format!("After `{pass}`\n{}\n\n{shown}\n\n", "=".repeat(pass.len() + 8));
            before.clone_from(dump);
        }
        text
    }

    /// Returns the nest that is mapped.
    fn mapped(&self) -> &AnalysedNest {
        self.changed.as_ref().unwrap_or(&self.written)
    }
}
