#!/usr/bin/env bash
# Runs the tests of the worker's unsafe code with AddressSanitizer: scripts/sanitize.sh [test filters]
# Needs a nightly Rust, `rustup toolchain install nightly`, on Linux x86-64. The inference library is not instrumented: what
# it writes is seen where it passes through the allocator. Kernels that the processor lacks are skipped, and the tests say so.
set -euo pipefail
cd "$(dirname "$0")/.."

# The kernels, the operators and sessions of the inference library, and whole processes that end or lose files.
filters=("$@")
[ ${#filters[@]} -gt 0 ] || filters=(matmul:: engines:: graph:: process:: engine::watched_files)

# The library keeps what it allocates once until the process ends, which is no leak.
export ASAN_OPTIONS="detect_leaks=0:detect_stack_use_after_return=1:strict_string_checks=1"
export RUSTFLAGS="-Zsanitizer=address -Cdebuginfo=line-tables-only"
# With a target of its own, build scripts and macros are built without the sanitizer.
exec cargo +nightly test --target x86_64-unknown-linux-gnu --target-dir target/sanitized -p rtrun-core --test all -- "${filters[@]}"
