#!/bin/sh
# Runs the GPU tests under compute-sanitizer: memcheck, also of memory that is ordered by streams, and racecheck on what uses shared memory. Needs a GPU and the CUDA
# toolkit; takes about a quarter of an hour. Long tests and those that fail on purpose in the driver are left out.
#
#   scripts/sanitize.sh [TEST...]      default: all, for example sort; `nests` are the kernels that searches found for loop nests
set -eu
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- histogram sort transpose spmv bfs solver nests
export NITRO_TEST_DEVICES="${NITRO_TEST_DEVICES:-cuda:0}"
XDG_CACHE_HOME=$(mktemp -d) # device features measured under the tool must not be kept
export XDG_CACHE_HOME
trap 'rm -r "$XDG_CACHE_HOME"' EXIT
host=$(rustc --print host-tuple | tr 'a-z-' 'A-Z_')
runner="CARGO_TARGET_${host}_RUNNER=compute-sanitizer --report-api-errors no --error-exitcode 1"

echo "memcheck copies between streams, and modules"
env "$runner --tool memcheck --track-stream-ordered-races all" \
    cargo test --release --package nitro-variants-cuda --test device -- \
    --ignored --test-threads=1 copied copy_between shared_memory_at_once modules:: --skip ten_thousand
case " $* " in *" nests "*)
    for tool in memcheck racecheck synccheck; do
        echo "$tool nests"
        env "$runner --tool $tool" \
            cargo test --release --package nitro-polybench --features search --test gpu -- --ignored little_is_touched
    done
esac
for tool in memcheck racecheck; do
    # Racecheck follows every access to shared memory: small inputs have to do.
    [ $tool = racecheck ] && smaller="--skip family --skip kind --skip followed" || smaller=""
    for test; do
        [ "$test" = nests ] && continue
        echo "$tool $test"
        env "$runner --tool $tool" \
            cargo test --release --package nitro-benchmarks --test cuda -- "$test::" \
            --include-ignored --test-threads=1 --skip compile --skip enough --skip large --skip exceed --skip nearly_all $smaller
    done
done
