mod decisions;
mod marker;
mod packed;
mod windows;
