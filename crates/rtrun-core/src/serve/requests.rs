//! Request bodies. A field that is not known is refused by name, so that nothing is accepted and then does nothing.

use std::fmt;
use std::time::{Duration, Instant};

use serde::de::{Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

use crate::error::Error;
use crate::task::{Task, TaskKind};
use crate::tokens::Overflow;

/// `POST /v1/embeddings`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EmbeddingsRequest {
    model: Option<String>,
    input: Input,
    dimensions: Option<usize>,
    /// How vectors are written.
    #[serde(default)]
    pub encoding_format: EncodingFormat,
    /// Part of the client's contract and without effect there too: it names the caller's end user.
    #[serde(rename = "user")]
    _user: Option<String>,
    /// Reading options.
    #[serde(default)]
    pub options: TaskOptions,
}

/// `POST /v1/classify`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClassifyRequest {
    model: Option<String>,
    head: Option<String>,
    input: Input,
    /// Reading options.
    #[serde(default)]
    pub options: TaskOptions,
}

/// `POST /v1/bundle`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BundleRequest {
    /// The tasks.
    pub tasks: Vec<BundleTask>,
    /// Options of the whole bundle.
    #[serde(default)]
    pub options: BundleRequestOptions,
}

/// One task of a bundle: an id and exactly one surface.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BundleTask {
    id: String,
    classify: Option<ClassifyRequest>,
    embeddings: Option<EmbeddingsRequest>,
    decisions: Option<IgnoredAny>,
    rerank: Option<IgnoredAny>,
}

/// Options of a bundle.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BundleRequestOptions {
    /// Milliseconds after which the caller stops waiting.
    pub deadline_ms: Option<u64>,
}

/// Options of one task.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TaskOptions {
    overflow: Option<OverflowName>,
    max_tokens: Option<usize>,
    /// Whether the answer says what computed it.
    #[serde(default)]
    pub return_meta: bool,
    /// Milliseconds after which the caller stops waiting.
    pub deadline_ms: Option<u64>,
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

/// What the response to a task has to show.
#[derive(Debug, Clone, Copy, Default)]
pub struct Shown {
    /// How vectors are written.
    pub format: EncodingFormat,
    /// Whether the answer says what computed it.
    pub meta: bool,
}

#[derive(Debug)]
struct OverflowName(Overflow);

/// One text or several.
#[derive(Debug)]
struct Input(Vec<String>);

impl EmbeddingsRequest {
    /// The task and what its response shows.
    pub fn into_task(self, id: String) -> (Task, Shown) {
        let shown = Shown { format: self.encoding_format, meta: self.options.return_meta };
        let kind = TaskKind::Embeddings { dimensions: self.dimensions };
        (task(id, self.model, kind, self.input, &self.options), shown)
    }
}

impl ClassifyRequest {
    /// The task and what its response shows.
    pub fn into_task(self, id: String) -> (Task, Shown) {
        let shown = Shown { meta: self.options.return_meta, ..Shown::default() };
        let kind = TaskKind::Classify { head: self.head };
        (task(id, self.model, kind, self.input, &self.options), shown)
    }
}

impl BundleTask {
    /// The task and what its response shows.
    pub fn into_task(self) -> Result<(Task, Shown), Error> {
        let Self { id, classify, embeddings, decisions, rerank } = self;
        let has_own_deadline =
            [classify.as_ref().map(|task| &task.options), embeddings.as_ref().map(|task| &task.options)];
        if has_own_deadline.into_iter().flatten().any(|options| options.deadline_ms.is_some()) {
            let problem =
                format!("tasks[{id:?}].options.deadline_ms is not allowed; set options.deadline_ms of the bundle");
            return Err(Error::InvalidRequest(problem));
        }
        let not_yet = |surface| {
            let kind = TaskKind::NotYet { surface };
            let task = Task { id: id.clone(), model: None, kind, input: Vec::new(), overflow: None, max_tokens: None };
            (task, Shown::default())
        };
        match (classify, embeddings, decisions, rerank) {
            (Some(classify), None, None, None) => Ok(classify.into_task(id)),
            (None, Some(embeddings), None, None) => Ok(embeddings.into_task(id)),
            (None, None, Some(_), None) => Ok(not_yet("decisions")),
            (None, None, None, Some(_)) => Ok(not_yet("rerank")),
            _ => Err(Error::InvalidRequest(format!(
                "Task {id:?} must have exactly one of classify, embeddings, decisions and rerank"
            ))),
        }
    }
}

/// The moment a request with this option is over.
pub fn deadline(start: Instant, milliseconds: Option<u64>) -> Result<Option<Instant>, Error> {
    match milliseconds {
        None => Ok(None),
        Some(0) => Err(Error::InvalidRequest("deadline_ms is 0; it must be at least 1".to_owned())),
        // A deadline beyond what the clock can hold is none.
        Some(milliseconds) => Ok(start.checked_add(Duration::from_millis(milliseconds))),
    }
}

fn task(id: String, model: Option<String>, kind: TaskKind, input: Input, options: &TaskOptions) -> Task {
    let overflow = options.overflow.as_ref().map(|name| name.0);
    Task { id, model, kind, input: input.0, overflow, max_tokens: options.max_tokens }
}

impl<'de> Deserialize<'de> for OverflowName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        match name.as_str() {
            "truncate" => Ok(Self(Overflow::Truncate)),
            "reject" => Ok(Self(Overflow::Reject)),
            "window" => {
                Err(D::Error::custom("overflow \"window\" is not supported yet; use \"truncate\" or \"reject\""))
            }
            other => {
                Err(D::Error::custom(format_args!("overflow {other:?} is not known; use \"truncate\" or \"reject\"")))
            }
        }
    }
}

impl<'de> Deserialize<'de> for Input {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InputVisitor;
        impl<'de> Visitor<'de> for InputVisitor {
            type Value = Input;

            fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
                formatter.write_str("input to be a string or a list of strings")
            }

            fn visit_str<E>(self, text: &str) -> Result<Input, E> {
                Ok(Input(vec![text.to_owned()]))
            }

            fn visit_string<E>(self, text: String) -> Result<Input, E> {
                Ok(Input(vec![text]))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Input, A::Error> {
                let mut texts = Vec::new();
                while let Some(Item(text)) = items.next_element()? {
                    texts.push(text);
                }
                Ok(Input(texts))
            }
        }
        deserializer.deserialize_any(InputVisitor)
    }
}

struct Item(String);

impl<'de> Deserialize<'de> for Item {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ItemVisitor;
        impl<'de> Visitor<'de> for ItemVisitor {
            type Value = Item;

            fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
                formatter.write_str("every input to be a string")
            }

            fn visit_str<E>(self, text: &str) -> Result<Item, E> {
                Ok(Item(text.to_owned()))
            }

            fn visit_string<E>(self, text: String) -> Result<Item, E> {
                Ok(Item(text))
            }

            fn visit_map<A: MapAccess<'de>>(self, _: A) -> Result<Item, A::Error> {
                Err(A::Error::custom("inputs of several texts, such as text pairs, are not supported yet; use strings"))
            }
        }
        deserializer.deserialize_any(ItemVisitor)
    }
}
