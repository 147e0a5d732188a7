#!/bin/sh
# Records the functions of examples/everyday on this machine, writes their shipped recordings and models, and judges them by leaving out one device
# at a time. Stopped at any time, it goes on where it was.
#
#   scripts/record_everyday.sh [STORE [DEVICE...]]      default: everyday.db, and host:1 and host:2
#
# A new recording begins with a new store. With the store of another machine, both machines' devices are shipped. Some minutes a device.
set -eu
cd "$(dirname "$0")/.."
store=${1:-everyday.db}
[ $# -gt 0 ] && shift
[ $# -gt 0 ] || set -- host:1 host:2
models=examples/everyday/models

train() {
    cargo run --release --package nitro-everyday --bin train-everyday -- "$@" --store "$store"
}

for device; do
    train record --repeat-ms 5 --device "$device"
done
for name in sort find matmul group big_product compress transform; do
    folder=$models/recordings/$name
    mkdir -p "$folder"
    train export --function "everyday::$name" --measurements "$folder/measurements.csv.gz" \
        --inputs "$folder/inputs.csv.gz" --devices "$folder/devices.csv" --feature-times "$folder/feature_times.csv.gz"
done
train fit --models $models
train evaluate
