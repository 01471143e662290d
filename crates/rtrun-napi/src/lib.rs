//! The Node-API view of the worker: converts between JavaScript and `rtrun_core`, and decides nothing.

mod callers;
mod convert;
mod engine;
mod leaving;
mod log;
