//! How well a document answers a query.

use std::future::ready;
use std::sync::Arc;

use super::item::{ItemAnswer, Planned};
use super::read::Reading;
use crate::error::Error;
use crate::families::{Finish, Head};
use crate::task::Relevance;
use crate::tokens::TextTokens;

/// The row of a query and a document, and how it becomes a score.
pub fn plan(head: &Arc<Head>, reading: Reading<'_>, query: &TextTokens, document: &str) -> Result<Planned, Error> {
    let read = reading.behind(query, document)?;
    let head = Arc::clone(head);
    let finish: Finish<_> = Box::new(move |outputs, _| {
        let output = outputs.first().ok_or_else(|| Error::Internal("A pair lost its row; this is a bug".to_owned()));
        let scored = output.and_then(|output| head.relevance(output));
        Box::pin(ready(scored.map(|(logit, score)| ItemAnswer::Relevance(Relevance { score, logit }))))
    });
    Ok(Planned { rows: read.rows, input: read.input, finish })
}
