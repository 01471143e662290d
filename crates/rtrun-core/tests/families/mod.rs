mod classifiers;
mod decisions;
mod marker;
mod packed;
mod pairs;
mod reductions;
mod spans;
mod windows;
