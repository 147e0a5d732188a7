//! The emulator: launches run on the CPU, thread by thread, and every access is checked. Everything that a GPU leaves
//! to chance is drawn from a seed.
//!
//! ```
//! use nitro_ptx::Module;
//! use nitro_ptx::emulate::{Emulator, Launch, Memory, Options};
//!
//! let text = ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry number(.param .u64 to)\n{\n\
//!     .reg .b32 %r<2>; .reg .b64 %rd<5>;\n\
//!     ld.param.u64 %rd1, [to]; cvta.to.global.u64 %rd2, %rd1; mov.u32 %r1, %tid.x;\n\
//!     mul.wide.u32 %rd3, %r1, 4; add.s64 %rd4, %rd2, %rd3; st.global.u32 [%rd4], %r1; ret;\n}\n";
//! let emulator = Emulator::new(&Module::parse(text)?)?;
//! let mut memory = Memory::new();
//! let to = memory.allocate(vec![0; 12]);
//! let parameters = [to.to_le_bytes().to_vec()];
//! let launch = Launch { kernel: "number", grid: [1; 3], block: [3, 1, 1], shared_bytes: 0, parameters: &parameters };
//! let launched = emulator.launch(&launch, &mut memory, &Options::default())?;
//! assert_eq!(memory.bytes(to), [0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0]);
//! assert_eq!((launched.instructions, launched.thread_instructions), (7, 21));
//!
//! let launch = Launch { block: [4, 1, 1], ..launch };
//! let fault = emulator.launch(&launch, &mut memory, &Options::default()).unwrap_err();
//! assert!(fault.to_string().starts_with("b5 `st.global.u32` of thread (3, 0, 0) in block (0, 0, 0) touches 4 bytes"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Order
//! Blocks begin in an order that is drawn; several run at the same time, and one more begins where those that run
//! seem to wait for it. Of a block the warp that goes on is drawn, and for how long. Of a warp those threads go on
//! that are least far, together, so that they come together again after a branch; [`Options::adversarial`] draws
//! single threads and small groups instead. Threads meet only where PTX says so: at barriers, and at what ends in
//! `.sync` with a mask.
//!
//! A barrier without a number of threads is one instruction for all threads of a block, as CUDA demands of
//! `__syncthreads()`. Threads that have ended are not waited for.
//!
//! # Races
//! Two accesses of the same bytes by different threads race if at least one writes, not both are strong (atomic,
//! volatile, or with an order such as `.relaxed`), and nothing orders them: within a block barriers and
//! `bar.warp.sync` do, the threads that took part in them; `shfl.sync` and its like do not, as in CUDA. Between
//! blocks, and between threads that do not meet, flags do: what a thread did and knows before a fence (or a
//! `.release`) is before what another thread does that reads, strongly, what the first one strongly wrote after it.
//! (That reader needs no fence here, which PTX demands: one that is missing there is not found.) A race in which
//! what was written was there already makes no difference; it counts only with [`Options::same_value_races`]. For
//! each four bytes (each byte, where single ones are touched) the last write and up to two reads and two atomics
//! are remembered, by threads that are far from each other: a race with one that has been forgotten is found by
//! another seed.
//!
//! # Arithmetic
//! As IEEE 754 and PTX say, to the last bit, with `.ftz` and all roundings of 32 bits. What PTX calls approximate
//! (`.approx`, `.full`) is exact to the last bit or two here, and so is not what a GPU gives.
//!
//! # Modelled time
//! [`Launched::cycles`] counts, so that where no GPU is there is something to compare: 1 for each instruction of a
//! warp, with as many more as it is worth: 3 for special functions and conversions, 15 for divisions, one for each
//! 32-byte sector of global memory that the warp touches, one for each word that one bank of shared memory has to
//! give, 8 for a barrier or fence. Everything is added up: nothing overlaps, there are no caches. It depends on the
//! seed where threads wait in loops.

mod engine;
mod function;
mod guards;
mod layout;
pub(crate) mod place;
pub(crate) mod program;
mod refusal;

use std::sync::atomic::{AtomicU64, Ordering};

use self::engine::Engine;
use self::program::Program;
use self::refusal::Refusal;
use crate::machine::launch::Geometry;
use crate::machine::state::Machine;
use crate::machine::watch::Watcher;
use crate::text::module::Module;
use crate::text::reach::ReachableNames;

pub use self::guards::{Guards, Shown};
pub use crate::instructions::form::Form;
pub use crate::instructions::operand::Operand;
pub use crate::instructions::table::forms;
pub use crate::machine::error::{At, Fault, Race, Unsupported};
pub use crate::machine::launch::{Launch, Launched, Options, Races};
pub use crate::machine::memory::Memory;
pub use crate::machine::symbolic::{Decisions, SymbolicBytes, Symbols};

