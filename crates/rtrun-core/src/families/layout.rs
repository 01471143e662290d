//! The seam between typed questions and rows.

use std::sync::Arc;

use futures_util::future::BoxFuture;

use super::decisions::StateMemo;
use crate::answer::Pace;
use crate::engines::{RowOutput, RowRequest};
use crate::error::Error;
use crate::question::{Answer, Question};
use crate::schedule::Allowance;
use crate::tokens::{Overflow, TextReader};

/// How a family writes questions as rows, and reads the answers out of them.
pub trait DecisionLayout: Send + Sync {
    /// What the layout can answer.
    fn card(&self) -> &DecisionCard;

    /// Which questions are read together: every group becomes rows of its own. Indices into `questions`.
    fn groups(&self, read: &StateReading<'_>, questions: &[&Question]) -> Vec<Vec<usize>>;

    /// The rows of one group over a state. Fails with `invalid_question` where the questions leave no room.
    fn lay_out(&self, read: &StateReading<'_>, questions: &[&Question]) -> Result<LaidOut, Error>;
}

/// What a model that answers questions says about itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecisionCard {
    /// The types of questions it answers, in the words of the wire.
    pub question_types: Vec<&'static str>,
    /// The most options or labels of a question.
    pub max_options: usize,
    /// Whether one forward answers all questions about a state.
    pub is_packed: bool,
}

/// A state that is to be read, and how much of it may be.
pub struct StateReading<'r> {
    /// The model's tokenizer.
    pub reader: &'r TextReader,
    /// The state.
    pub state: &'r str,
    /// The longest row, special tokens included.
    pub row_tokens: usize,
    /// The most tokens of the state that may be read, in several rows where `overflow` is `Window`.
    pub scan_tokens: usize,
    /// Whether a request may ask for a larger scan.
    pub can_raise: bool,
    /// What happens to a state that is longer.
    pub overflow: Overflow,
    /// What the request may still ask of the model.
    pub allowance: Allowance,
    /// What questions before have found out of the state.
    pub memo: StateMemo<'r>,
}

/// The rows of one group of questions.
pub struct LaidOut {
    /// What to compute.
    pub rows: Vec<RowRequest>,
    /// From the outputs of the rows to one answer a question, in the group's order.
    pub finish: Finish<Vec<Result<Answer, Error>>>,
    /// How much of the state was read.
    pub input: ReadInput,
    /// Per question whether its own text was read in part only.
    pub cut: Vec<bool>,
}

/// Reads an answer out of the outputs of its rows, part by part: long texts have many, and others are to go on meanwhile.
pub type Finish<A> = Box<dyn for<'o> FnOnce(&'o [Arc<RowOutput>], &'o mut Pace) -> BoxFuture<'o, A> + Send>;

/// How much of one input is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadInput {
    /// Tokens of the input, special ones included; at least this many where `is_lower_bound`.
    pub tokens: usize,
    /// Those of `tokens` that are of no text: the frame that the tokenizer puts around it, and, of a state, the question.
    pub special_tokens: usize,
    /// Those of `tokens` that stand for words which the vocabulary has no tokens for, so that the model does not see them.
    pub unknown_tokens: usize,
    /// Tokens that the model reads, in all rows together.
    pub processed_tokens: usize,
    /// Whether the model reads less than the input.
    pub truncated: bool,
    /// Whether `tokens` is only what was read of the input.
    pub is_lower_bound: bool,
    /// Rows that the input takes.
    pub windows: usize,
}
