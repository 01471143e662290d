//! Answers as a System One body, or in the dialect they were asked in.

use serde::ser::{Serialize, SerializeMap, Serializer};

use super::answers::{Answers, Ordered, SetEntry, SpanEntry, UsageEntry, fitting};
use super::openai::OpenAiResponse;
use super::request::Dialect;
use crate::error::Error;
use crate::question::{Answer, Question, QuestionKind, StateQuestions};
use crate::task::Usage;

/// One state, its answers in question order, and the tokens that were read for it.
#[derive(Debug, Clone, Copy)]
pub struct AnsweredState<'a> {
    /// What was asked.
    pub asked: &'a StateQuestions,
    /// One per question; a question that is not valid has its own error again.
    pub answers: &'a [Result<Answer, Error>],
    /// One per question: whether its own text was read in part only.
    pub cut: &'a [bool],
    /// Tokens of this state and its questions.
    pub usage: Usage,
}

impl<'a> AnsweredState<'a> {
    /// The ids of the questions whose own text was read in part only.
    pub fn truncated(&self) -> Vec<&'a str> {
        let asked = self.asked.questions.iter().zip(self.cut);
        asked.filter(|(_, is_cut)| **is_cut).map(|(asked, _)| asked.id.as_str()).collect()
    }
}

/// The body of a decisions response. `M` is the `meta` that was asked for.
#[derive(Debug, Clone, Copy)]
pub struct DecisionsResponse<'a, M> {
    /// The name of the model that answered.
    pub model: &'a str,
    /// The states in the order of the request.
    pub states: &'a [AnsweredState<'a>],
    /// What computed the answers, if that is to be told.
    pub meta: Option<&'a M>,
    /// How the answers are written.
    pub dialect: &'a Dialect,
}

impl<M: Serialize> Serialize for DecisionsResponse<'_, M> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { model, states, meta, dialect } = *self;
        let outer = states.iter().find(|state| state.asked.name.is_none());
        if let Dialect::OpenAi(questions) = dialect {
            return OpenAiResponse { model, questions, state: outer, meta }.serialize(serializer);
        }
        let mut map = serializer.serialize_map(None)?;
        write_state(&mut map, model, outer)?;
        let named = states.iter().filter_map(|state| Some((state.asked.name.as_ref()?, NamedState { model, state })));
        if named.clone().next().is_some() {
            map.serialize_entry("states", &Ordered(named))?;
        }
        if let Some(meta) = meta {
            map.serialize_entry("meta", meta)?;
        }
        map.end()
    }
}

#[derive(Clone, Copy)]
struct NamedState<'a> {
    model: &'a str,
    state: &'a AnsweredState<'a>,
}

impl Serialize for NamedState<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        write_state(&mut map, self.model, Some(self.state))?;
        map.end()
    }
}

/// The fields of one state. A request about named states alone has an outer one without answers.
fn write_state<W: SerializeMap>(map: &mut W, model: &str, state: Option<&AnsweredState>) -> Result<(), W::Error> {
    let answered: Vec<_> = state.map_or_else(Vec::new, |AnsweredState { asked, answers, .. }| {
        asked.questions.iter().zip(*answers).map(|(asked, answer)| (asked, fitting(asked, answer))).collect()
    });
    let (mut sets, mut spans, mut thresholds) = (Vec::new(), Vec::new(), Vec::new());
    for (asked, answer) in &answered {
        match (&asked.question, answer) {
            (Ok(Question { kind: QuestionKind::Set(labels), .. }), Ok(Answer::Set { probabilities, threshold })) => {
                sets.push((&asked.id, SetEntry { labels, probabilities, threshold: *threshold }));
                thresholds.push((&asked.id, threshold));
            }
            (_, Ok(Answer::Span { spans: found, threshold, .. })) => {
                spans.push((&asked.id, found.iter().map(SpanEntry::from).collect::<Vec<_>>()));
                thresholds.push((&asked.id, threshold));
            }
            _ => {}
        }
    }
    map.serialize_entry("model", model)?;
    map.serialize_entry("answers", &Answers(&answered))?;
    if !sets.is_empty() {
        map.serialize_entry("sets", &Ordered(sets.iter().map(|(id, set)| (id, set))))?;
    }
    if !spans.is_empty() {
        map.serialize_entry("spans", &Ordered(spans.iter().map(|(id, spans)| (id, spans))))?;
    }
    if !thresholds.is_empty() {
        map.serialize_entry("thresholds", &Ordered(thresholds.iter().copied()))?;
    }
    let truncated = state.map_or_else(Vec::new, AnsweredState::truncated);
    if !truncated.is_empty() {
        map.serialize_entry("truncated_questions", &truncated)?;
    }
    map.serialize_entry("usage", &UsageEntry::from(state.map_or_else(Usage::default, |state| state.usage)))
}
