mod classifiers;
mod decisions;
mod marker;
mod packed;
mod windows;
