//! The questions of the list dialect: predicate, choice and score.

use serde::Serialize;
use serde_json::Value;

use super::input::read_text;
use crate::error::Error;
use crate::question::{Described, Question, QuestionKind};
use crate::serve::decisions::fields::{Fields, invalid};

/// What the answer to a question has to repeat of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenAiQuestion {
    /// The caller's name for it.
    pub name: Option<String>,
    /// The type and what its answers are called.
    pub kind: OpenAiKind,
}

/// The type of a question in this dialect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OpenAiKind {
    /// A noul question.
    Predicate,
    /// A choice question and the values of its options.
    Choice(Vec<ChoiceValue>),
    /// A score question and the labels of its levels.
    Score(Vec<String>),
}

/// The value of an option. `true` and `"true"` differ.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum ChoiceValue {
    /// A truth value.
    Boolean(bool),
    /// A text.
    Text(String),
}

/// Reads one question at a place of the request.
pub fn read_question(value: Value, place: &str) -> Result<(Question, OpenAiQuestion), Error> {
    let own: &[&str] = match value.get("type").and_then(Value::as_str) {
        Some("predicate") => &["type", "name", "instructions"],
        Some("choice") => &["type", "name", "instructions", "choices"],
        Some("score") => &["type", "name", "instructions", "levels"],
        _ => return Err(invalid(format!("{place}.type must be predicate, choice or score"))),
    };
    let mut fields = Fields::new(value, place, own)?;
    let name = fields.string("name")?;
    let instructions = fields.require("instructions", "a text")?;
    let (instructions, images) = read_text(instructions, &fields.place("instructions"))?;
    if !images.is_empty() {
        return Err(invalid(format!("{place}.instructions cannot hold images; put them into input")));
    }
    if instructions.trim().is_empty() {
        return Err(invalid(format!("{place}.instructions is blank; say what is asked")));
    }
    let (kind, shape) = match own.get(3) {
        Some(&"choices") => {
            let (options, values) = choices(&mut fields)?;
            (QuestionKind::Choice(options), OpenAiKind::Choice(values))
        }
        Some(_) => {
            let (levels, labels) = levels(&mut fields)?;
            (QuestionKind::Score(levels), OpenAiKind::Score(labels))
        }
        None => (QuestionKind::Noul { no: None, yes: None }, OpenAiKind::Predicate),
    };
    Ok((Question { instructions, kind, threshold: None }, OpenAiQuestion { name, kind: shape }))
}

fn choices(fields: &mut Fields) -> Result<(Vec<Described>, Vec<ChoiceValue>), Error> {
    let (mut options, mut values) = (Vec::new(), Vec::new());
    for (place, item) in list(fields, "choices", 2, 255)? {
        let mut option = Fields::new(item, &place, &["value", "description"])?;
        let (key, value) = match option.require("value", "a string or a boolean")? {
            Value::String(text) if !text.trim().is_empty() => (text.clone(), ChoiceValue::Text(text)),
            Value::Bool(value) => (value.to_string(), ChoiceValue::Boolean(value)),
            _ => return Err(invalid(format!("{place}.value must be a boolean or a string that is not blank"))),
        };
        // A model reads the text of a value, so a boolean and its word would be one option to it.
        if options.iter().any(|earlier: &Described| earlier.key == key) {
            return Err(invalid(format!("{place}.value is the same as an earlier one; values must differ")));
        }
        options.push(Described { key, description: option.string("description")?.filter(|text| !is_blank(text)) });
        values.push(value);
    }
    Ok((options, values))
}

fn levels(fields: &mut Fields) -> Result<(Vec<String>, Vec<String>), Error> {
    let (mut levels, mut labels) = (Vec::new(), Vec::new());
    for (place, item) in list(fields, "levels", 2, 10)? {
        let mut level = Fields::new(item, &place, &["label", "description"])?;
        let label =
            level.string("label")?.ok_or_else(|| invalid(format!("{place}.label is missing; give a string")))?;
        levels.push(match level.string("description")?.filter(|text| !is_blank(text)) {
            Some(description) => format!("{label}: {description}"),
            None => label.clone(),
        });
        labels.push(label);
    }
    Ok((levels, labels))
}

/// The items of a list with their places.
fn list(fields: &mut Fields, name: &str, least: usize, most: usize) -> Result<Vec<(String, Value)>, Error> {
    let place = fields.place(name);
    let value = fields.require(name, "a list")?;
    let Value::Array(items) = value else { return Err(fields.must_be(name, "a list", &value)) };
    let count = items.len();
    if !(least..=most).contains(&count) {
        return Err(invalid(format!("{place} has {count} entries; {least} to {most} are allowed")));
    }
    Ok(items.into_iter().enumerate().map(|(index, item)| (format!("{place}[{index}]"), item)).collect())
}

fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
}
