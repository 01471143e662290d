//! A map of questions. What is wrong with one question is its own answer.

use std::collections::HashSet;

use serde_json::Value;

use super::fields::{Fields, invalid, type_of};
use super::text::entry_not_blank;
use crate::error::Error;
use crate::question::{AskedQuestion, Described, QUESTION_TYPES, Question, QuestionKind};

const OPTIONS: (usize, usize) = (2, 255);
const LEVELS: (usize, usize) = (2, 10);
const LABELS: (usize, usize) = (1, 255);

/// The `kind` of a question whose type is missing or not known.
const UNKNOWN: &str = "unknown";

/// Reads a map of ids to questions. Only what makes the whole map unreadable is an error.
pub fn read_questions(value: Value, place: &str) -> Result<Vec<AskedQuestion>, Error> {
    let map = match value {
        Value::Object(map) if map.is_empty() => {
            return Err(invalid(format!("{place} is empty; ask at least one question")));
        }
        Value::Object(map) => map,
        Value::Array(_) => {
            return Err(invalid(format!("{place} must be a map of ids to questions; a list of them goes with input")));
        }
        other => return Err(invalid(format!("{place} must be a map of ids to questions, not {}", type_of(&other)))),
    };
    let mut questions: Vec<AskedQuestion> = map.into_iter().map(|(id, value)| read_asked(id, value)).collect();
    refuse_equal_answers(&mut questions);
    Ok(questions)
}

fn read_asked(id: String, value: Value) -> AskedQuestion {
    let kind = value.get("type").and_then(Value::as_str).and_then(known_type).unwrap_or(UNKNOWN);
    let question = if kind == UNKNOWN && value.is_object() {
        Err(invalid(format!("type must be one of {}", QUESTION_TYPES.join(", "))))
    } else {
        read_question(&id, kind, value)
    };
    AskedQuestion { id, kind: kind.to_owned(), question }
}

fn known_type(word: &str) -> Option<&'static str> {
    QUESTION_TYPES.into_iter().find(|known| *known == word)
}

fn read_question(id: &str, kind: &str, value: Value) -> Result<Question, Error> {
    let own: &[&str] = match kind {
        "choice" | "noul" => &["type", "instructions", "criteria", "choices"],
        "score" => &["type", "instructions", "criteria", "levels"],
        _ => &["type", "instructions", "criteria", "labels", "threshold"],
    };
    let mut fields = Fields::new(value, "", own).map_err(|error| rephrase(&error, kind))?;
    let instructions = fields.take("instructions").unwrap_or(Value::Null);
    let instructions = entry_not_blank(instructions, "instructions")?.unwrap_or_else(|| id.to_owned());
    if instructions.trim().is_empty() {
        return Err(invalid("instructions are missing and the id is blank; give one of them".to_owned()));
    }
    let threshold = threshold(&mut fields)?;
    let kind = match kind {
        "choice" => QuestionKind::Choice(described(&mut fields, "choices", OPTIONS)?),
        "noul" => noul(&mut fields)?,
        "score" => QuestionKind::Score(levels(&mut fields)?),
        "set" => QuestionKind::Set(described(&mut fields, "labels", LABELS)?),
        _ => QuestionKind::Span(described(&mut fields, "labels", LABELS)?),
    };
    Ok(Question { instructions, kind, threshold })
}

/// A message about "the request" is about the question here.
fn rephrase(error: &Error, kind: &str) -> Error {
    let article = if kind == UNKNOWN { "the".to_owned() } else { format!("a {kind}") };
    invalid(error.to_string().replacen("the request", &format!("{article} question"), 1))
}

fn threshold(fields: &mut Fields) -> Result<Option<f32>, Error> {
    let Some(value) = fields.take_some("threshold") else { return Ok(None) };
    let number = value.as_f64().filter(|number| (0.0..=1.0).contains(number));
    #[allow(clippy::cast_possible_truncation, reason = "probabilities are single precision")]
    let narrow = |number: f64| number as f32;
    number.map(narrow).map(Some).ok_or_else(|| invalid("threshold must be a number from 0 to 1".to_owned()))
}

/// The criteria of a question in whichever of the two forms it has, and the name of that form.
fn criteria(fields: &mut Fields, list: &'static str) -> Result<Option<(&'static str, Value)>, Error> {
    match (fields.take_some("criteria"), fields.take_some(list)) {
        (Some(_), Some(_)) => Err(invalid(format!("criteria and {list} say the same; give one of them"))),
        (Some(value), None) => Ok(Some(("criteria", value))),
        (None, Some(value)) => Ok(Some((list, value))),
        (None, None) => Ok(None),
    }
}

fn needed(fields: &mut Fields, list: &'static str) -> Result<(&'static str, Value), Error> {
    criteria(fields, list)?.ok_or_else(|| invalid(format!("criteria is missing; give it, or {list}")))
}

