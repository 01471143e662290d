//! Tests of the public API, one file per source folder. One binary, because linking costs more than testing.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![allow(missing_docs, reason = "the names of tests are sentences")]

mod engine;
mod engines;
mod families;
mod fuzzed;
mod graph;
mod matmul;
mod media;
mod model;
mod package;
mod process;
mod question;
mod schedule;
mod serve;
mod support;
mod tokens;