/// A module that can be run: see [the module's documentation](self).
#[derive(Clone, Debug)]
pub struct Emulator {
    program: Program,
    /// By which its variables are found in a memory.
    number: u64,
}

impl Emulator {
    /// Decodes a module, with all of its functions.
    ///
    /// # Errors
    /// The first instruction or declaration that is not known.
    pub fn new(module: &Module) -> Result<Self, Unsupported> {
        Self::of(module, |_| true)
    }

    /// Decodes a module for launches of these kernels. What is not known matters only in them, in functions that they
    /// call, and in variables that they name. A launch of another one traps where it comes to such a thing.
    ///
    /// ```
    /// use nitro_ptx::Module;
    /// use nitro_ptx::emulate::Emulator;
    ///
    /// let text = ".entry plain() { ret; }\n.entry strange() { .reg .b32 %r<2>; frobnicate.b32 %r0, %r1; ret; }";
    /// let module = Module::parse(text)?;
    /// assert!(Emulator::for_kernels(&module, &["plain"]).is_ok());
    /// assert!(Emulator::for_kernels(&module, &["plain", "strange"]).is_err());
    /// # Ok::<(), nitro_ptx::ParseError>(())
    /// ```
    ///
    /// # Errors
    /// The first instruction or declaration that is not known and matters.
    pub fn for_kernels(module: &Module, kernels: &[&str]) -> Result<Self, Unsupported> {
        let reached = ReachableNames::of(module, kernels);
        Self::of(module, |name| reached.contains(name))
    }

