//! Probes of typed questions in `golden.json`.

use serde::Deserialize;

use crate::question::{Answer, Described, Question, QuestionKind};

/// One state and what is asked about it together.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GoldenDecisions {
    /// The probe.
    pub state: String,
    /// What is asked.
    pub questions: Vec<GoldenQuestion>,
}

/// A question with its recorded answer. Its form is the ordered-list form of the worker's API.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase", deny_unknown_fields)]
pub enum GoldenQuestion {
    /// One of the options.
    Choice {
        /// What is asked.
        instructions: String,
        /// The options.
        choices: Vec<GoldenOption>,
        /// One per option.
        probabilities: Vec<f32>,
        /// That the answer should not be used, of models that tell it.
        abstain: Option<f32>,
    },
    /// How likely a statement holds.
    Noul {
        /// What is asked.
        instructions: String,
        /// What "false" and "true" mean, by these keys.
        #[serde(default)]
        choices: Vec<GoldenOption>,
        /// That of "true".
        noul: f32,
        /// As of a choice.
        abstain: Option<f32>,
    },
    /// A level of an ordered scale.
    Score {
        /// What is asked.
        instructions: String,
        /// The levels, lowest first.
        levels: Vec<String>,
        /// One per level.
        probabilities: Vec<f32>,
        /// As of a choice.
        abstain: Option<f32>,
    },
    /// Any of the labels.
    Set {
        /// What is asked.
        instructions: String,
        /// The labels.
        labels: Vec<GoldenOption>,
        /// One per label.
        probabilities: Vec<f32>,
    },
    /// Places in the state.
    Span {
        /// What is asked.
        instructions: String,
        /// The labels.
        labels: Vec<GoldenOption>,
        /// From where on a place counts; the package's threshold if absent.
        threshold: Option<f32>,
        /// The likeliest place of any label.
        noul: f32,
        /// The places.
        spans: Vec<GoldenSpan>,
    },
}

/// An option or label.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GoldenOption {
    key: String,
    description: Option<String>,
}

/// A recorded place, in code points.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GoldenSpan {
    label: String,
    start: usize,
    end: usize,
    probability: f32,
}

impl GoldenQuestion {
    /// The question without its answer.
    pub fn question(&self) -> Question {
        let described = |options: &[GoldenOption]| {
            let one =
                |option: &GoldenOption| Described { key: option.key.clone(), description: option.description.clone() };
            options.iter().map(one).collect()
        };
        let (Self::Choice { instructions, .. }
        | Self::Noul { instructions, .. }
        | Self::Score { instructions, .. }
        | Self::Set { instructions, .. }
        | Self::Span { instructions, .. }) = self;
        let mut threshold = None;
        let kind = match self {
            Self::Choice { choices, .. } => QuestionKind::Choice(described(choices)),
            Self::Noul { choices, .. } => {
                let meaning = |key: &str| {
                    choices.iter().find(|option| option.key == key).and_then(|option| option.description.clone())
                };
                QuestionKind::Noul { no: meaning("false"), yes: meaning("true") }
            }
            Self::Score { levels, .. } => QuestionKind::Score(levels.clone()),
            Self::Set { labels, .. } => QuestionKind::Set(described(labels)),
            Self::Span { labels, threshold: recorded, .. } => {
                threshold = *recorded;
                QuestionKind::Span(described(labels))
            }
        };
        Question { instructions: instructions.clone(), kind, threshold }
    }

    /// Found and recorded numbers, one behind the other; `None` if the answer has another form or other places.
    pub fn compared(&self, answer: &Answer) -> Option<(Vec<f32>, Vec<f32>)> {
        let recorded_abstain = match self {
            Self::Choice { abstain, .. } | Self::Noul { abstain, .. } | Self::Score { abstain, .. } => *abstain,
            Self::Set { .. } | Self::Span { .. } => None,
        };
        if recorded_abstain.is_some() != answer.abstain().is_some() {
            return None;
        }
        let all = |values: &[f32], more: Option<f32>| values.iter().copied().chain(more).collect();
        match (self, answer) {
            (Self::Noul { noul: recorded, .. }, Answer::Noul { noul, .. }) => {
                Some((all(&[*noul], answer.abstain()), all(&[*recorded], recorded_abstain)))
            }
            (Self::Choice { probabilities: recorded, .. }, Answer::Choice { probabilities, .. })
            | (Self::Score { probabilities: recorded, .. }, Answer::Score { probabilities, .. })
            | (Self::Set { probabilities: recorded, .. }, Answer::Set { probabilities, .. }) => {
                Some((all(probabilities, answer.abstain()), all(recorded, recorded_abstain)))
            }
            (Self::Span { noul: recorded_noul, spans: recorded, .. }, Answer::Span { noul, spans, .. }) => {
                let is_same = recorded.len() == spans.len()
                    && recorded.iter().zip(spans).all(|(recorded, span)| {
                        recorded.label == span.label && (recorded.start, recorded.end) == (span.start, span.end)
                    });
                let found = spans.iter().map(|span| span.probability).chain([*noul]).collect();
                let recorded = recorded.iter().map(|span| span.probability).chain([*recorded_noul]).collect();
                is_same.then_some((found, recorded))
            }
            _ => None,
        }
    }
}
