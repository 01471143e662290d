//! `POST /v1/rerank`.

use serde::Deserialize;

use super::options::{Shown, TaskOptions};
use crate::error::Error;
use crate::serve::object::{Object, object};
use crate::task::{Task, TaskKind};

/// The body.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RerankRequest {
    model: Option<String>,
    query: String,
    documents: Vec<Document>,
    top_n: Option<usize>,
    #[serde(default)]
    return_documents: bool,
    /// Reading options.
    #[serde(default, deserialize_with = "object")]
    pub options: TaskOptions,
}

/// A document, as a text or as an object with one.
#[derive(Debug, Deserialize)]
#[serde(untagged, expecting = "every document must be a string or an object with a text")]
enum Document {
    Text(String),
    Fields(Object<DocumentFields>),
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct DocumentFields {
    text: String,
}

impl RerankRequest {
    /// The task and what its response shows.
    pub fn into_task(self, id: String) -> Result<(Task, Shown), Error> {
        self.options.check_not_classify("rerank")?;
        if self.top_n == Some(0) {
            return Err(Error::InvalidRequest("top_n is 0; it must be at least 1".to_owned()));
        }
        let shown = Shown {
            meta: self.options.return_meta,
            top: self.top_n,
            documents: self.return_documents,
            ..Shown::default()
        };
        let text = |document| match document {
            Document::Text(text) | Document::Fields(Object(DocumentFields { text })) => text,
        };
        let documents = self.documents.into_iter().map(text).collect();
        let kind = TaskKind::Rerank { query: self.query, documents };
        Ok((Task { id, model: self.model, kind, reading: self.options.reading() }, shown))
    }
}
