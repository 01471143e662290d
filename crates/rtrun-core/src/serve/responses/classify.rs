//! The answer to a classify task.

use serde::Serialize;

use super::parts::{InputEntry, Meta, UsageEntry, parts};
use crate::package::HeadKind;
use crate::question::Span;
use crate::serve::reply::ErrorEntry;
use crate::serve::requests::Shown;
use crate::task::{Classified, ClassifyAnswer, Phases, TokenLabels, WindowLabels};

/// The body.
#[derive(Serialize)]
pub struct ClassifyResponse<'a> {
    model: &'a str,
    head: &'a str,
    kind: &'static str,
    labels: &'a [String],
    results: Vec<ClassifyItem<'a>>,
    usage: UsageEntry,
    #[serde(skip_serializing_if = "Option::is_none")]
    meta: Option<Meta<'a>>,
}

#[derive(Default, Serialize)]
struct ClassifyItem<'a> {
    index: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    probabilities: Option<&'a [f32]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    scores: Option<&'a [f32]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    selected: Option<Vec<&'a str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    spans: Option<Vec<SpanEntry<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tokens: Option<Vec<TokenEntry<'a>>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    windows: Vec<WindowEntry<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    input: Option<InputEntry>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<ErrorEntry<'a>>,
}

/// A labelled stretch of a text, in code points.
#[derive(Serialize)]
pub struct SpanEntry<'a> {
    label: &'a str,
    start: usize,
    end: usize,
    text: &'a str,
    probability: f32,
}

#[derive(Serialize)]
struct TokenEntry<'a> {
    start: usize,
    end: usize,
    probabilities: &'a [f32],
}

#[derive(Serialize)]
struct WindowEntry<'a> {
    start: usize,
    end: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    probabilities: Option<&'a [f32]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    scores: Option<&'a [f32]>,
}

impl<'a> ClassifyResponse<'a> {
    /// Writes an answer as it was asked for.
    pub fn new(answer: &'a ClassifyAnswer, shown: &Shown, phases: &Phases) -> Self {
        let results = answer.items.iter().enumerate().map(|(index, item)| {
            let (input, classified, error) = parts(item);
            let found = classified.map(|classified| of_kind(answer, classified));
            ClassifyItem { index, input, error, ..found.unwrap_or_default() }
        });
        Self {
            model: &answer.model.name,
            head: &answer.head,
            kind: answer.kind.as_str(),
            labels: &answer.labels,
            results: results.collect(),
            usage: answer.usage.into(),
            meta: shown.meta.then(|| Meta::new(&answer.model, phases, None)),
        }
    }
}

fn of_kind<'a>(answer: &'a ClassifyAnswer, classified: &'a Classified) -> ClassifyItem<'a> {
    let Classified { probabilities, spans, tokens, windows } = classified;
    let is_scores = answer.kind == HeadKind::Scores;
    let window = |window: &'a WindowLabels| {
        let values = Some(window.probabilities.as_slice()).filter(|values| !values.is_empty());
        WindowEntry {
            start: window.start,
            end: window.end,
            probabilities: values.filter(|_| !is_scores),
            scores: values.filter(|_| is_scores),
        }
    };
    let windows = windows.iter().map(window).collect();
    if answer.kind == HeadKind::Token {
        let token = |token: &'a TokenLabels| TokenEntry {
            start: token.start,
            end: token.end,
            probabilities: &token.probabilities,
        };
        return ClassifyItem {
            spans: Some(spans.iter().map(SpanEntry::from).collect()),
            tokens: tokens.as_ref().map(|tokens| tokens.iter().map(token).collect()),
            windows,
            ..ClassifyItem::default()
        };
    }
    ClassifyItem {
        label: likeliest(probabilities).map(|at| answer.labels[at].as_str()),
        probabilities: Some(probabilities),
        scores: is_scores.then_some(probabilities),
        selected: is_scores.then(|| selected(answer, probabilities)),
        windows,
        ..ClassifyItem::default()
    }
}

impl<'a> From<&'a Span> for SpanEntry<'a> {
    fn from(span: &'a Span) -> Self {
        Self { label: &span.label, start: span.start, end: span.end, text: &span.text, probability: span.probability }
    }
}

/// The first of the largest values.
fn likeliest(values: &[f32]) -> Option<usize> {
    (0..values.len()).reduce(|best, at| if values[at] > values[best] { at } else { best })
}

fn selected<'a>(answer: &'a ClassifyAnswer, values: &[f32]) -> Vec<&'a str> {
    let labels = answer.labels.iter().zip(values).zip(&answer.thresholds);
    labels.filter(|((_, value), threshold)| value >= threshold).map(|((label, _), _)| label.as_str()).collect()
}
