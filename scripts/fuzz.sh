#!/bin/sh
# Feeds hostile input to everything that reads from outside, ten minutes each, and keeps what it found of interest in fuzz/corpus.
#
#   scripts/fuzz.sh [SECONDS [TARGET...]]      targets: model import kernel_tuner matrix_market store attribute launch_plan ptx workload
#
# Needs a nightly toolchain, a C++ compiler and `cargo install cargo-fuzz`. Ends with 1, and the input's file, when a promise is broken.
set -eu
cd "$(dirname "$0")/.."
seconds=${1:-600}
[ $# -gt 0 ] && shift
[ $# -gt 0 ] || set -- model import kernel_tuner matrix_market store attribute launch_plan ptx workload
# SQLite is linked once, but the sanitizer sees its globals in several copies of the library.
export ASAN_OPTIONS=detect_odr_violation=0
for target; do
    found=$(mktemp -d)
    cargo +nightly fuzz run "$target" --features libfuzzer "$found" "fuzz/corpus/$target" -- -max_total_time="$seconds" -rss_limit_mb=3000
    cargo +nightly fuzz run "$target" --features libfuzzer -- -merge=1 "fuzz/corpus/$target" "$found"
    rm -r "$found"
done
