//! One thing that a task asks of a model: an input of a list, or some questions about a state.

use std::sync::Arc;

use crate::engines::{RowRequest, RowVector};
use crate::error::Error;
use crate::families::{Finish, ReadInput};
use crate::question::Answer;
use crate::task::{Classified, Relevance};

/// The answer to an item. A clone is cheap.
#[derive(Debug, Clone)]
pub enum ItemAnswer {
    /// A sentence vector.
    Vector(RowVector),
    /// What a head says.
    Classified(Arc<Classified>),
    /// How well a document answers a query.
    Relevance(Relevance),
    /// Answers to questions that were read together.
    Answers {
        /// One a question.
        answers: Arc<Vec<Result<Answer, Error>>>,
        /// Whether the question's own text was read in part only.
        cut: Arc<[bool]>,
    },
}

/// An answer with how much was read for it, as the result cache keeps it.
#[derive(Debug, Clone)]
pub struct Answered {
    /// How much was read.
    pub input: ReadInput,
    /// The answer.
    pub answer: ItemAnswer,
}

/// An item that has to be computed.
pub struct Planned {
    /// Its rows.
    pub rows: Vec<RowRequest>,
    /// How much is read.
    pub input: ReadInput,
    /// From the outputs of the rows to the answer.
    pub finish: Finish<Result<ItemAnswer, Error>>,
}

impl Planned {
    /// Tokens of all its rows.
    pub fn tokens(&self) -> usize {
        self.rows.iter().map(|request| request.row.len()).sum()
    }
}

impl Answered {
    /// About how many bytes it holds.
    pub fn bytes(&self) -> usize {
        let floats = |count: usize| count * size_of::<f32>();
        size_of::<Self>()
            + match &self.answer {
                ItemAnswer::Vector(vector) => floats(vector.len()),
                ItemAnswer::Relevance(_) => 0,
                ItemAnswer::Classified(classified) => {
                    let tokens = classified.tokens.as_ref();
                    let tokens = tokens
                        .map_or(0, |tokens| tokens.iter().map(|token| 64 + floats(token.probabilities.len())).sum());
                    let windows: usize =
                        classified.windows.iter().map(|window| 64 + floats(window.probabilities.len())).sum();
                    let spans: usize =
                        classified.spans.iter().map(|span| 96 + span.text.len() + span.label.len()).sum();
                    floats(classified.probabilities.len()) + tokens + windows + spans
                }
                ItemAnswer::Answers { answers, cut } => cut.len() + answers.iter().map(answer_bytes).sum::<usize>(),
            }
    }
}

fn answer_bytes(answer: &Result<Answer, Error>) -> usize {
    128 + match answer {
        Ok(
            Answer::Choice { probabilities, .. }
            | Answer::Score { probabilities, .. }
            | Answer::Set { probabilities, .. },
        ) => probabilities.len() * size_of::<f32>(),
        Ok(Answer::Span { spans, .. }) => spans.iter().map(|span| 96 + span.text.len() + span.label.len()).sum(),
        Ok(Answer::Noul { .. }) | Err(_) => 0,
    }
}
