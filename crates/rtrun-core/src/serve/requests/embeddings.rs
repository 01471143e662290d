//! `POST /v1/embeddings`.

use std::fmt;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::options::{Shown, TaskOptions};
use crate::error::Error;
use crate::serve::object::object;
use crate::task::{EmbeddingInput, InputType, Task, TaskKind};

/// The body.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EmbeddingsRequest {
    model: Option<String>,
    input: Input,
    dimensions: Option<usize>,
    layer: Option<usize>,
    input_type: Option<InputTypeName>,
    /// How vectors are written.
    #[serde(default)]
    encoding_format: EncodingFormat,
    /// Part of the client's contract and without effect there too: it names the caller's end user.
    #[serde(rename = "user")]
    _user: Option<String>,
    /// Reading options.
    #[serde(default, deserialize_with = "object")]
    pub options: TaskOptions,
}

/// How vectors are written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EncodingFormat {
    /// A list of numbers.
    #[default]
    Float,
    /// Little-endian 32-bit floats.
    Base64,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum InputTypeName {
    Query,
    Document,
}

impl EmbeddingsRequest {
    /// The task and what its response shows.
    pub fn into_task(self, id: String) -> Result<(Task, Shown), Error> {
        self.options.check_not_classify("embeddings")?;
        let shown = Shown { format: self.encoding_format, meta: self.options.return_meta, ..Shown::default() };
        let input_type = self.input_type.map(|name| match name {
            InputTypeName::Query => InputType::Query,
            InputTypeName::Document => InputType::Document,
        });
        let (dimensions, layer) = (self.dimensions, self.layer);
        let kind = TaskKind::Embeddings { input: self.input.0, dimensions, layer, input_type };
        Ok((Task { id, model: self.model, kind, reading: self.options.reading() }, shown))
    }
}

/// One input or several.
#[derive(Debug)]
struct Input(Vec<EmbeddingInput>);

struct Item(EmbeddingInput);

/// One part of an input, as chat messages have them.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, tag = "type", rename_all = "snake_case")]
enum Part {
    Text {
        text: String,
    },
    ImageUrl {
        #[serde(deserialize_with = "object")]
        image_url: ImageUrl,
    },
    InputAudio {
        #[serde(deserialize_with = "object")]
        input_audio: InputAudio,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ImageUrl {
    url: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct InputAudio {
    data: String,
    format: String,
}

impl Part {
    fn into_input(self) -> EmbeddingInput {
        match self {
            Self::Text { text } => EmbeddingInput::Text(text),
            Self::ImageUrl { image_url } => EmbeddingInput::Image(image_url.url),
            Self::InputAudio { input_audio: InputAudio { data, format } } => EmbeddingInput::Audio { data, format },
        }
    }
}

const TOKENS: &str = "arrays of token ids are not supported; send the texts themselves";

impl<'de> Deserialize<'de> for Input {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InputVisitor;
        impl<'de> Visitor<'de> for InputVisitor {
            type Value = Input;

            fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
                formatter.write_str("input to be a string or a list of strings or content parts")
            }

            fn visit_str<E>(self, text: &str) -> Result<Input, E> {
                Ok(Input(vec![EmbeddingInput::Text(text.to_owned())]))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Input, A::Error> {
                let part = Part::deserialize(MapAccessDeserializer::new(map))?;
                Ok(Input(vec![part.into_input()]))
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
                formatter.write_str("every input to be a string or a content part")
            }

            fn visit_str<E>(self, text: &str) -> Result<Item, E> {
                Ok(Item(EmbeddingInput::Text(text.to_owned())))
            }

            fn visit_u64<E: serde::de::Error>(self, _: u64) -> Result<Item, E> {
                Err(E::custom(TOKENS))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Item, A::Error> {
                Part::deserialize(MapAccessDeserializer::new(map)).map(|part| Item(part.into_input()))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut parts: A) -> Result<Item, A::Error> {
                // An input may be a list of parts; a vector stands for one of them.
                let Some(part) = parts.next_element::<PartOrToken>()? else {
                    return Err(A::Error::custom("an input is an empty list; give one content part"));
                };
                let PartOrToken(part) = part;
                if parts.next_element::<IgnoredAny>()?.is_some() {
                    return Err(A::Error::custom(
                        "an input of several content parts is not supported; give each part as an input of its own",
                    ));
                }
                Ok(Item(part.into_input()))
            }
        }
        deserializer.deserialize_any(ItemVisitor)
    }
}

struct PartOrToken(Part);

impl<'de> Deserialize<'de> for PartOrToken {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct PartVisitor;
        impl<'de> Visitor<'de> for PartVisitor {
            type Value = PartOrToken;

            fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
                formatter.write_str("a content part")
            }

            fn visit_u64<E: serde::de::Error>(self, _: u64) -> Result<PartOrToken, E> {
                Err(E::custom(TOKENS))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<PartOrToken, A::Error> {
                Part::deserialize(MapAccessDeserializer::new(map)).map(PartOrToken)
            }
        }
        deserializer.deserialize_any(PartVisitor)
    }
}
