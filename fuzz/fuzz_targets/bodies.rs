//! Any bytes as the body of a request to a running worker.
#![no_main]
#![allow(clippy::unwrap_used, dead_code, reason = "the tests of the worker share these files and use more of them")]

#[path = "../../crates/rtrun-core/tests/fuzzed/bodies.rs"]
mod bodies;
#[path = "../../crates/rtrun-core/tests/support/mod.rs"]
mod support;

use std::sync::LazyLock;

use bodies::Target;
use libfuzzer_sys::fuzz_target;

static TARGET: LazyLock<Target> = LazyLock::new(Target::start);

fuzz_target!(|input: &[u8]| {
    TARGET.hold(input);
});
