#!/usr/bin/env bash
# The unit tests of the run time under Miri, which finds undefined behaviour: accesses outside of what was allocated, races, values that
# were never written. Takes some minutes. Needs `rustup toolchain install nightly --component miri,rust-src`.
set -euo pipefail
cd "$(dirname "$0")/.."

# Files are written; results of `exp` and `ln` are compared with those of another call.
export MIRIFLAGS="-Zmiri-disable-isolation -Zmiri-deterministic-floats ${MIRIFLAGS:-}"
cargo +nightly miri test --package nitro-variants-core --lib --target-dir target/miri "$@"
