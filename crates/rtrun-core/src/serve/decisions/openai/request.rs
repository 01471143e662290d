//! The body as a whole.

use serde_json::Value;

use super::input::read_input;
use super::questions::{OpenAiQuestion, read_question};
use crate::error::Error;
use crate::question::{AskedQuestion, StateQuestions};
use crate::serve::decisions::fields::{Fields, invalid};
use crate::serve::decisions::request::{DecisionsOptions, DecisionsRequest, Dialect, MAX_QUESTIONS};

const FIELDS: [&str; 7] =
    ["model", "input", "questions", "options", "safety_identifier", "prompt_cache_key", "prompt_cache_options"];

/// Reads a body with `input`. This dialect has no answer for a question that is not valid, so one refuses the request.
pub fn read(body: Value) -> Result<DecisionsRequest, Error> {
    if body.get("state").is_some() {
        return Err(invalid("input and state belong to two dialects; give one of them".to_owned()));
    }
    let mut fields = Fields::new(body, "", &FIELDS)?;
    fields.ignore("safety_identifier", Value::is_string, "a string")?;
    fields.ignore("prompt_cache_key", Value::is_string, "a string")?;
    fields.ignore("prompt_cache_options", Value::is_object, "an object")?;
    let model = fields.string("model")?;
    let options = DecisionsOptions::read(fields.take_some("options"))?;
    let (state, images) = read_input(fields.require("input", "a text or a list of messages")?)?;
    let value = fields.require("questions", "a list of questions")?;
    let Value::Array(items) = value else {
        return Err(fields.must_be("questions", "a list; a map of them goes with state", &value));
    };
    if items.is_empty() || items.len() > MAX_QUESTIONS {
        let count = items.len();
        return Err(invalid(format!("questions has {count} entries; 1 to {MAX_QUESTIONS} are allowed")));
    }
    let (questions, shapes) = read_questions(items)?;
    let states = vec![StateQuestions { name: None, state, questions, images, videos: Vec::new() }];
    Ok(DecisionsRequest { model, states, options, dialect: Dialect::OpenAi(shapes) })
}

fn read_questions(items: Vec<Value>) -> Result<(Vec<AskedQuestion>, Vec<OpenAiQuestion>), Error> {
    let (mut asked, mut shapes, mut reasons) = (Vec::new(), Vec::new(), Vec::new());
    for (index, item) in items.into_iter().enumerate() {
        // Names may be absent or equal; a position is neither.
        let id = format!("questions[{index}]");
        match read_question(item, &id) {
            Ok((question, shape)) => {
                asked.push(AskedQuestion { id, kind: question.kind.as_str().to_owned(), question: Ok(question) });
                shapes.push(shape);
            }
            Err(reason) => reasons.push(reason.to_string()),
        }
    }
    if reasons.is_empty() { Ok((asked, shapes)) } else { Err(invalid(reasons.join("; "))) }
}
