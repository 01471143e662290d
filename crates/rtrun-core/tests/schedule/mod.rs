mod bench;
mod cache;
mod packing;
mod probe;
mod queue;
mod worker;
