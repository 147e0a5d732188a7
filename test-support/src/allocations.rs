//! An allocator that counts, for tests that promise to allocate nothing.
//!
//! It serves a whole process, so such a test has a file of its own:
//!
//! ```
//! use nitro_test_support::allocations::{Counting, allocations};
//!
//! #[global_allocator]
//! static ALLOCATOR: Counting = Counting;
//!
//! fn main() {
//!     let before = allocations();
//!     let boxed = Box::new(1);
//!     assert_eq!(allocations() - before, 1);
//!     drop(boxed);
//! }
//! ```

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
    static BYTES: Cell<usize> = const { Cell::new(0) };
}

/// Allocations of this thread so far.
#[must_use]
pub fn allocations() -> usize {
    ALLOCATIONS.get()
}

/// Bytes of this thread's allocations so far, whether they were given back or not.
#[must_use]
pub fn allocated_bytes() -> usize {
    BYTES.get()
}

/// The system's allocator, which counts what each thread asks of it.
#[derive(Debug)]
pub struct Counting;

// SAFETY: every request is passed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        BYTES.set(BYTES.get() + layout.size());
        // SAFETY: the caller keeps the contract of `alloc`, which is the same here.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: `pointer` came from `System.alloc` with this layout.
        unsafe { System.dealloc(pointer, layout) }
    }
}
