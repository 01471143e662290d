//! The bodies of `POST /v1/decisions`: two dialects in, the same questions inside, the asked dialect out.
//!
//! [`DecisionsRequest::read`] turns a body into states and questions; [`DecisionsResponse`] writes their answers.

mod answers;
mod fields;
mod openai;
mod questions;
mod request;
mod response;
mod strict_json;
mod text;

pub use openai::{ChoiceValue, OpenAiKind, OpenAiQuestion};
pub use request::{DecisionsOptions, DecisionsRequest, Dialect, MAX_QUESTIONS};
pub use response::{AnsweredState, DecisionsResponse};
pub use strict_json::{MAX_DEPTH, MAX_VALUES, StrictJson};
