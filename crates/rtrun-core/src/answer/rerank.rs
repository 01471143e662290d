//! How well a document answers a query.

use std::sync::Arc;

use super::item::{ItemAnswer, Planned};
use super::read::Reading;
use crate::engines::RowOutput;
use crate::error::Error;
use crate::families::Head;
use crate::task::Relevance;
use crate::tokens::TextTokens;

/// The row of a query and a document, and how it becomes a score.
pub fn plan(head: &Arc<Head>, reading: Reading<'_>, query: &TextTokens, document: &str) -> Result<Planned, Error> {
    let read = reading.behind(query, document)?;
    let head = Arc::clone(head);
    let finish = Box::new(move |outputs: &[Arc<RowOutput>]| {
        let output = outputs.first().ok_or_else(|| Error::Internal("A pair lost its row; this is a bug".to_owned()))?;
        let (logit, score) = head.relevance(output)?;
        Ok(ItemAnswer::Relevance(Relevance { score, logit }))
    });
    Ok(Planned { rows: read.rows, input: read.input, finish })
}
