//! Accepted patches as generated code: what becomes a variant of an application.

mod read;

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use nitro_search::{BoxError, Crossing, Decision, Decisions, Description, Generator, NodeKey, Step, Target};

use self::read::AcceptedPatch;
use crate::{cli, report};

/// A folder of `train evolve`, whose accepted patches become variants.
///
/// A trainer takes it for a variant with a parameter `in artifacts` (`nitro_train::Tunable::generated`). A text is the
/// whole patched PTX. `train search` runs each of them, and from there on they are choices like others: recorded on
/// other devices, learned by input and device, shipped in the model. The variant runs the text by
/// `nitro_cuda::Module::of_artifact`, on devices of which `nitro_cuda::Module::runs_on` says that they take it.
///
/// The folder is read when a search first asks; a trainer without it does all but search.
///
/// ```no_run
/// # mod app {
/// #     use nitro_cuda::{Buffer, CudaError, Module};
/// #     #[nitro::code_variant(
/// #         device = nitro_cuda::on(x.stream()),
/// #         variants(plain, evolved { kernel in artifacts } if Module::runs_on(kernel, x.stream().device())),
/// #         default = plain,
/// #         crate = nitro
/// #     )]
/// #     pub fn scale(x: &mut Buffer<f32>) -> Result<(), CudaError>;
/// #     fn plain(x: &mut Buffer<f32>) -> Result<(), CudaError> { Ok(()) }
/// #     fn evolved(p: scale::Evolved, x: &mut Buffer<f32>) -> Result<(), CudaError> { Ok(()) }
/// # }
/// # use app::scale;
/// use nitro_evolve::{EvolveCommand, PatchFolder};
/// use nitro_train::{Trainer, Tunable};
///
/// let tunable = Tunable::new(scale::function(), |session| Ok(())) // its inputs, as ever
///     .generated("evolved", PatchFolder::exact("kernels/scale.evolved"));
/// Trainer::new().tunable(tunable).command(EvolveCommand).main();
/// ```
#[derive(Debug)]
pub struct PatchFolder {
    folder: PathBuf,
    max_error: f64,
    read: OnceLock<Result<Vec<AcceptedPatch>, String>>,
}

impl PatchFolder {
    /// Takes the patches whose results were always the original's.
    #[must_use]
    pub fn exact(folder: impl Into<PathBuf>) -> Self {
        Self::within(folder, 0.0)
    }

    /// Takes the patches whose results were off by no more, in the unit of their workload.
    ///
    /// For a variant that is declared as `approximate(… = MAX_ERROR over "…")` it is the same number.
    #[must_use]
    pub fn within(folder: impl Into<PathBuf>, max_error: f64) -> Self {
        Self { folder: folder.into(), max_error, read: OnceLock::new() }
    }

    /// Returns the accepted patches, read once.
    fn accepted(&self) -> Result<&[AcceptedPatch], &str> {
        let read = self.read.get_or_init(|| read::accepted(&self.folder, self.max_error));
        read.as_deref().map_err(String::as_str)
    }

    /// Returns the patch that gives a text.
    fn of_text(&self, text: &str) -> Option<&AcceptedPatch> {
        self.accepted().ok()?.iter().find(|own| own.ptx == text)
    }
}

impl Decisions for PatchFolder {
    fn next(&self, path: &[Crossing]) -> Step {
        match self.accepted() {
            Err(why) => Step::DeadEnd(why.to_owned()),
            Ok(all) if path.is_empty() => Step::Choose(Decision::new(NodeKey::new("patch"), all.len())),
            Ok(_) => Step::Complete,
        }
    }
}

impl Generator for PatchFolder {
    fn decisions(&self) -> &dyn Decisions {
        self
    }

    fn artifact(&self, path: &[Crossing]) -> Result<String, BoxError> {
        let own = path.first().and_then(|crossing| self.accepted().ok()?.get(crossing.option));
        own.map(|own| own.ptx.clone()).ok_or_else(|| "the path names no patch".into())
    }

    fn presets(&self) -> Vec<(String, String)> {
        let all = self.accepted().unwrap_or_default().iter();
        all.map(|own| (own.name.clone(), own.ptx.clone())).collect()
    }

    fn describe(&self, artifact: &str, _: Option<Target<'_>>) -> Option<Result<Description, BoxError>> {
        Some(self.of_text(artifact).map(describe).ok_or_else(|| {
            format!("no accepted patch in {} gives this text", Path::display(&self.folder)).into()
        }))
    }
}

/// Describes a patch as text and page.
fn describe(own: &AcceptedPatch) -> Description {
    Description {
        text: cli::describe(own.number, &own.finding),
        html: report::finding_page(&own.name, own.number, &own.finding, &own.on),
        ..Description::default()
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// Why there is nothing to choose.
    fn refusal(patched: &PatchFolder) -> String {
        assert!(patched.presets().is_empty());
        let Step::DeadEnd(why) = patched.decisions().next(&[]) else {
            panic!("there is something to choose")
        };
        why
    }

    #[test]
    fn a_folder_without_accepted_patches_is_said_when_a_search_asks() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        let name = path.display().to_string();
        let why = refusal(&PatchFolder::exact(path));
        assert!(why.starts_with(&format!("{name}/evolved.json: No such file")), "{why}");
        let write = |findings: &str| {
            let text = format!("{{\"on\":[\"cuda:0\"],\"findings\":[{findings}]}}");
            fs::write(path.join("evolved.json"), text).unwrap();
        };
        write("{\"verdict\":{\"refused\":\"a race\"}}");
        assert_eq!(
            refusal(&PatchFolder::exact(path)),
            format!("{name}: no patch was accepted whose results are the original's")
        );
        let finding = "{\"patch\":\"p\",\"edits_before\":1,\"verdict\":{\"accepted\":{\"approx\":{\"max_error\":0.001,\"over\":\"n=1\"}}},\
            \"search\":{\"time_ns\":1,\"error\":0},\"edits\":[],\"pairs\":[],\"test\":[],\"checks\":[],\"diff\":[],\
            \"machine_code\":{\"unknown\":\"no disassembler\"}}";
        write(finding);
        let why = refusal(&PatchFolder::within(path, 0.0005));
        assert_eq!(why, format!("{name}: no patch was accepted whose results are off by 0.0005 at most"));
        let why = refusal(&PatchFolder::within(path, 0.001));
        assert!(why.contains("has 0 files *-1.ptx"), "{why}");
        fs::write(path.join("k-1.ptx"), "the text").unwrap();
        let patched = PatchFolder::within(path, 0.001);
        assert_eq!(patched.presets(), [("k-1".to_owned(), "the text".to_owned())]);
        let Step::Choose(decision) = patched.decisions().next(&[]) else { panic!("nothing to choose") };
        assert_eq!(decision.allowed.len(), 1);
        assert!(patched.artifact(&[]).is_err());
        write("{\"verdict\":\"perhaps\"}");
        assert!(refusal(&PatchFolder::exact(path)).contains("it is what `train evolve KERNEL.ptx` writes"));
    }
}
