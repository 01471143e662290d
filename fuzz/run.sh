#!/usr/bin/env bash
# Fuzzes one target for a while: fuzz/run.sh bodies|packages [seconds, 60]
# Needs a C++ compiler and `cargo install cargo-fuzz --locked`; any stable Rust does, since no sanitizer is asked for: the
# code is safe Rust, and faults show as panics, wrong answers and statuses.
set -euo pipefail
cd "$(dirname "$0")/.."

target="${1:?usage: fuzz/run.sh bodies|packages [seconds]}"
seconds="${2:-60}"

mkdir -p "fuzz/corpus/$target"
seeds=("fuzz/corpus/$target")
if [ -d "fuzz/seeds/$target" ]; then seeds+=("fuzz/seeds/$target"); fi

cargo fuzz run --fuzz-dir fuzz --sanitizer none "$target" "${seeds[@]}" -- -max_total_time="$seconds" -timeout=60
