mod cutting;
mod every_type;
mod fixtures;
mod megabytes;
mod mutated;
mod others;
mod pairs;
mod reading;
mod texts;
mod unknown;
mod windows;

pub use fixtures::NAMES;
pub use texts::Random;
