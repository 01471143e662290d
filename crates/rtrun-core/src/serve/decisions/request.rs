//! A decisions body as states, questions and options.

use serde_json::Value;

use super::fields::{Fields, invalid};
use super::openai::{self, OpenAiQuestion};
use super::questions::read_questions;
use super::strict_json::StrictJson;
use super::text::entry;
use crate::error::{Error, shown};
use crate::question::StateQuestions;
use crate::serve::requests::Shown;
use crate::task::{ReadingOptions, Task, TaskKind};
use crate::tokens::Overflow;

/// Questions of one request, over all its states.
pub const MAX_QUESTIONS: usize = 256;

/// A decisions request of either dialect.
#[derive(Debug, Clone, PartialEq)]
pub struct DecisionsRequest {
    /// The model; may be left out where one is served.
    pub model: Option<String>,
    /// The outer state, if something is asked about it, then the named ones. At least one question is valid.
    pub states: Vec<StateQuestions>,
    /// Options of the whole request.
    pub options: DecisionsOptions,
    /// How the answers are written.
    pub dialect: Dialect,
}

/// Options of a decisions request.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DecisionsOptions {
    /// Whether the answer says what computed it.
    pub return_meta: bool,
    /// The scan budget in tokens; the model's if absent.
    pub max_tokens: Option<usize>,
    /// What happens to a state that is longer than one input; the model's default if absent.
    pub overflow: Option<Overflow>,
    /// Milliseconds after which the caller stops waiting.
    pub deadline_ms: Option<u64>,
}

/// Whose API the client speaks.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum Dialect {
    /// System One: maps of questions and answers.
    #[default]
    SystemOne,
    /// OpenAI's Decisions API: lists. What answers need of the questions, in order.
    OpenAi(Vec<OpenAiQuestion>),
}

const FIELDS: [&str; 11] = [
    "model",
    "state",
    "questions",
    "states",
    "images",
    "videos",
    "options",
    "user",
    "metadata",
    "safety_identifier",
    "assets",
];

impl DecisionsRequest {
    /// Reads a body. One with `input` is OpenAI's dialect, any other System One.
    pub fn read(body: StrictJson) -> Result<Self, Error> {
        if body.0.get("input").is_some() { openai::read(body.0) } else { Self::read_system_one(body.0) }
    }

    /// The task and what its response shows.
    pub fn into_task(self, id: String) -> (Task, Shown) {
        let Self { model, states, options, dialect } = self;
        let shown = Shown { meta: options.return_meta, dialect, ..Shown::default() };
        let reading = ReadingOptions { overflow: options.overflow, max_tokens: options.max_tokens, window: None };
        (Task { id, model, kind: TaskKind::Decisions { states }, reading }, shown)
    }

    fn read_system_one(body: Value) -> Result<Self, Error> {
        let mut fields = Fields::new(body, "", &FIELDS)?;
        fields.ignore("user", Value::is_string, "a string")?;
        fields.ignore("safety_identifier", Value::is_string, "a string")?;
        fields.ignore("metadata", Value::is_object, "an object")?;
        refuse_assets(&mut fields)?;
        let model = fields.string("model")?;
        let options = DecisionsOptions::read(fields.take_some("options"))?;
        let named = match fields.take_some("states") {
            None => Vec::new(),
            Some(Value::Object(states)) => states.into_iter().collect(),
            Some(other) => return Err(fields.must_be("states", "a map of names to states", &other)),
        };
        let mut states = Vec::with_capacity(named.len() + 1);
        // With `states`, a request may be about these alone.
        let is_outer_asked = ["state", "questions"].iter().any(|name| fields.has(name));
        if is_outer_asked || named.is_empty() {
            states.push(read_state(None, &mut fields)?);
        } else if fields.has("images") || fields.has("videos") {
            let problem = "images and videos belong to state, which is missing; give it, or move them into states";
            return Err(invalid(problem.to_owned()));
        }
        for (name, state) in named {
            let place = format!("states[{}]", shown(&name));
            let mut fields = Fields::new(state, &place, &["state", "questions", "images", "videos"])?;
            states.push(read_state(Some(name), &mut fields)?);
        }
        check_questions(&states)?;
        Ok(Self { model, states, options, dialect: Dialect::SystemOne })
    }
}

impl DecisionsOptions {
    /// Reads `options`; absent ones are the defaults.
    pub fn read(value: Option<Value>) -> Result<Self, Error> {
        let Some(value) = value else { return Ok(Self::default()) };
        let mut fields = Fields::new(value, "options", &["return_meta", "max_tokens", "overflow", "deadline_ms"])?;
        let overflow = match fields.string("overflow")?.as_deref() {
            None => None,
            Some("window") => Some(Overflow::Window),
            Some("truncate") => Some(Overflow::Truncate),
            Some(_) => return Err(invalid("options.overflow must be \"window\" or \"truncate\"".to_owned())),
        };
        Ok(Self {
            return_meta: fields.boolean("return_meta")?.unwrap_or(false),
            // A budget beyond the address space is no bound at all.
            max_tokens: fields.positive("max_tokens")?.map(|tokens| usize::try_from(tokens).unwrap_or(usize::MAX)),
            overflow,
            deadline_ms: fields.positive("deadline_ms")?,
        })
    }
}

fn read_state(name: Option<String>, fields: &mut Fields) -> Result<StateQuestions, Error> {
    let state = fields.require("state", "a text, an object, a list or null")?;
    let state = entry(state, &fields.place("state"))?.unwrap_or_default();
    let questions = fields.require("questions", "a map of ids to questions")?;
    let questions = read_questions(questions, &fields.place("questions"))?;
    let (images, videos) = (fields.strings("images")?, fields.strings("videos")?);
    Ok(StateQuestions { name, state, questions, images, videos })
}

/// Assets hold images in another shape; one that is dropped in silence would be an answer about half a state.
fn refuse_assets(fields: &mut Fields) -> Result<(), Error> {
    match fields.take_some("assets") {
        None => Ok(()),
        Some(Value::Object(assets)) if assets.is_empty() => Ok(()),
        Some(_) => Err(invalid("assets is not supported; give images as data URLs in images".to_owned())),
    }
}

/// Bounds the questions, and refuses a request that has nothing to answer.
pub fn check_questions(states: &[StateQuestions]) -> Result<(), Error> {
    let count: usize = states.iter().map(|state| state.questions.len()).sum();
    if count > MAX_QUESTIONS {
        return Err(invalid(format!("The request has {count} questions; at most {MAX_QUESTIONS} are allowed")));
    }
    let mut reasons = Vec::new();
    for state in states {
        for asked in &state.questions {
            let Err(reason) = &asked.question else { return Ok(()) };
            let place = state.name.as_ref().map_or(String::new(), |name| format!("{}.", shown(name)));
            reasons.push(format!("{place}{}: {reason}", shown(&asked.id)));
        }
    }
    Err(invalid(format!("No question is valid: {}", reasons.join("; "))))
}
