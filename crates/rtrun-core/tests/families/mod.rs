mod classifiers;
mod decisions;
mod marker;
mod packed;
mod reductions;
mod spans;
mod windows;
