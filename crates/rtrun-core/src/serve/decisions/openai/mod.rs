//! OpenAI's Decisions API: `input` and a list of questions. Field names and shapes are those of its Python library 3.52.

mod input;
mod questions;
mod request;
mod response;

pub use questions::{ChoiceValue, OpenAiKind, OpenAiQuestion};
pub use request::read;
pub use response::OpenAiResponse;
