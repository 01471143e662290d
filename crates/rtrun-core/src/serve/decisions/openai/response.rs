//! Answers as a list, in question order.

use serde::Serialize;

use super::questions::{ChoiceValue, OpenAiKind, OpenAiQuestion};
use crate::error::Error;
use crate::question::Answer;
use crate::serve::decisions::answers::{fitting, item_code};
use crate::serve::decisions::response::AnsweredState;
use crate::task::Usage;

/// The body of a response in this dialect.
pub struct OpenAiResponse<'a, M> {
    /// The name of the model that answered.
    pub model: &'a str,
    /// What answers repeat of the questions.
    pub questions: &'a [OpenAiQuestion],
    /// The one state of the request.
    pub state: Option<&'a AnsweredState<'a>>,
    /// What computed the answers, if that is to be told.
    pub meta: Option<&'a M>,
}

#[derive(Serialize)]
struct Body<'a, M> {
    model: &'a str,
    answers: Vec<Entry<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    truncated_questions: Vec<&'a str>,
    usage: UsageEntry,
    #[serde(skip_serializing_if = "Option::is_none")]
    meta: Option<&'a M>,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum Entry<'a> {
    Predicate {
        name: Option<&'a str>,
        probability: f32,
    },
    Choice {
        name: Option<&'a str>,
        choice: &'a ChoiceValue,
        probabilities: Vec<ChoiceEntry<'a>>,
        confidence: f32,
    },
    Score {
        name: Option<&'a str>,
        score: f32,
        probabilities: Vec<LevelEntry<'a>>,
        confidence: f32,
    },
    /// The only answer of this dialect that is none. The reason stands beside what its clients read.
    Refusal {
        name: Option<&'a str>,
        error: &'static str,
        message: String,
    },
}

#[derive(Serialize)]
struct ChoiceEntry<'a> {
    value: &'a ChoiceValue,
    probability: f32,
}

#[derive(Serialize)]
struct LevelEntry<'a> {
    value: usize,
    label: &'a str,
    probability: f32,
}

#[derive(Serialize)]
struct UsageEntry {
    input_tokens: usize,
    input_tokens_details: InputDetails,
    output_tokens: usize,
    output_tokens_details: OutputDetails,
    total_tokens: usize,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    tokens_lower_bound: bool,
}

#[derive(Serialize)]
struct InputDetails {
    cached_tokens: usize,
    cache_write_tokens: usize,
}

#[derive(Serialize)]
struct OutputDetails {
    reasoning_tokens: usize,
}

impl<M: Serialize> Serialize for OpenAiResponse<'_, M> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let answers = self.state.map_or_else(Vec::new, |AnsweredState { asked, answers, .. }| {
            let fitted = asked.questions.iter().zip(*answers).map(|(asked, answer)| fitting(asked, answer));
            self.questions.iter().zip(fitted).map(|(question, answer)| entry(question, answer)).collect()
        });
        let usage = usage(self.state.map_or_else(Usage::default, |state| state.usage));
        let truncated_questions = self.state.map_or_else(Vec::new, AnsweredState::truncated);
        Body { model: self.model, answers, truncated_questions, usage, meta: self.meta }.serialize(serializer)
    }
}

fn entry<'a>(question: &'a OpenAiQuestion, answer: Result<&'a Answer, Error>) -> Entry<'a> {
    let name = question.name.as_deref();
    match (&question.kind, answer) {
        (OpenAiKind::Predicate, Ok(Answer::Noul { noul, .. })) => Entry::Predicate { name, probability: *noul },
        (OpenAiKind::Choice(values), Ok(Answer::Choice { chosen, confidence, probabilities, .. })) => {
            let choice =
                |(value, probability): (&'a ChoiceValue, &f32)| ChoiceEntry { value, probability: *probability };
            let probabilities = values.iter().zip(probabilities).map(choice).collect();
            Entry::Choice { name, choice: &values[*chosen], probabilities, confidence: *confidence }
        }
        (OpenAiKind::Score(labels), Ok(Answer::Score { score, confidence, probabilities, .. })) => {
            let level = |(value, (label, probability)): (usize, (&'a String, &f32))| LevelEntry {
                value,
                label,
                probability: *probability,
            };
            let probabilities = labels.iter().zip(probabilities).enumerate().map(level).collect();
            Entry::Score { name, score: *score, probabilities, confidence: *confidence }
        }
        (_, Err(error)) => Entry::Refusal { name, error: item_code(&error), message: error.to_string() },
        (_, Ok(_)) => Entry::Refusal {
            name,
            error: "internal_error",
            message: "The answer is not one to the question; this is a bug".to_owned(),
        },
    }
}

fn usage(Usage { tokens, is_lower_bound }: Usage) -> UsageEntry {
    UsageEntry {
        input_tokens: tokens,
        input_tokens_details: InputDetails { cached_tokens: 0, cache_write_tokens: 0 },
        output_tokens: 0,
        output_tokens_details: OutputDetails { reasoning_tokens: 0 },
        total_tokens: tokens,
        tokens_lower_bound: is_lower_bound,
    }
}
