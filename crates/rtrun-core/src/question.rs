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

impl Answer {
    /// The answer to a choice question with these probabilities.
    pub fn choice(probabilities: Vec<f32>, abstain: Option<f32>) -> Self {
        let (chosen, confidence) = (likeliest(&probabilities), choice_confidence(&probabilities));
        Self::Choice { chosen, confidence, probabilities, abstain }
    }

    /// The answer to a score question with these probabilities.
    pub fn score(probabilities: Vec<f32>) -> Self {
        let (score, confidence) = (expected_level(&probabilities), score_confidence(&probabilities));
        Self::Score { score, confidence, probabilities }
    }

    /// Whether every number is finite, as JSON needs it.
    pub fn is_finite(&self) -> bool {
        let all = |values: &[f32]| values.iter().all(|value| value.is_finite());
        match self {
            Self::Choice { confidence, probabilities, abstain, .. } => {
                confidence.is_finite() && all(probabilities) && abstain.is_none_or(f32::is_finite)
            }
            Self::Noul { noul } => noul.is_finite(),
            Self::Score { score, confidence, probabilities } => all(&[*score, *confidence]) && all(probabilities),
            Self::Set { probabilities, threshold } => threshold.is_finite() && all(probabilities),
            Self::Span { noul, spans, threshold } => {
                all(&[*noul, *threshold]) && spans.iter().all(|span| span.probability.is_finite())
            }
        }
    }
}

/// How sure a choice is: 0 where all options are equally likely, 1 where one is certain.
///
/// (p − 1/n) / (1 − 1/n) of the likeliest of n options, at least 0: what the first System One service documents.
pub fn choice_confidence(probabilities: &[f32]) -> f32 {
    let uniform = 1.0 / probabilities.len().max(1) as f32;
    let best = probabilities.get(likeliest(probabilities)).copied().unwrap_or(0.0);
    if probabilities.len() < 2 { best } else { at_least_zero((best - uniform) / (1.0 - uniform)) }
}

/// How sure a score is: 1 where one level is certain, 0 where levels are spread as evenly likely ones are, or wider.
///
/// 1 less the expected distance from the likeliest level, relative to the mean distance of evenly likely levels from
/// their centre, at least 0: what the first System One service documents.
pub fn score_confidence(probabilities: &[f32]) -> f32 {
    let (mode, count) = (likeliest(probabilities), probabilities.len());
    if count < 2 {
        return 1.0;
    }
    let levels = || probabilities.iter().enumerate();
    let distance: f32 = levels().map(|(level, probability)| probability * level.abs_diff(mode) as f32).sum();
    let centre = (count - 1) as f32 / 2.0;
    let spread = levels().map(|(level, _)| (level as f32 - centre).abs()).sum::<f32>() / count as f32;
    at_least_zero(1.0 - distance / spread)
}

/// The mean level under these probabilities; the lowest level is 0.
pub fn expected_level(probabilities: &[f32]) -> f32 {
    probabilities.iter().enumerate().map(|(level, probability)| level as f32 * probability).sum()
}

/// The index of the first of the largest values.
pub fn likeliest(values: &[f32]) -> usize {
    (0..values.len()).reduce(|best, at| if values[at] > values[best] { at } else { best }).unwrap_or(0)
}

/// Rounding can leave a value a little outside; a value that is not a number stays one, so that it is noticed.
fn at_least_zero(value: f32) -> f32 {
    if value.is_nan() { value } else { value.clamp(0.0, 1.0) }
}
