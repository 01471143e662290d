//! The answer to a rerank task: the best document first.

use serde::Serialize;

use super::parts::{InputEntry, Meta, UsageEntry, parts};
use crate::serve::reply::ErrorEntry;
use crate::serve::requests::Shown;
use crate::task::{Phases, RerankAnswer};

/// The body.
#[derive(Serialize)]
pub struct RerankResponse<'a> {
    model: &'a str,
    results: Vec<RerankItem<'a>>,
    usage: UsageEntry,
    #[serde(skip_serializing_if = "Option::is_none")]
    meta: Option<Meta<'a>>,
}

#[derive(Serialize)]
struct RerankItem<'a> {
    index: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    relevance_score: Option<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    logit: Option<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    document: Option<DocumentEntry<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    input: Option<InputEntry>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<ErrorEntry<'a>>,
}

#[derive(Serialize)]
struct DocumentEntry<'a> {
    text: &'a str,
}

impl<'a> RerankResponse<'a> {
    /// Writes an answer as it was asked for. Documents that failed stand behind all others and are never left out, so
    /// that none is lost silently.
    pub fn new(answer: &'a RerankAnswer, shown: &Shown, phases: &Phases) -> Self {
        let items = answer.items.iter().enumerate().map(|(index, item)| {
            let (input, relevance, error) = parts(item);
            RerankItem {
                index,
                relevance_score: relevance.map(|relevance| relevance.score),
                logit: relevance.map(|relevance| relevance.logit),
                document: shown.documents.then(|| DocumentEntry { text: &answer.documents[index] }),
                input,
                error,
            }
        });
        let (mut ranked, failed): (Vec<_>, Vec<_>) = items.partition(|item| item.error.is_none());
        // The sort is stable: of equal scores the earlier document stays in front. Logits tell apart what scores of
        // nearly 1 no longer do.
        ranked.sort_by(|one, other| other.logit.unwrap_or(f32::MIN).total_cmp(&one.logit.unwrap_or(f32::MIN)));
        ranked.truncate(shown.top.unwrap_or(usize::MAX));
        ranked.extend(failed);
        Self {
            model: &answer.model.name,
            results: ranked,
            usage: answer.usage.into(),
            meta: shown.meta.then(|| Meta::new(&answer.model, phases, None)),
        }
    }
}
