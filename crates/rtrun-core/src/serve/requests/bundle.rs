//! `POST /v1/bundle`.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use super::classify::ClassifyRequest;
use super::embeddings::EmbeddingsRequest;
use super::options::Shown;
use super::rerank::RerankRequest;
use crate::error::Error;
use crate::schedule::Source;
use crate::serve::body::parse;
use crate::serve::decisions::DecisionsRequest;
use crate::serve::object::{Object, object, objects};
use crate::task::Task;

/// The body. Tasks are read one by one, so that a wrong one fails alone.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BundleRequest {
    /// The tasks.
    #[serde(deserialize_with = "objects")]
    pub tasks: Vec<BundleTask>,
    /// Options of the whole bundle.
    #[serde(default, deserialize_with = "object")]
    pub options: BundleRequestOptions,
}

/// One task of a bundle: an id and exactly one surface.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BundleTask {
    /// The caller's name for it.
    pub id: String,
    classify: Option<Box<RawValue>>,
    embeddings: Option<Box<RawValue>>,
    decisions: Option<Box<RawValue>>,
    rerank: Option<Box<RawValue>>,
}

/// Options of a bundle.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BundleRequestOptions {
    /// Milliseconds after which the caller stops waiting.
    pub deadline_ms: Option<u64>,
    source: Option<String>,
}

/// The longest name of a source, in bytes.
const LONGEST_SOURCE: usize = 128;

impl BundleRequestOptions {
    /// What the bundle belongs to, checked.
    pub fn source(&self) -> Result<Option<Source>, Error> {
        match self.source.as_deref() {
            None => Ok(None),
            Some(name)
                if (1..=LONGEST_SOURCE).contains(&name.len())
                    && name.bytes().all(|byte| matches!(byte, b' '..=b'~')) =>
            {
                Ok(Some(Source::named(name)))
            }
            Some(name) => Err(Error::InvalidRequest(format!(
                "options.source has {} bytes; it must be 1 to {LONGEST_SOURCE} printable characters of ASCII",
                name.len()
            ))),
        }
    }
}

impl BundleTask {
    /// The task and what its response shows.
    pub fn into_task(self) -> Result<(Task, Shown), Error> {
        let Self { id, classify, embeddings, decisions, rerank } = self;
        match (classify, embeddings, decisions, rerank) {
            (Some(body), None, None, None) => {
                let Object(request): Object<ClassifyRequest> = read(&body)?;
                check_deadline(request.options.deadline_ms)?;
                request.into_task(id)
            }
            (None, Some(body), None, None) => {
                let Object(request): Object<EmbeddingsRequest> = read(&body)?;
                check_deadline(request.options.deadline_ms)?;
                request.into_task(id)
            }
            (None, None, Some(body), None) => {
                let request = DecisionsRequest::read(read(&body)?)?;
                check_deadline(request.options.deadline_ms)?;
                Ok(request.into_task(id))
            }
            (None, None, None, Some(body)) => {
                let Object(request): Object<RerankRequest> = read(&body)?;
                check_deadline(request.options.deadline_ms)?;
                request.into_task(id)
            }
            _ => Err(Error::InvalidRequest(
                "A task must have exactly one of classify, embeddings, decisions and rerank".to_owned(),
            )),
        }
    }
}

fn read<T: DeserializeOwned>(body: &RawValue) -> Result<T, Error> {
    parse(body.get().as_bytes())
}

fn check_deadline(deadline_ms: Option<u64>) -> Result<(), Error> {
    match deadline_ms {
        None => Ok(()),
        Some(_) => Err(Error::InvalidRequest(
            "options.deadline_ms is not allowed in a task; set options.deadline_ms of the bundle".to_owned(),
        )),
    }
}
