//! A text that is to be edited, and which edits of it make sense.

use std::collections::{BTreeSet, HashMap, HashSet};

use nitro_search::evolve::PatchSpace;

use super::apply::{EditedModule, apply};
use super::edit::{Edit, Operation, PatchError};
use super::patch::Patch;
use super::proposal::{Proposal, Proposals, Reason};
use crate::analysis::assigned::undefined;
use crate::analysis::flow::Flow;
use crate::analysis::uniform::{Barriers, Way, barriers};
use crate::text::module::{Function, InstructionId, Module};
use crate::text::reach::ReachableNames;

/// A text that is to be edited: a [`Module`], and what is known of it.
///
/// An edit that this accepts leaves every register with a value where it is read (but where the base itself leaves
/// that open), and every barrier where all threads come to it, as far as that can be told. What it computes nobody
/// has checked.
///
/// ```
/// use nitro_ptx::{Base, Module};
///
/// let text = ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry twice(.param .u64 twice_0)\n{\n\
///     .reg .b32 %r<4>; .reg .b64 %rd<3>;\n\
///     ld.param.u64 %rd1, [twice_0]; cvta.to.global.u64 %rd2, %rd1; mov.u32 %r1, %tid.x;\n\
///     add.s32 %r2, %r1, %r1; st.global.u32 [%rd2], %r1; st.global.u32 [%rd2], %r2; ret;\n}\n";
/// let base = Base::new(Module::parse(text)?);
/// let patch = format!("patch of {}\ndelete b4  # it is overwritten\n", base.module().digest());
/// let patched = base.apply(&base.check(&patch.parse()?)?.edits)?;
/// assert_eq!(patched.to_string().matches("st.global").count(), 1);
///
/// // Without the addition nothing is known to be in %r2: an edit brings its repair.
/// let patch = format!("patch of {}\ndelete b3\n", base.module().digest());
/// let refused = base.apply(&base.check(&patch.parse()?)?.edits).unwrap_err();
/// assert_eq!(refused.to_string(), "%r2 may have no value where b5 reads it");
/// let edit = base.mutate(&[], 7).unwrap();
/// assert!(base.apply(&[edit]).is_ok());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Base {
    module: Module,
    /// For each body what the base leaves open, and where its barriers are; none where it is too large to tell, and
    /// not edited.
    known: Vec<Option<Baseline>>,
    /// For each body whether nobody wants it edited.
    left_out: Vec<bool>,
    proposals: Proposals,
}

#[derive(Clone, Debug)]
struct Baseline {
    exempt: HashSet<(InstructionId, usize)>,
    barriers: Barriers,
}

impl Base {
    /// Analyses a text.
    #[must_use]
    pub fn new(module: Module) -> Self {
        let known: Vec<Option<Baseline>> = module.bodies().map(Baseline::new).collect();
        Self { module, left_out: vec![false; known.len()], known, proposals: Proposals::default() }
    }

    /// The same, whose edits are these in a third of the draws, whatever speaks for them as likely as everything
    /// else that does.
    #[must_use]
    pub fn proposing(mut self, proposals: impl IntoIterator<Item = Proposal>) -> Self {
        self.proposals = Proposals::new(proposals);
        self
    }

    /// Lists the proposals, by their reasons.
    pub fn proposed(&self) -> impl Iterator<Item = &Proposal> {
        self.proposals.all()
    }

    pub(crate) fn proposals(&self) -> &Proposals {
        &self.proposals
    }

    /// The same, of which only these kernels are edited, and the functions that they call.
    #[must_use]
    pub fn editing(mut self, kernels: &[&str]) -> Self {
        let reached = ReachableNames::of(&self.module, kernels);
        for (body, (known, left_out)) in
            self.module.bodies().zip(self.known.iter_mut().zip(&mut self.left_out))
        {
            if !reached.contains(&body.name) {
                (*known, *left_out) = (None, true);
            }
        }
        self
    }

    /// The text.
    #[must_use]
    pub fn module(&self) -> &Module {
        &self.module
    }

    /// A patch of this text that makes these edits.
    #[must_use]
    pub fn patch(&self, edits: &[Edit]) -> Patch {
        let mut edits = edits.to_vec();
        edits.sort();
        Patch { base: self.module.digest, edits }
    }

