mod cutting;
mod every_type;
mod fixtures;
mod megabytes;
mod mutated;
mod others;
mod reading;
mod texts;
