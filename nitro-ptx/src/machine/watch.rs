//! The view of those who watch a launch.

use super::warp::Warp;

/// A word of memory: in what it is, of whom, and where.
pub(crate) type Word = (u8, u32, u32);

/// The kinds of memory of a [`Word`].
pub(crate) const BUFFER: u8 = 0;
pub(crate) const VARIABLE: u8 = 1;
pub(crate) const SHARED: u8 = 2;
pub(crate) const LOCAL: u8 = 3;

/// An observer of a launch, if there is one.
pub(crate) type Watcher<'a> = Option<&'a mut (dyn Watch + 'static)>;

/// An observer of a launch. Nothing that it does changes the launch.
pub(crate) trait Watch {
    /// Threads of `set` are at an instruction, and for the active ones its guard holds.
    fn before(&mut self, pc: u32, warp: &Warp, set: u32, active: u32);

    /// The active threads have executed an instruction, and go on with the next one.
    fn after(&mut self, pc: u32, warp: &Warp, active: u32);

    /// An instruction leaves something at these words, which was not there before if it `changes` them.
    fn stores(&mut self, _pc: u32, _words: &mut dyn Iterator<Item = Word>, _changes: bool) {}

    /// An instruction reads these words, and `writes` them at once.
    fn reads(&mut self, _pc: u32, _words: &mut dyn Iterator<Item = Word>, _writes: bool) {}
}
