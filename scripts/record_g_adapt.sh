#!/bin/sh
# Records the seven kernels of suite/g-adapt on a GPU, every configuration on every input, exports what was measured, and prints how well the
# best configuration of an input is predicted from the other inputs. Stopped at any time, it goes on where it was.
#
#   scripts/record_g_adapt.sh [STORE [FOLDER [DEVICE]]]      default: g-adapt.db, exports in g-adapt, on cuda:0
#
# TRAIN names a trainer that is built already (target/release/train-g-adapt), for a machine without Rust. With DEVICE host:1 or host:2 it records
# the two functions of the host instead.
set -eu
cd "$(dirname "$0")/.."
store=${1:-g-adapt.db}
folder=${2:-g-adapt}
device=${3:-cuda:0}

train() {
    if [ -n "${TRAIN:-}" ]; then
        "$TRAIN" "$@" --store "$store"
    else
        cargo run --release --package nitro-g-adapt --bin train-g-adapt -- "$@" --store "$store"
    fi
}

case $device in
cuda*) names="convolution matrix_mul mv_mul reduction scalar_prod transpose transpose_co" ;;
*) names="host_product host_stencil" ;;
esac
began=$(date +%s)
functions=""
for name in $names; do
    start=$(date +%s)
    train record --repeat-ms 5 --device "$device" --function "g_adapt::$name"
    echo "g_adapt::$name: recorded in $(($(date +%s) - start)) s"
    functions="$functions --function g_adapt::$name"
done
echo "all: recorded in $(($(date +%s) - began)) s"
for name in $names; do
    mkdir -p "$folder/$name"
    train export --function "g_adapt::$name" --measurements "$folder/$name/measurements.csv.gz" \
        --inputs "$folder/$name/inputs.csv.gz" --devices "$folder/$name/devices.csv"
done
# shellcheck disable=SC2086 # a list of options
train evaluate --leave-out input $functions
