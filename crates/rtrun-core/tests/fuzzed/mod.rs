//! What the fuzz targets hold the worker to, and a bounded run of each with inputs that are always the same.
//!
//! `fuzz/` compiles the same files into targets of `cargo fuzz`, which goes on for as long as it is let.

mod bodies;
mod bodies_bounded;
mod packages;
mod packages_bounded;
