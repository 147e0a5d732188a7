#!/bin/sh
# Records the six GPU functions on a GPU and on slices of it, fits their models, and judges them by leaving out one
# device at a time. Stopped at any time, it goes on where it was.
#
#   scripts/record_gpu.sh [STORE [DEVICE...]]      default: cuda.db, and cuda:0 whole and in five slices
#
# With FEATURES=vendor, CUB and cuSPARSE take part (needs nvcc). About 20 minutes on an H200.
set -eu
cd "$(dirname "$0")/.."
store=${1:-cuda.db}
[ $# -gt 0 ] && shift
[ $# -gt 0 ] || set -- cuda:0 cuda:0/8sm cuda:0/16sm cuda:0/32sm cuda:0/64sm cuda:0/128sm

train() {
    cargo run --release --package nitro-benchmarks --features "${FEATURES:-}" --bin train -- "$@" --store "$store"
}

for device; do
    train record --repeat-ms 4 --device "$device"
done
functions=""
for name in histogram spmv sort transpose bfs solver; do
    functions="$functions --function cuda_$name"
done
# shellcheck disable=SC2086 # a list of options
train fit $functions --models models
# shellcheck disable=SC2086
train evaluate $functions