    fn of(module: &Module, matters: impl Fn(&str) -> bool) -> Result<Self, Unsupported> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let (program, refused) = Program::new(module);
        let mut refused = refused.into_iter();
        let first =
            refused.find(|Refusal { names, .. }| names.is_empty() || names.iter().any(|name| matters(name)));
        match first {
            Some(refused) => Err(refused.unsupported),
            None => Ok(Self { program, number: NUMBER.fetch_add(1, Ordering::Relaxed) }),
        }
    }

    /// Everything of a module that the emulator does not know.
    ///
    /// ```
    /// use nitro_ptx::Module;
    /// use nitro_ptx::emulate::Emulator;
    ///
    /// let module = Module::parse(".entry k() { .reg .b32 %r<2>; frobnicate.b32 %r0, %r1; ret; }")?;
    /// let unsupported = Emulator::unsupported(&module);
    /// assert_eq!(unsupported[0].to_string(), "line 1: `frobnicate.b32` in `k` cannot be emulated: it is not known");
    /// # Ok::<(), nitro_ptx::ParseError>(())
    /// ```
    #[must_use]
    pub fn unsupported(module: &Module) -> Vec<Unsupported> {
        Program::new(module).1.into_iter().map(|refused| refused.unsupported).collect()
    }

    /// Runs one launch. Variables of the module keep what it leaves in them, for the next launch of this emulator
    /// with this memory.
    ///
    /// # Errors
    /// When the launch does not fit the kernel, or a thread does what is not allowed; memory is then half done.
    pub fn launch(&self, launch: &Launch, memory: &mut Memory, options: &Options) -> Result<Launched, Fault> {
        self.watched(launch, memory, options, None)
    }

    /// Runs a launch as [`Emulator::launch`] does, and notes what its guards and comparisons come to.
    ///
    /// ```
    /// use nitro_ptx::Module;
    /// use nitro_ptx::emulate::{Emulator, Launch, Memory, Options};
    ///
    /// let text = ".entry k(.param .u32 n) { .reg .pred %p<2>; .reg .b32 %r<3>; ld.param.u32 %r1, [n];\n\
    ///             mov.u32 %r2, %tid.x; setp.lt.u32 %p1, %r2, %r1; @%p1 add.s32 %r2, %r2, 1; ret; }";
    /// let module = Module::parse(text)?;
    /// let emulator = Emulator::new(&module)?;
    /// let mut guards = emulator.guards(&module);
    /// let mut outcomes = |n: u32| {
    ///     let parameters = [n.to_le_bytes().to_vec()];
    ///     let (grid, block, parameters) = ([1; 3], [64, 1, 1], &parameters);
    ///     let launch = Launch { kernel: "k", grid, block, shared_bytes: 0, parameters };
    ///     let (mut memory, options) = (Memory::new(), Options::default());
    ///     emulator.launch_guarded(&launch, &mut memory, &options, &mut guards).map(|_| guards.take())
    /// };
    /// assert_ne!(outcomes(32)?, outcomes(33)?, "one thread of the second warp goes on");
    /// assert_eq!(outcomes(33)?, outcomes(63)?);
    /// assert_ne!(outcomes(63)?, outcomes(64)?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`Emulator::launch`]; what was seen until then counts.
    pub fn launch_guarded(
        &self,
        launch: &Launch,
        memory: &mut Memory,
        options: &Options,
        guards: &mut Guards,
    ) -> Result<Launched, Fault> {
        self.watched(launch, memory, options, Some(guards))
    }

    /// Returns what notes outcomes in launches of this program, which was made of this module.
    #[must_use]
    pub fn guards(&self, module: &Module) -> Guards {
        Guards::new(module, &self.program)
    }

    /// Runs a launch as [`Emulator::launch`] does, with terms beside all that depends on the data that are symbols.
    ///
    /// # Errors
    /// As [`Emulator::launch`], and [`Fault::Undecided`] where control or an address depends on data, or what an
    /// instruction does is not known for symbols.
    pub fn launch_symbolic(
        &self,
        launch: &Launch,
        memory: &mut Memory,
        options: &Options,
        symbols: &mut Symbols,
    ) -> Result<Launched, Fault> {
        symbols.launch();
        self.run(launch, memory, options, (None, Some(symbols)))
    }

    /// Runs a launch that may be watched.
    pub(crate) fn watched(
        &self,
        launch: &Launch,
        memory: &mut Memory,
        options: &Options,
        watch: Watcher,
    ) -> Result<Launched, Fault> {
        self.run(launch, memory, options, (watch, None))
    }

    /// Runs a launch with those who follow it.
    fn run(
        &self,
        launch: &Launch,
        memory: &mut Memory,
        options: &Options,
        followers: (Watcher, Option<&mut Symbols>),
    ) -> Result<Launched, Fault> {
        let Program { code, image } = &self.program;
        let geometry = Geometry::new(image, launch, options)?;
        let Some(kernel) = image.kernel(launch.kernel) else {
            return Err(Fault::Launch(format!("there is no kernel `{}`", launch.kernel)));
        };
        // Variables of the module live in the memory, from launch to launch.
        let bound = memory.bound(image);
        let (buffers, variables) = memory.parts(self.number, image);
        let parts = (buffers, variables, bound);
        let machine = Machine::new(image, kernel, &geometry, options, parts, followers);
        Engine { code, machine }.run()
    }

    /// Returns the program, for those who watch it.
    pub(crate) fn program(&self) -> &Program {
        &self.program
    }

    /// Returns the bytes of a variable of the module, as the launches with this memory left it.
    ///
    /// There are none if there is no such variable, or no launch yet.
    ///
    /// ```
    /// use nitro_ptx::Module;
    /// use nitro_ptx::emulate::{Emulator, Launch, Memory, Options};
    ///
    /// let text = ".version 9.0\n.target sm_90\n.address_size 64\n.global .u32 calls = 3;\n\
    ///             .visible .entry k() { .reg .b32 %r<2>; atom.global.add.u32 %r1, [calls], 1; ret; }";
    /// let emulator = Emulator::new(&Module::parse(text)?)?;
    /// let mut memory = Memory::new();
    /// let launch = Launch { kernel: "k", grid: [2, 1, 1], block: [1; 3], shared_bytes: 0, parameters: &[] };
    /// emulator.launch(&launch, &mut memory, &Options::default())?;
    /// assert_eq!(emulator.variable("calls", &memory), Some([5, 0, 0, 0].as_slice()));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn variable<'a>(&self, name: &str, memory: &'a Memory) -> Option<&'a [u8]> {
        let at = self.program.image.variables.iter().position(|variable| variable.name == name)?;
        Some(&memory.variables(self.number)?[at].data)
    }

    /// The kernels, and how many bytes each of their parameters has.
    ///
    /// ```
    /// use nitro_ptx::Module;
    /// use nitro_ptx::emulate::Emulator;
    ///
    /// let module = Module::parse(".visible .entry k(.param .u64 to, .param .align 8 .b8 pair[24]) { ret; }")?;
    /// let emulator = Emulator::new(&module)?;
    /// assert!(emulator.kernels().eq([("k", vec![8, 24])]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn kernels(&self) -> impl Iterator<Item = (&str, Vec<usize>)> {
        let kernels = self.program.image.functions.iter().filter(|function| function.is_kernel);
        kernels.map(|kernel| {
            let sizes = kernel.parameters.iter().map(|&(_, bytes)| bytes as usize);
            (kernel.name.as_str(), sizes.collect())
        })
    }
}
