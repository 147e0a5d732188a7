//! `FUNCTION::prepare()`: what calls may run is compiled ahead.

mod macro_support;

use std::sync::{LazyLock, Mutex};

use macro_support::constant;
use nitro::{Artifact, code_variant};

/// What was compiled, in place of a compiler's work.
static COMPILED: Mutex<Vec<String>> = Mutex::new(vec![]);

fn compiled() -> Vec<String> {
    std::mem::take(&mut *COMPILED.lock().unwrap())
}

/// A compiler that takes no tile of 64.
fn compile(choice: filter::Choice) -> Result<(), String> {
    COMPILED.lock().unwrap().push(choice.to_string());
    match choice {
        filter::Choice::Tiled(filter::Tiled { tile: 64 }) => Err("line 1: too much shared memory".to_owned()),
        _ => Ok(()),
    }
}

static MODEL: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let lost = format!("found{{kernel={}}}", Artifact::of("a text that did not come along"));
    constant("filter", &["tiled{tile=32}", "tiled{tile=64}", "gone", &lost, "by_hand"], "tiled{tile=32}")
});

#[code_variant(
    name = "filter",
    variants(plain, by_hand, never_picked, tiled { tile: u32 in [16, 32, 64] }, found { kernel in artifacts }),
    default = plain,
    model = MODEL.as_slice(),
    prepare = compile,
)]
fn filter(rows: usize) -> u32;

fn plain(_: usize) -> u32 {
    0
}
fn by_hand(_: usize) -> u32 {
    1
}
fn never_picked(_: usize) -> u32 {
    2
}
fn tiled(p: filter::Tiled, _: usize) -> u32 {
    p.tile
}
fn found(_: filter::Found, _: usize) -> u32 {
    3
}

#[test]
fn what_calls_may_run_is_prepared_once_and_what_cannot_be_is_told() {
    let error = filter::prepare().unwrap_err();
    assert_eq!(
        compiled(),
        ["plain", "tiled{tile=32}", "tiled{tile=64}", "by_hand"],
        "the default and what the model may pick, of which the code and the process have something"
    );
    assert_eq!(error.choices().collect::<Vec<_>>(), ["tiled{tile=64}"]);
    assert_eq!(
        error.to_string(),
        "`filter`: `tiled{tile=64}` cannot be prepared: line 1: too much shared memory"
    );
    assert_eq!((filter(10), compiled()), (32, vec![]), "calls prepare nothing");
}

/// `prepare` may be a closure, and of a generic function too.
#[allow(dead_code, reason = "it is prepared, and never called")]
#[code_variant(
    name = "lengths",
    variants(of_all),
    default = of_all,
    prepare = |choice| {
        COMPILED_OF_ALL.lock().unwrap().push(choice);
        Ok::<_, std::fmt::Error>(())
    },
)]
fn lengths<T: AsRef<[u8]>>(values: &[T]) -> usize;

static COMPILED_OF_ALL: Mutex<Vec<lengths::Variant>> = Mutex::new(vec![]);

fn of_all<T: AsRef<[u8]>>(values: &[T]) -> usize {
    values.iter().map(|value| value.as_ref().len()).sum()
}

#[test]
fn a_closure_is_given_the_choice() {
    lengths::prepare().unwrap();
    assert_eq!(*COMPILED_OF_ALL.lock().unwrap(), [lengths::Variant::OfAll]);
}

#[code_variant(name = "on_the_host", variants(only), default = only)]
fn on_the_host() -> u32;

fn only() -> u32 {
    7
}

#[test]
fn where_nothing_is_compiled_there_is_nothing_to_do() {
    on_the_host::prepare().unwrap();
    assert_eq!(on_the_host(), 7);
}
