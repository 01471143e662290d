//! Typed questions about a state, and their answers.

use crate::error::Error;
use crate::families::Span;

/// One question.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// What is asked.
    pub instructions: String,
    /// The kind of answer, with what it is chosen from.
    pub kind: QuestionKind,
    /// The probability from which a label of a set or span question counts as selected.
    pub threshold: Option<f32>,
}

/// The kinds of answers.
#[derive(Debug, Clone, PartialEq)]
pub enum QuestionKind {
    /// One of the options.
    Choice(Vec<Described>),
    /// How likely a statement holds.
    Noul {
        /// What "false" stands for.
        no: Option<String>,
        /// What "true" stands for.
        yes: Option<String>,
    },
    /// A level of an ordered scale.
    Score(Vec<String>),
    /// Any of the labels.
    Set(Vec<Described>),
    /// The places in the state that the labels apply to.
    Span(Vec<Described>),
}

/// An option or label.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Described {
    /// Its name in the answer.
    pub key: String,
    /// What it means.
    pub description: Option<String>,
}

/// A state and what is asked about it.
#[derive(Debug, Clone, PartialEq)]
pub struct StateQuestions {
    /// The name under which a further state is answered; `None` for the request's own.
    pub name: Option<String>,
    /// The text that is asked about.
    pub state: String,
    /// The questions, in order.
    pub questions: Vec<AskedQuestion>,
    /// Images as data URLs.
    pub images: Vec<String>,
    /// Videos as data URLs.
    pub videos: Vec<String>,
}

/// A question as it was asked: one that is not valid carries its error.
#[derive(Debug, Clone, PartialEq)]
pub struct AskedQuestion {
    /// The caller's name for it.
    pub id: String,
    /// The word of its type.
    pub kind: String,
    /// The question, or why it is none.
    pub question: Result<Question, Error>,
}

/// The answer to one question.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// One option.
    Choice {
        /// Its index.
        chosen: usize,
        /// From 0, no better than chance, to 1.
        confidence: f32,
        /// One probability an option.
        probabilities: Vec<f32>,
        /// The probability that none applies, from models that tell it.
        abstain: Option<f32>,
    },
    /// The probability that the statement holds.
    Noul {
        /// From 0 to 1.
        noul: f32,
    },
    /// The expected level.
    Score {
        /// From 0 to the last level.
        score: f32,
        /// From 0, no better than chance, to 1.
        confidence: f32,
        /// One probability a level.
        probabilities: Vec<f32>,
    },
    /// Which labels apply.
    Set {
        /// One independent probability a label.
        probabilities: Vec<f32>,
        /// From where on a label counts as selected.
        threshold: f32,
    },
    /// Where labels apply.
    Span {
        /// The probability that any label applies anywhere.
        noul: f32,
        /// The places.
        spans: Vec<Span>,
        /// From where on a place counts.
        threshold: f32,
    },
}
