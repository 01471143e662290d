//! What a whole process does: the tests run children of themselves.

pub mod children;
mod exit;
mod overwritten;
mod telemetry;
