//! `input`: a text, or messages and tool calls that a model reads as one text.

use serde_json::Value;

use crate::error::Error;
use crate::serve::decisions::fields::{Fields, invalid, type_of};
use crate::serve::decisions::text::one_line;

const MESSAGE: [&str; 6] = ["type", "role", "content", "id", "status", "phase"];
const CALL: [&str; 8] = ["type", "name", "call_id", "arguments", "input", "id", "status", "namespace"];
const OUTPUT: [&str; 5] = ["type", "call_id", "output", "id", "status"];

/// The text that is asked about, and the URLs of its images in order.
pub fn read_input(value: Value) -> Result<(String, Vec<String>), Error> {
    let items = match value {
        Value::String(text) => return Ok((text, Vec::new())),
        Value::Array(items) if items.is_empty() => {
            return Err(invalid("input is empty; give a text or at least one message".to_owned()));
        }
        Value::Array(items) => items,
        other => {
            return Err(invalid(format!("input must be a text or a list of messages, not {}", type_of(&other))));
        }
    };
    // The content of a lone message is the state itself; among others it needs to be told who speaks.
    let is_lone = items.len() == 1;
    let (mut texts, mut images) = (Vec::with_capacity(items.len()), Vec::new());
    for (index, item) in items.into_iter().enumerate() {
        let (speaker, text, more) = read_item(item, &format!("input[{index}]"))?;
        texts.push(if is_lone { text } else { format!("{speaker}: {text}") });
        images.extend(more);
    }
    Ok((texts.join("\n\n"), images))
}

/// The text and the images of a content: a text or a list of parts.
pub fn read_text(value: Value, place: &str) -> Result<(String, Vec<String>), Error> {
    let parts = match value {
        Value::String(text) => return Ok((text, Vec::new())),
        Value::Array(parts) => parts,
        other => return Err(invalid(format!("{place} must be a text or a list of parts, not {}", type_of(&other)))),
    };
    let (mut texts, mut images) = (Vec::new(), Vec::new());
    for (index, part) in parts.into_iter().enumerate() {
        match read_part(part, &format!("{place}[{index}]"))? {
            Part::Text(text) => texts.push(text),
            Part::Image(url) => images.push(url),
        }
    }
    Ok((texts.join("\n"), images))
}

enum Part {
    Text(String),
    Image(String),
}

/// Who speaks, what is said, and the images.
fn read_item(item: Value, place: &str) -> Result<(String, String, Vec<String>), Error> {
    let kind = match item.get("type") {
        None => "message".to_owned(),
        Some(kind) => kind.as_str().unwrap_or_default().to_owned(),
    };
    match kind.as_str() {
        "message" => {
            let mut fields = Fields::new(item, place, &MESSAGE)?;
            let role = fields.string("role")?.unwrap_or_default();
            if !["user", "assistant", "system", "developer"].contains(&role.as_str()) {
                return Err(invalid(format!("{place}.role must be user, assistant, system or developer")));
            }
            let content = fields.require("content", "a text or a list of parts")?;
            let (text, images) = read_text(content, &fields.place("content"))?;
            Ok((role, text, images))
        }
        "function_call" | "custom_tool_call" => {
            let mut fields = Fields::new(item, place, &CALL)?;
            let given = if kind == "function_call" { "arguments" } else { "input" };
            let name = required(&mut fields, "name")?;
            let given = required(&mut fields, given)?;
            Ok((format!("call of {name}"), given, Vec::new()))
        }
        "function_call_output" | "custom_tool_call_output" => {
            let mut fields = Fields::new(item, place, &OUTPUT)?;
            let output = fields.require("output", "a text or a list of parts")?;
            let (text, images) = read_text(output, &fields.place("output"))?;
            Ok(("tool".to_owned(), text, images))
        }
        _ => Err(invalid(format!(
            "{place}.type must be message, function_call, function_call_output, custom_tool_call or \
             custom_tool_call_output"
        ))),
    }
}

fn read_part(part: Value, place: &str) -> Result<Part, Error> {
    // A cache breakpoint has no effect on an answer.
    const CACHE: &str = "prompt_cache_breakpoint";
    let kind = part.get("type").and_then(Value::as_str).unwrap_or_default().to_owned();
    match kind.as_str() {
        "input_text" | "output_text" => {
            let mut fields = Fields::new(part, place, &["type", "text", "annotations", CACHE])?;
            required(&mut fields, "text").map(Part::Text)
        }
        "refusal" => required(&mut Fields::new(part, place, &["type", "refusal"])?, "refusal").map(Part::Text),
        "input_json" => {
            let mut fields = Fields::new(part, place, &["type", "data", CACHE])?;
            match fields.require("data", "an object or a list")? {
                data @ (Value::Object(_) | Value::Array(_)) => Ok(Part::Text(one_line(&data))),
                other => Err(fields.must_be("data", "an object or a list", &other)),
            }
        }
        "input_image" => {
            let mut fields = Fields::new(part, place, &["type", "image_url", "detail", CACHE])?;
            required(&mut fields, "image_url").map(Part::Image)
        }
        _ => Err(invalid(format!("{place}.type must be input_text, input_image, input_json, output_text or refusal"))),
    }
}

fn required(fields: &mut Fields, name: &str) -> Result<String, Error> {
    fields.string(name)?.ok_or_else(|| invalid(format!("{} is missing; give a string", fields.place(name))))
}
