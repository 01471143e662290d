mod cutting;
mod every_type;
mod fixtures;
mod others;
mod reading;
mod texts;
