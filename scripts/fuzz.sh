#!/bin/sh
# Feeds hostile input to what reads from outside. A corpus is an archive a target, fuzz/corpus/TARGET.tar.gz.
#
#   scripts/fuzz.sh [SECONDS [TARGET...]]   fuzzes 600 seconds a target, all targets; minimises and packs what is new
#   scripts/fuzz.sh minimise [TARGET...]    drops the fuzzer's own inputs that cover nothing more, and packs the rest
#   scripts/fuzz.sh unpack [TARGET...]      unpacks the archive into the folder fuzz/corpus/TARGET
#   scripts/fuzz.sh pack TARGET...          packs that folder and removes it; the same inputs give the same bytes
#
# To add an input: unpack, write it into the folder, pack. The fuzzer names its inputs by their SHA-1. An input with a
# name of its own is a seed or stands for a mended defect: minimising keeps it.
#
# Fuzzing needs a nightly toolchain, a C++ compiler and `cargo install cargo-fuzz`. It ends with 1, and the input's
# file, when a promise is broken. Packing needs GNU tar.
set -eu
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# SQLite is linked once, but the sanitizer sees its globals in several copies of the library.
export ASAN_OPTIONS=detect_odr_violation=0

fail() {
    echo "scripts/fuzz.sh: $1" >&2
    exit 2
}

# unpack TARGET FOLDER
unpack() {
    [ -f "fuzz/corpus/$1.tar.gz" ] || fail "there is no fuzz/corpus/$1.tar.gz"
    [ ! -e "$2" ] || fail "$2 is there already: pack or remove it"
    mkdir "$2"
    tar -xzf "fuzz/corpus/$1.tar.gz" -C "$2"
}

# pack TARGET FOLDER: an archive holds no times, owners or rights, and its names are sorted.
pack() {
    (cd "$2" && LC_ALL=C ls -A) >"$work/names"
    tar -C "$2" --format=ustar --mtime=@0 --owner=0 --group=0 --numeric-owner --mode=0644 --no-recursion \
        --verbatim-files-from -T "$work/names" -cf "$work/packed.tar"
    gzip -9n <"$work/packed.tar" >"$work/packed.tar.gz"
    mv "$work/packed.tar.gz" "fuzz/corpus/$1.tar.gz"
}

# fuzz TARGET FOLDER FOLDER OPTION: libFuzzer writes into the first folder and reads both.
fuzz() {
    cargo +nightly fuzz run "$1" --features libfuzzer "$2" "$3" -- "$4" -rss_limit_mb=3000
}

# minimise TARGET FOLDER FOUND: inputs with names of their own stay; of the others, a smallest set with their coverage.
minimise() {
    (cd "$2" && ls -A) | grep -xE '[0-9a-f]{40}' >"$work/hashes" || true
    while read -r name; do
        mv "$2/$name" "$3"
    done <"$work/hashes"
    fuzz "$1" "$2" "$3" -set_cover_merge=1
}

verb=${1:-600}
case $verb in
    unpack | pack | minimise) ;;
    *[!0-9]*) fail "$verb is no number of seconds, and not unpack, pack or minimise" ;;
esac
broken=0
[ $# -eq 0 ] || shift
[ $# -gt 0 ] || set -- fuzz/corpus/*.tar.gz
for target; do
    target=$(basename "$target" .tar.gz)
    case $verb in
        unpack) unpack "$target" "fuzz/corpus/$target" ;;
        pack)
            pack "$target" "fuzz/corpus/$target"
            rm -r "fuzz/corpus/$target"
            ;;
        *)
            kept=$work/$target found=$work/$target.found
            unpack "$target" "$kept"
            mkdir "$found"
            [ "$verb" = minimise ] || fuzz "$target" "$found" "$kept" "-max_total_time=$verb" || broken=1
            minimise "$target" "$kept" "$found"
            pack "$target" "$kept"
            ;;
    esac
done
exit $broken
