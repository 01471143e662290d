//! Any bytes as a file of a package.
#![no_main]
#![allow(clippy::unwrap_used, dead_code, reason = "the tests of the worker share these files and use more of them")]

#[path = "../../crates/rtrun-core/tests/fuzzed/packages.rs"]
mod packages;
#[path = "../../crates/rtrun-core/tests/support/mod.rs"]
mod support;

use libfuzzer_sys::fuzz_target;

// libFuzzer's hook ends the process at any panic; here some of the tokenizer library are caught and are refusals.
fuzz_target!(init: drop(std::panic::take_hook()), |input: &[u8]| {
    if let Some(case) = packages::read(input) {
        packages::hold(&case);
    }
});
