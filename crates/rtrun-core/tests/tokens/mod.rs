mod cutting;
mod others;
mod reading;
mod texts;
