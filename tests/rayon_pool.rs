//! With the Cargo feature `rayon`, a call that nobody has entered a part of the host for runs on the part that is
//! its rayon pool.

use nitro::{code_variant, host};

fn only() -> usize {
    rayon::current_num_threads()
}

/// The number of threads that its work has.
#[code_variant(name = "pooled", variants(only), default = only)]
fn pooled() -> usize;

#[test]
fn a_call_runs_on_the_pool_that_it_is_made_in() {
    let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
    for threads in [1, 3] {
        let found = pool(threads).install(|| (pooled(), host::current().threads()));
        assert_eq!(found, (threads, threads));
    }
    assert_eq!(
        host::current().threads(),
        rayon::current_num_threads(),
        "outside of any it is the global pool"
    );
    let entered = pool(2).install(|| {
        host::enter(1);
        host::current().threads()
    });
    assert_eq!(entered, 1, "whoever enters a part of the host means that");
}
