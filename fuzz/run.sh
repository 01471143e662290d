#!/usr/bin/env bash
# Fuzzes one target for a while: fuzz/run.sh bodies|packages [seconds, 60]
# Needs a C++ compiler and `cargo install cargo-fuzz --locked`. Any stable Rust does, since no sanitizer is asked for: the
# code is safe Rust, and faults show as panics, wrong answers and statuses.
set -euo pipefail
cd "$(dirname "$0")/.."

target="${1:?usage: fuzz/run.sh bodies|packages [seconds]}"
seconds="${2:-60}"
corpus="fuzz/corpus/$target"
fixtures=crates/rtrun-core/tests/fixtures
mkdir -p "$corpus"

# A seed of a package is a file of a fixture; of weights it is the header with the length before it.
write_package_seeds() {
  local package file length
  for package in embeddings heads-int8 classifiers/modernbert classifiers/deberta decisions/packed; do
    (cd "$fixtures/$package" && find . -type f -printf '%P\n') | while read -r file; do
      {
        echo "$package $file"
        case "$file" in
        *.safetensors)
          length=$(od -An -t u8 -N 8 "$fixtures/$package/$file" | tr -d ' ')
          head -c "$((length + 8))" "$fixtures/$package/$file"
          ;;
        *) cat "$fixtures/$package/$file" ;;
        esac
      } >"$corpus/${package//\//-}-${file//\//-}"
    done
  done
}

seeds=("$corpus")
case "$target" in
bodies) seeds+=(fuzz/seeds/bodies) ;;
packages) write_package_seeds ;;
esac

# As the launchers of the worker set it.
export ORT_DISABLE_TELEMETRY=1
cargo fuzz run --fuzz-dir fuzz --sanitizer none "$target" "${seeds[@]}" -- -max_total_time="$seconds" -timeout=60
