//! What requests of all surfaces may say about reading and answering.

use std::time::{Duration, Instant};

use serde::Deserialize;

use super::embeddings::EncodingFormat;
use crate::error::Error;
use crate::serve::decisions::Dialect;
use crate::serve::object::optional_object;
use crate::task::{ReadingOptions, Window};
use crate::tokens::Overflow;

/// Options of one task.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TaskOptions {
    overflow: Option<OverflowName>,
    max_tokens: Option<usize>,
    #[serde(default, deserialize_with = "optional_object")]
    window: Option<WindowOption>,
    /// Takes the place of the head's own thresholds.
    pub threshold: Option<f32>,
    /// Whether a token head tells its probabilities for every token.
    #[serde(default)]
    pub return_tokens: bool,
    /// Whether the answer says what computed it.
    #[serde(default)]
    pub return_meta: bool,
    /// Milliseconds after which the caller stops waiting.
    pub deadline_ms: Option<u64>,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
struct WindowOption {
    tokens: usize,
    #[serde(default)]
    overlap: usize,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum OverflowName {
    Truncate,
    Reject,
    Window,
}

/// What the response to a task has to show.
#[derive(Debug, Clone, Default)]
pub struct Shown {
    /// How vectors are written.
    pub format: EncodingFormat,
    /// Whether the answer says what computed it.
    pub meta: bool,
    /// Whose API the answers to questions are written in.
    pub dialect: Dialect,
    /// How many documents a ranking has.
    pub top: Option<usize>,
    /// Whether a ranking has the documents themselves.
    pub documents: bool,
}

impl TaskOptions {
    /// How long inputs are read.
    pub fn reading(&self) -> ReadingOptions {
        ReadingOptions {
            overflow: self.overflow.map(|name| match name {
                OverflowName::Truncate => Overflow::Truncate,
                OverflowName::Reject => Overflow::Reject,
                OverflowName::Window => Overflow::Window,
            }),
            max_tokens: self.max_tokens,
            window: self.window.map(|WindowOption { tokens, overlap }| Window { tokens, overlap }),
        }
    }

    /// The threshold, checked.
    pub fn threshold(&self) -> Result<Option<f32>, Error> {
        match self.threshold {
            Some(threshold) if !(0.0..=1.0).contains(&threshold) => {
                Err(Error::InvalidRequest(format!("threshold is {threshold}; it must be between 0 and 1")))
            }
            threshold => Ok(threshold),
        }
    }

    /// Refuses the options that only classify has.
    pub fn check_not_classify(&self, surface: &str) -> Result<(), Error> {
        let found = [("threshold", self.threshold.is_some()), ("return_tokens", self.return_tokens)];
        match found.iter().find(|(_, is_there)| *is_there) {
            Some((name, _)) => {
                Err(Error::InvalidRequest(format!("options.{name} is for classify; {surface} does not take it")))
            }
            None => Ok(()),
        }
    }
}

/// The moment a request with this option is over.
pub fn deadline(start: Instant, milliseconds: Option<u64>) -> Result<Option<Instant>, Error> {
    match milliseconds {
        None => Ok(None),
        Some(0) => Err(Error::InvalidRequest("deadline_ms is 0; it must be at least 1".to_owned())),
        // A deadline beyond what the clock can hold is none.
        Some(milliseconds) => Ok(start.checked_add(Duration::from_millis(milliseconds))),
    }
}
