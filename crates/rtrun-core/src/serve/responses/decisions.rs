//! The answers to questions, in the dialect they were asked in.

use serde::{Serialize, Serializer};

use super::parts::Meta;
use crate::serve::decisions::{AnsweredState, DecisionsResponse, Dialect};
use crate::serve::requests::Shown;
use crate::task::{DecisionsAnswer, Phases};

/// The body.
pub struct AnsweredDecisions<'a> {
    answer: &'a DecisionsAnswer,
    meta: Option<Meta<'a>>,
    dialect: &'a Dialect,
}

impl<'a> AnsweredDecisions<'a> {
    /// Writes an answer as it was asked for.
    pub fn new(answer: &'a DecisionsAnswer, shown: &'a Shown, phases: &Phases) -> Self {
        let meta = shown.meta.then(|| Meta::new(&answer.model, phases, None));
        Self { answer, meta, dialect: &shown.dialect }
    }
}

impl Serialize for AnsweredDecisions<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let states = self.answer.states.iter();
        let states: Vec<AnsweredState> = states
            .map(|state| AnsweredState {
                asked: &state.asked,
                answers: &state.answers,
                cut: &state.cut,
                usage: state.usage,
            })
            .collect();
        let response = DecisionsResponse {
            model: &self.answer.model.name,
            states: &states,
            meta: self.meta.as_ref(),
            dialect: self.dialect,
        };
        response.serialize(serializer)
    }
}
