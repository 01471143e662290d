//! The Node-API view of the worker: converts between JavaScript and `rtrun_core`, and decides nothing.

mod convert;
mod engine;
mod host;
