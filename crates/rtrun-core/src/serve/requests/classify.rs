//! `POST /v1/classify`.

use std::fmt;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Error as _, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::options::{Shown, TaskOptions};
use crate::error::Error;
use crate::serve::object::object;
use crate::task::{ClassifyInput, Task, TaskKind};

/// The body.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClassifyRequest {
    model: Option<String>,
    head: Option<String>,
    input: Input,
    /// Reading options.
    #[serde(default, deserialize_with = "object")]
    pub options: TaskOptions,
}

impl ClassifyRequest {
    /// The task and what its response shows.
    pub fn into_task(self, id: String) -> Result<(Task, Shown), Error> {
        let Self { model, head, input, options } = self;
        let shown = Shown { meta: options.return_meta, ..Shown::default() };
        let (threshold, with_tokens) = (options.threshold()?, options.return_tokens);
        let kind = TaskKind::Classify { head, input: input.0, threshold, with_tokens };
        Ok((Task { id, model, kind, reading: options.reading() }, shown))
    }
}

/// One input or several.
#[derive(Debug)]
struct Input(Vec<ClassifyInput>);

struct Item(ClassifyInput);

/// The fields of an input that is not one text.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Fields {
    text: Option<String>,
    text_pair: Option<String>,
    context: Option<String>,
    question: Option<String>,
    answer: Option<String>,
}

impl Fields {
    fn into_input(self) -> Result<ClassifyInput, &'static str> {
        match self {
            Self { text: Some(text), text_pair: None, context: None, question: None, answer: None } => {
                Ok(ClassifyInput::Text(text))
            }
            Self { text: Some(text), text_pair: Some(pair), context: None, question: None, answer: None } => {
                Ok(ClassifyInput::Pair(text, pair))
            }
            Self { text: None, text_pair: None, context: Some(context), question, answer: Some(answer) } => {
                Ok(ClassifyInput::Grounded { context, question: question.unwrap_or_default(), answer })
            }
            _ => Err("an input of several texts has either text and text_pair, or context, question and answer"),
        }
    }
}

impl<'de> Deserialize<'de> for Input {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InputVisitor;
        impl<'de> Visitor<'de> for InputVisitor {
            type Value = Input;

            fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
                formatter.write_str("input to be a string, an object, or a list of them")
            }

            fn visit_str<E>(self, text: &str) -> Result<Input, E> {
                Ok(Input(vec![ClassifyInput::Text(text.to_owned())]))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Input, A::Error> {
                let fields = Fields::deserialize(MapAccessDeserializer::new(map))?;
                Ok(Input(vec![fields.into_input().map_err(A::Error::custom)?]))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Input, A::Error> {
                let mut inputs = Vec::new();
                while let Some(Item(input)) = items.next_element()? {
                    inputs.push(input);
                }
                Ok(Input(inputs))
            }
        }
        deserializer.deserialize_any(InputVisitor)
    }
}

impl<'de> Deserialize<'de> for Item {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ItemVisitor;
        impl<'de> Visitor<'de> for ItemVisitor {
            type Value = Item;

            fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
                formatter.write_str("every input to be a string or an object of texts")
            }

            fn visit_str<E>(self, text: &str) -> Result<Item, E> {
                Ok(Item(ClassifyInput::Text(text.to_owned())))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Item, A::Error> {
                let fields = Fields::deserialize(MapAccessDeserializer::new(map))?;
                fields.into_input().map(Item).map_err(A::Error::custom)
            }
        }
        deserializer.deserialize_any(ItemVisitor)
    }
}
