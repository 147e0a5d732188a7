//! An allocator that counts, for tests that promise to allocate nothing. Whoever names this module gives its process that allocator, so such a
//! test has a file of its own.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

struct Counting;

thread_local! {
    /// Allocations of this thread so far.
    pub static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
    /// Bytes of them, whether they were given back or not.
    #[allow(dead_code, reason = "not every test asks for both")]
    pub static ALLOCATED_BYTES: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: every request is passed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        ALLOCATED_BYTES.set(ALLOCATED_BYTES.get() + layout.size());
        // SAFETY: the caller keeps the contract of `alloc`, which is the same here.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: `pointer` came from `System.alloc` with this layout.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;
