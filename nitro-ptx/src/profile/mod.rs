//! Profiles: the values that a program has in some launches, and the edits that they suggest.

mod observe;
mod propose;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use self::observe::Observer;
use crate::edits::base::Base;
use crate::edits::proposal::Proposal;
use crate::emulate::{Emulator, Fault, Launch, Launched, Memory, Options, Unsupported};
use crate::text::module::InstructionId;

/// Launches of a base on the emulator, watched: what is always the same in them suggests edits.
///
/// With other inputs it may be otherwise. A proposal is as good as a random edit, only likelier to be right;
/// whoever makes it has to find out.
///
/// ```
/// use nitro_ptx::emulate::{Launch, Memory, Options};
/// use nitro_ptx::{Base, InstructionId, Module, Operation, Profile, Reason};
///
/// let text = ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry twice(.param .u64 to)\n{\n\
///     .reg .b32 %r<3>; .reg .b64 %rd<2>;\n\
///     ld.param.u64 %rd1, [to]; mov.u32 %r1, %tid.x; add.s32 %r2, %r1, %r1;\n\
///     st.global.u32 [%rd1], %r1; st.global.u32 [%rd1], %r2; ret;\n}\n";
/// let base = Base::new(Module::parse(text)?);
/// let mut memory = Memory::new();
/// let parameters = [memory.allocate(vec![0; 4]).to_le_bytes().to_vec()];
/// let launch = Launch { kernel: "twice", grid: [1; 3], block: [1; 3], shared_bytes: 0, parameters: &parameters };
/// let mut profile = Profile::new(&base, &["twice"])?;
/// profile.launch(&launch, &mut memory, &Options::default())?;
/// profile.end(&[]);
/// let stores = profile.proposals().into_iter().filter(|proposal| proposal.reason == Reason::Store);
/// let deleted: Vec<Operation> = stores.map(|proposal| proposal.operation).collect();
/// assert!(deleted.contains(&Operation::Delete(InstructionId::Base(3))), "nobody reads what it leaves");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Profile<'a> {
    base: &'a Base,
    emulator: Emulator,
    observer: Observer,
}

impl<'a> Profile<'a> {
    /// Nothing has been launched yet.
    ///
    /// # Errors
    /// When these kernels cannot be emulated.
    pub fn new(base: &'a Base, kernels: &[&str]) -> Result<Self, Unsupported> {
        let emulator = Emulator::for_kernels(base.module(), kernels)?;
        let observer = Observer::new(base.module(), emulator.program());
        Ok(Self { base, emulator, observer })
    }

    /// Runs a launch, and watches.
    ///
    /// # Errors
    /// As [`Emulator::launch`]; what was seen until then counts.
    pub fn launch(
        &mut self,
        launch: &Launch<'_>,
        memory: &mut Memory,
        options: &Options,
    ) -> Result<Launched, Fault> {
        let launched = self.emulator.watched(launch, memory, options, Some(&mut self.observer));
        self.observer.launched();
        launched
    }

    /// All launches with this memory are over, of which the host reads all buffers but these.
    pub fn end(&mut self, unread: &[u64]) {
        self.observer.ended(unread);
    }

    /// Returns the instructions that were executed in the launches so far.
    #[must_use]
    pub fn executed(&self) -> BTreeSet<InstructionId> {
        self.observer.watched().filter(|watched| watched.holds).map(|watched| watched.id).collect()
    }

    /// Returns the edits that the launches so far suggest, in an order of their own.
    #[must_use]
    pub fn proposals(&self) -> Vec<Proposal> {
        let mut proposals = propose::all(self.base, &self.observer);
        proposals.sort();
        proposals.dedup();
        proposals
    }
}
