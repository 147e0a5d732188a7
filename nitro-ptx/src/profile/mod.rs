//! What a program does with some inputs, and which edits that suggests.

mod propose;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use nitro_stats::random::Random;

use super::base::Base;
use super::edit::Operation;
use super::emulate::{Emulator, Fault, Launch, Launched, Memory, Observer, Options, Unsupported};
use super::module::InstructionId;

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

/// An edit that a profile or the text suggests.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Proposal {
    /// What speaks for it.
    pub reason: Reason,
    /// What is to be done.
    pub operation: Operation,
    /// The register that stands for the results that are missing then; any where there is none.
    pub stands_for: Option<String>,
}

impl Proposal {
    /// For this reason, with whatever register for what is missing then.
    #[must_use]
    pub fn new(reason: Reason, operation: Operation) -> Self {
        Self { reason, operation, stands_for: None }
    }
}

/// Why an edit is proposed: what was so in all executions that were watched, or stands in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reason {
    /// Another register, or its own, had the result already.
    Known,
    /// What it reads was the same number.
    Constant,
    /// A guard said always the same.
    OneWay,
    /// A store changed nothing, or nobody read what it left.
    Store,
    /// What it loads nobody wrote in the same launch.
    ReadOnly,
    /// Of all that is loaded through a pointer nobody wrote anything in the same launch.
    Pointer,
    /// A barrier without which no threads race; whoever proposes it has looked.
    Barrier,
    /// A barrier at which it is enough to wait for the warp; whoever proposes it has looked.
    Warp,
    /// A branch jumps over a few instructions.
    Branch,
    /// A load comes after stores that it may not need.
    Order,
    /// Arithmetic that need not be exact.
    Precision,
}

impl fmt::Display for Reason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Known => "results that a register has",
            Self::Constant => "constants",
            Self::OneWay => "guards that say always the same",
            Self::Store => "stores that nobody needs",
            Self::ReadOnly => "loads of what nobody writes",
            Self::Pointer => "pointers through which nobody writes",
            Self::Barrier => "barriers without which nothing races",
            Self::Warp => "barriers that a warp is enough for",
            Self::Branch => "branches over a few instructions",
            Self::Order => "loads that stores stand before",
            Self::Precision => "arithmetic that may be approximate",
        })
    }
}

impl fmt::Display for Proposal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", self.operation)?;
        self.stands_for.as_ref().map_or(Ok(()), |register| write!(formatter, ", {register} stands for it"))
    }
}

/// In so many draws of an edit one is a proposal.
const ONE_IN: usize = 3;

/// Proposals by their reasons, those that reach many places apart, since they are few.
#[derive(Clone, Debug, Default)]
pub(super) struct Proposals(Vec<Vec<Proposal>>);

impl Proposals {
    pub(super) fn new(all: impl IntoIterator<Item = Proposal>) -> Self {
        let mut by_reason = BTreeMap::<(Reason, bool), BTreeSet<Proposal>>::new();
        for proposal in all {
            let kind = (proposal.reason, proposal.operation.is_wide());
            by_reason.entry(kind).or_default().insert(proposal);
        }
        Self(by_reason.into_values().map(|proposals| proposals.into_iter().collect()).collect())
    }

    pub(super) fn all(&self) -> impl Iterator<Item = &Proposal> {
        self.0.iter().flatten()
    }

    /// None where another edit is to be drawn.
    pub(super) fn draw(&self, random: &mut Random) -> Option<&Proposal> {
        // Without any nothing is drawn.
        if self.0.is_empty() || random.below(ONE_IN) > 0 {
            return None;
        }
        let of_reason = &self.0[random.below(self.0.len())];
        Some(&of_reason[random.below(of_reason.len())])
    }
}

impl<'a> Profile<'a> {
    /// Nothing has been launched yet.
    ///
    /// # Errors
    /// When these kernels cannot be emulated.
    pub fn new(base: &'a Base, kernels: &[&str]) -> Result<Self, Unsupported> {
        let emulator = Emulator::for_kernels(base.module(), kernels)?;
        let observer = emulator.observer(base.module());
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
        self.emulator.launch_observed(launch, memory, options, Some(&mut self.observer))
    }

    /// All launches with this memory are over, of which the host reads all buffers but these.
    pub fn end(&mut self, unread: &[u64]) {
        self.observer.ended(unread);
    }

    /// What was executed in the launches so far.
    #[must_use]
    pub fn executed(&self) -> BTreeSet<InstructionId> {
        self.observer.watched().filter(|watched| watched.holds).map(|watched| watched.id).collect()
    }

    /// What has been seen suggests these edits, in an order of their own.
    #[must_use]
    pub fn proposals(&self) -> Vec<Proposal> {
        let mut proposals = propose::all(self.base, &self.observer);
        proposals.sort();
        proposals.dedup();
        proposals
    }
}
