mod classifiers;
mod decisions;
mod long_questions;
mod marker;
mod packed;
mod reductions;
mod spans;
mod windows;
