//! The closures of one input: what makes it, and what calls the function on it.

/// Calls of the function on one input, as often as they are wanted.
pub(super) trait Calls {
    /// What they return.
    type Output;

    /// Makes the input anew, and returns what calls the function on it once. To make it is no part of what is recorded.
    fn next(&mut self) -> impl FnOnce() -> Self::Output;
}

/// A closure that makes the input, and one that takes it.
pub(super) struct WithSetup<M, C> {
    pub(super) make: M,
    pub(super) call: C,
}

impl<T, R, M: FnMut() -> T, C: FnMut(T) -> R> Calls for WithSetup<M, C> {
    type Output = R;

    fn next(&mut self) -> impl FnOnce() -> R {
        let input = (self.make)();
        || (self.call)(input)
    }
}
