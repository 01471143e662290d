//! The pieces of a System One answer. Numbers stay single precision, so that they are written as short as they are.

use serde::ser::{Serialize, SerializeMap, Serializer};

use crate::error::Error;
use crate::question::{Answer, AskedQuestion, Described, QuestionKind, Span};
use crate::task::Usage;

/// Entries as a JSON object, in their order.
pub struct Ordered<I>(pub I);

impl<K: Serialize, V: Serialize, I: Iterator<Item = (K, V)> + Clone> Serialize for Ordered<I> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.clone())
    }
}

/// The answer, if it is one to this question and JSON can hold its numbers. The engine sees to both; this keeps what it
/// misses off the wire.
pub fn fitting<'a>(asked: &AskedQuestion, answer: &'a Result<Answer, Error>) -> Result<&'a Answer, Error> {
    let answer = answer.as_ref().map_err(Clone::clone)?;
    let question = asked.question.as_ref().map_err(Clone::clone)?;
    let is_fitting = match (&question.kind, answer) {
        (QuestionKind::Choice(options), Answer::Choice { chosen, probabilities, .. }) => {
            probabilities.len() == options.len() && *chosen < options.len()
        }
        (QuestionKind::Score(levels), Answer::Score { probabilities, .. }) => probabilities.len() == levels.len(),
        (QuestionKind::Set(labels), Answer::Set { probabilities, .. }) => probabilities.len() == labels.len(),
        (QuestionKind::Noul { .. }, Answer::Noul { .. }) | (QuestionKind::Span(_), Answer::Span { .. }) => true,
        _ => false,
    };
    if !is_fitting {
        return Err(Error::Internal("The answer is not one to the question; this is a bug".to_owned()));
    }
    if !answer.is_finite() {
        return Err(Error::InvalidModelOutput("The model answered with a number that is not finite".to_owned()));
    }
    Ok(answer)
}

/// The code of an error in the place of an answer: what is wrong with a request is wrong with a question there.
pub fn item_code(error: &Error) -> &'static str {
    match error {
        Error::InvalidRequest(_) | Error::UnsupportedSurface(_) => "invalid_question",
        other => other.code(),
    }
}

/// The map of answers.
pub struct Answers<'a>(pub &'a [(&'a AskedQuestion, Result<&'a Answer, Error>)]);

impl Serialize for Answers<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (AskedQuestion { id, kind, question }, answer) in self.0 {
            match (question.as_ref().map(|question| &question.kind), answer) {
                (Ok(QuestionKind::Set(labels)), Ok(Answer::Set { probabilities, .. })) => {
                    for (label, noul) in labels.iter().zip(probabilities) {
                        map.serialize_entry(
                            &format!("{id}.{}", label.key),
                            &AnswerEntry::Noul { noul: *noul, abstain_probability: None },
                        )?;
                    }
                }
                (Ok(kind), Ok(answer)) => map.serialize_entry(id, &AnswerEntry::of(kind, answer))?,
                (_, Err(error)) | (Err(error), _) => map.serialize_entry(id, &FailedEntry::of(kind, error))?,
            }
        }
        map.end()
    }
}

#[derive(serde::Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum AnswerEntry<'a> {
    Choice {
        choice: &'a str,
        probabilities: Keyed<'a>,
        confidence: f32,
        #[serde(skip_serializing_if = "Option::is_none")]
        abstain_probability: Option<f32>,
    },
    Noul {
        noul: f32,
        #[serde(skip_serializing_if = "Option::is_none")]
        abstain_probability: Option<f32>,
    },
    Score {
        score: f32,
        legend: Levels<'a, String>,
        probabilities: Levels<'a, f32>,
        confidence: f32,
        #[serde(skip_serializing_if = "Option::is_none")]
        abstain_probability: Option<f32>,
    },
}

impl<'a> AnswerEntry<'a> {
    /// An answer that [`fitting`] let through and that is not to a set question.
    fn of(kind: &'a QuestionKind, answer: &'a Answer) -> Self {
        let (options, levels): (&[Described], &[String]) = match kind {
            QuestionKind::Choice(options) => (options, &[]),
            QuestionKind::Score(levels) => (&[], levels),
            _ => (&[], &[]),
        };
        let abstain_probability = answer.abstain();
        match answer {
            Answer::Choice { chosen, confidence, probabilities, .. } => Self::Choice {
                choice: &options[*chosen].key,
                probabilities: Keyed { keys: options, values: probabilities },
                confidence: *confidence,
                abstain_probability,
            },
            Answer::Score { score, confidence, probabilities, .. } => Self::Score {
                score: *score,
                legend: Levels(levels),
                probabilities: Levels(probabilities),
                confidence: *confidence,
                abstain_probability,
            },
            Answer::Noul { noul, .. } | Answer::Span { noul, .. } => Self::Noul { noul: *noul, abstain_probability },
            Answer::Set { .. } => unreachable!("sets are written label by label; this is a bug"),
        }
    }
}

#[derive(serde::Serialize)]
struct FailedEntry<'a> {
    r#type: &'a str,
    error: &'static str,
    message: String,
}

impl<'a> FailedEntry<'a> {
    fn of(kind: &'a str, error: &Error) -> Self {
        Self { r#type: kind, error: item_code(error), message: error.to_string() }
    }
}

/// What a set question selects.
pub struct SetEntry<'a> {
    /// The labels.
    pub labels: &'a [Described],
    /// One per label.
    pub probabilities: &'a [f32],
    /// The probability from which a label counts.
    pub threshold: f32,
}

impl Serialize for SetEntry<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let labels = self.labels.iter().zip(self.probabilities);
        let selected: Vec<&str> =
            labels.filter(|(_, value)| **value >= self.threshold).map(|(label, _)| label.key.as_str()).collect();
        let mut map = serializer.serialize_map(Some(2))?;
        map.serialize_entry("selected", &selected)?;
        map.serialize_entry("probabilities", &Keyed { keys: self.labels, values: self.probabilities })?;
        map.end()
    }
}

/// A span as the wire has it.
#[derive(serde::Serialize)]
pub struct SpanEntry<'a> {
    label: &'a str,
    start: usize,
    end: usize,
    text: &'a str,
    probability: f32,
}

impl<'a> From<&'a Span> for SpanEntry<'a> {
    fn from(span: &'a Span) -> Self {
        let Span { label, start, end, text, probability } = span;
        Self { label, start: *start, end: *end, text, probability: *probability }
    }
}

/// Tokens of a state as the wire has them.
#[derive(serde::Serialize)]
pub struct UsageEntry {
    input_tokens: usize,
    output_tokens: usize,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    tokens_lower_bound: bool,
}

impl From<Usage> for UsageEntry {
    fn from(Usage { tokens, is_lower_bound }: Usage) -> Self {
        Self { input_tokens: tokens, output_tokens: 0, tokens_lower_bound: is_lower_bound }
    }
}

/// Values under the keys of options or labels.
struct Keyed<'a> {
    keys: &'a [Described],
    values: &'a [f32],
}

impl Serialize for Keyed<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.keys.iter().map(|described| &described.key).zip(self.values))
    }
}

/// Values under the numbers of levels.
struct Levels<'a, T>(&'a [T]);

impl<T: Serialize> Serialize for Levels<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().enumerate())
    }
}
