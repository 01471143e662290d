mod reductions;
mod spans;