fn described(fields: &mut Fields, list: &'static str, bounds: (usize, usize)) -> Result<Vec<Described>, Error> {
    let (form, value) = needed(fields, list)?;
    let entries = match value {
        Value::Object(map) if form == "criteria" => {
            let entry = |(index, (key, description)): (usize, (String, Value))| {
                let place = format!("the description of {form} entry {}", index + 1);
                described_entry(key, description, &place)
            };
            map.into_iter().enumerate().map(entry).collect::<Result<Vec<_>, Error>>()?
        }
        Value::Array(items) => items
            .into_iter()
            .enumerate()
            .map(|(index, item)| described_item(item, &format!("{form}[{index}]")))
            .collect::<Result<Vec<_>, Error>>()?,
        other => {
            let what = if form == "criteria" { "a map of keys to descriptions, or a list" } else { "a list" };
            return Err(fields.must_be(form, what, &other));
        }
    };
    bounded(form, entries.len(), bounds)?;
    for (index, entry) in entries.iter().enumerate() {
        if entry.key.trim().is_empty() {
            return Err(invalid(format!("{form} entry {} has a blank key", index + 1)));
        }
        if let Some(earlier) = entries[..index].iter().position(|earlier| earlier.key == entry.key) {
            return Err(invalid(format!("{form} entries {} and {} have the same key", earlier + 1, index + 1)));
        }
    }
    Ok(entries)
}

fn described_item(item: Value, place: &str) -> Result<Described, Error> {
    if let Value::String(key) = item {
        return Ok(Described { key, description: None });
    }
    let mut fields = Fields::new(item, place, &["key", "description"])?;
    let key = fields.string("key")?.ok_or_else(|| invalid(format!("{place}.key is missing; give a string")))?;
    described_entry(key, fields.take("description").unwrap_or(Value::Null), &fields.place("description"))
}

fn described_entry(key: String, description: Value, place: &str) -> Result<Described, Error> {
    Ok(Described { key, description: entry_not_blank(description, place)? })
}

fn noul(fields: &mut Fields) -> Result<QuestionKind, Error> {
    let (mut no, mut yes) = (None, None);
    match criteria(fields, "choices")? {
        None => {}
        Some(("criteria", value)) => {
            let mut sides = Fields::new(value, "criteria", &["false", "true"])?;
            no = entry_not_blank(sides.take("false").unwrap_or(Value::Null), "criteria.false")?;
            yes = entry_not_blank(sides.take("true").unwrap_or(Value::Null), "criteria.true")?;
        }
        Some((form, Value::Array(items))) => {
            let mut seen = [false, false];
            for (index, item) in items.into_iter().enumerate() {
                let place = format!("{form}[{index}]");
                let Described { key, description } = described_item(item, &place)?;
                let side = match key.as_str() {
                    "false" => 0,
                    "true" => 1,
                    _ => return Err(invalid(format!("{place}.key must be \"false\" or \"true\""))),
                };
                if std::mem::replace(&mut seen[side], true) {
                    return Err(invalid(format!("{place} has the same key as another entry")));
                }
                *[&mut no, &mut yes][side] = description;
            }
        }
        Some((form, other)) => return Err(fields.must_be(form, "a list", &other)),
    }
    Ok(QuestionKind::Noul { no, yes })
}

fn levels(fields: &mut Fields) -> Result<Vec<String>, Error> {
    let (form, value) = needed(fields, "levels")?;
    let Value::Array(items) = value else { return Err(fields.must_be(form, "a list, lowest level first", &value)) };
    bounded(form, items.len(), LEVELS)?;
    let level = |(index, item)| Ok(entry_not_blank(item, &format!("{form}[{index}]"))?.unwrap_or_default());
    items.into_iter().enumerate().map(level).collect()
}

fn bounded(form: &str, count: usize, (least, most): (usize, usize)) -> Result<(), Error> {
    if (least..=most).contains(&count) {
        return Ok(());
    }
    let entries = if count == 1 { "entry" } else { "entries" };
    Err(invalid(format!("{form} has {count} {entries}; {least} to {most} are allowed")))
}

/// A set is answered under `<id>.<label>`, which must not be the place of another answer.
fn refuse_equal_answers(questions: &mut [AskedQuestion]) {
    // Ids of sets too: a set that fails has its error there.
    let mut taken: HashSet<String> = questions.iter().map(|asked| asked.id.clone()).collect();
    for asked in questions {
        let Ok(Question { kind: QuestionKind::Set(labels), .. }) = &asked.question else { continue };
        let places: Vec<String> = labels.iter().map(|label| format!("{}.{}", asked.id, label.key)).collect();
        if let Some(at) = places.iter().position(|place| taken.contains(place)) {
            let problem = "its answer would stand under the id of another question; rename one of them";
            asked.question = Err(invalid(format!("label {} cannot be told apart: {problem}", at + 1)));
        } else {
            taken.extend(places);
        }
    }
}