    /// Returns a patch if it is one of this text.
    ///
    /// # Errors
    /// When it is one of another.
    pub fn check<'a>(&self, patch: &'a Patch) -> Result<&'a Patch, PatchError> {
        let base = self.module.digest;
        (patch.base == base).then_some(patch).ok_or(PatchError::OtherBase { patch: patch.base, base })
    }

    /// The text with these edits, whose order makes no difference.
    ///
    /// # Errors
    /// When an edit names what is not there or may not be touched, a register would be read that has no value, or a
    /// barrier would lie where threads diverge.
    pub fn apply(&self, edits: &[Edit]) -> Result<Module, PatchError> {
        let edited = self.edited(edits)?;
        for index in edited.changed() {
            self.validate(&edited, index, edits)?;
        }
        Ok(edited.module)
    }

    /// Applied, and not yet checked; only bodies are changed that can be.
    pub(crate) fn edited(&self, edits: &[Edit]) -> Result<EditedModule, PatchError> {
        let edited = apply(&self.module, edits)?;
        match edited.changed().into_iter().find(|&index| self.known[index].is_none()) {
            None => Ok(edited),
            Some(index) => Err(self.not_analysed(index, edits)),
        }
    }

    fn not_analysed(&self, index: usize, edits: &[Edit]) -> PatchError {
        let name = self.module.functions().nth(index).unwrap_or_default();
        let why = match self.left_out[index] {
            true => "is not among the functions that are edited",
            false => "is too large to be analysed, or has registers as parameters",
        };
        let edit = edits.first().map_or(String::new(), |edit| edit.operation.to_string());
        PatchError::Refused { edit, why: format!("{name} {why}") }
    }

    /// Returns the first so many of these edits that may be made, as proposals for a reason.
    pub(super) fn that_may_be_made(
        &self,
        all: impl Iterator<Item = Operation>,
        most: usize,
        reason: Reason,
    ) -> Vec<Proposal> {
        let may_be_made = |operation: &Operation| {
            self.apply(&[Edit { operation: operation.clone(), fixes: Vec::new() }]).is_ok()
        };
        all.filter(may_be_made).take(most).map(|operation| Proposal::new(reason, operation)).collect()
    }

    /// The bodies that are edited, of this text or of what edits have made of it.
    pub(crate) fn edited_bodies<'m>(&self, of: &'m Module) -> impl Iterator<Item = &'m Function> {
        of.bodies().zip(&self.known).filter(|(_, known)| known.is_some()).map(|(body, _)| body)
    }

    pub(crate) fn exempt(&self, index: usize) -> &HashSet<(InstructionId, usize)> {
        static NONE: std::sync::LazyLock<HashSet<(InstructionId, usize)>> =
            std::sync::LazyLock::new(HashSet::new);
        self.known[index].as_ref().map_or(&NONE, |known| &known.exempt)
    }

    fn validate(&self, edited: &EditedModule, index: usize, edits: &[Edit]) -> Result<(), PatchError> {
        let (Some(function), Some(known)) = (edited.module.bodies().nth(index), &self.known[index]) else {
            return Ok(());
        };
        // What copies have made too large is no longer known to be right.
        let flow = Flow::new(function).ok_or_else(|| self.not_analysed(index, edits))?;
        if let Some(open) = undefined(&flow, &known.exempt).first() {
            let register = function.registers[open.register].name.clone();
            return Err(PatchError::Undefined { id: open.id, register });
        }
        known.validate(&barriers(&flow, function.is_kernel()), &edited.origins)
    }
}

impl Baseline {
    fn new(function: &Function) -> Option<Self> {
        // What has a value from the beginning is not told from what has none.
        if function
            .head
            .split(|letter: char| !letter.is_alphanumeric() && letter != '.')
            .any(|word| word == ".reg")
        {
            return None;
        }
        let flow = Flow::new(function)?;
        let open = undefined(&flow, &HashSet::new());
        let exempt = open.into_iter().map(|open| (open.id, open.register)).collect();
        Some(Self { exempt, barriers: barriers(&flow, function.is_kernel()) })
    }

    /// Threads may come to a barrier only by the ways by which they did so in the base, or all together.
    fn validate(
        &self,
        now: &Barriers,
        origins: &HashMap<InstructionId, InstructionId>,
    ) -> Result<(), PatchError> {
        static NONE: BTreeSet<Way> = BTreeSet::new();
        let mut ids: Vec<&InstructionId> = now.keys().collect();
        ids.sort();
        for id in ids {
            let origin = origins.get(id).unwrap_or(id);
            let before = self.barriers.get(origin).unwrap_or(&NONE);
            let own_guard = (id != origin && before.contains(&(*origin, 0))).then_some((*id, 0));
            let new = now[id].iter().find(|way| !before.contains(way) && Some(**way) != own_guard);
            if let Some(&(branch, _)) = new {
                return Err(PatchError::Barrier { id: *id, branch });
            }
        }
        Ok(())
    }
}

/// So that an evolution can edit it.
impl PatchSpace for Base {
    type Edit = Edit;

    fn mutate(&self, edits: &[Edit], seed: u64) -> Option<Edit> {
        self.mutate(edits, seed)
    }

    fn is_valid(&self, edits: &[Edit]) -> bool {
        self.apply(edits).is_ok()
    }

    fn suggestions(&self) -> usize {
        self.proposals.all().count()
    }

    fn suggestion(&self, number: usize, seed: u64) -> Option<Edit> {
        self.suggestion(number, seed)
    }
}
