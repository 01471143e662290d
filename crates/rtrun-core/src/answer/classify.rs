//! What a head says about an input.

use std::ops::Range;
use std::sync::Arc;

use super::item::{ItemAnswer, Planned};
use super::pace::Pace;
use super::read::{ReadRows, Reading};
use crate::engines::RowOutput;
use crate::error::Error;
use crate::families::{Finish, FoundSpan, Head, HeadInputs, Scheme, show, union};
use crate::question::Span;
use crate::task::{Classified, ClassifyInput, TokenLabels, WindowLabels};
use crate::tokens::Place;

/// How the answers of a token head are written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TokenOptions {
    /// Takes the place of the head's own thresholds.
    pub threshold: Option<f32>,
    /// Whether every token is told.
    pub with_tokens: bool,
}

/// Checks that a head can read an input of this kind.
pub fn check_input(head: &Head, input: &ClassifyInput) -> Result<(), Error> {
    let refuse = |problem: &str| Err(Error::InvalidRequest(format!("Head {:?} {problem}", head.name)));
    match (input, &head.inputs, &head.scheme) {
        (ClassifyInput::Grounded { .. }, HeadInputs::Text, _) => {
            refuse("does not check answers against a context; give texts, or objects of text and text_pair")
        }
        (ClassifyInput::Text(_) | ClassifyInput::Pair(..), HeadInputs::Grounded(_), _) => {
            refuse("checks answers; give objects of context, question and answer")
        }
        (ClassifyInput::Pair(..), HeadInputs::Text, Some(_)) => refuse("finds spans of one text; give single texts"),
        _ => Ok(()),
    }
}

/// The rows of an input and how they become its answer.
pub fn plan(
    head: &Arc<Head>,
    reading: Reading<'_>,
    input: &ClassifyInput,
    options: TokenOptions,
) -> Result<Planned, Error> {
    let (read, text) = match (input, &head.inputs) {
        (ClassifyInput::Grounded { context, question, answer }, HeadInputs::Grounded(prompt)) => {
            (reading.grounded(prompt, context, question, answer)?, answer)
        }
        (ClassifyInput::Pair(first, second), _) => (reading.pair(first, second)?, second),
        (ClassifyInput::Text(text) | ClassifyInput::Grounded { answer: text, .. }, _) => (reading.text(text)?, text),
    };
    let ReadRows { rows, parts, places, input: read_input } = read;
    let text: Arc<str> = if places.is_empty() { "".into() } else { text.as_str().into() };
    let head = Arc::clone(head);
    let is_grounded = matches!(input, ClassifyInput::Grounded { .. });
    let found =
        Found { head, text, parts: parts.into_iter().map(|part| (part.in_row(), part.tokens)).collect(), places };
    let finish: Finish<_> = Box::new(move |outputs, pace| {
        Box::pin(async move {
            let classified = match &found.head.scheme {
                None => found.labels(outputs, pace).await?,
                Some(scheme) if is_grounded => found.grounded_spans(scheme, outputs, options, pace).await?,
                Some(scheme) => found.spans(scheme, outputs, options, pace).await?,
            };
            Ok(ItemAnswer::Classified(Arc::new(classified)))
        })
    });
    Ok(Planned { rows, input: read_input, finish })
}

/// Labelling so many tokens takes well under a slice of time.
const TOKENS_AT_ONCE: usize = 256;

/// What is needed to make an answer of outputs.
struct Found {
    head: Arc<Head>,
    text: Arc<str>,
    /// Per row: where its tokens stand in it, and which tokens of the text they are.
    parts: Vec<(Range<usize>, Range<usize>)>,
    places: Vec<Place>,
}

impl Found {
    async fn labels(&self, outputs: &[Arc<RowOutput>], pace: &mut Pace) -> Result<Classified, Error> {
        let mut windows = Vec::with_capacity(outputs.len());
        let mut read = Vec::with_capacity(outputs.len());
        for (at, (output, (_, tokens))) in outputs.iter().zip(&self.parts).enumerate() {
            pace.give_way().await;
            if let Some(((_, before), last)) = at.checked_sub(1).map(|before| (&self.parts[before], &outputs[before]))
                && let Some(values) = self.head.probabilities_between(last, output)?
            {
                let between = before.start + before.len() / 2..tokens.start + tokens.len() / 2;
                windows.push((between.len(), values));
                read.push(between);
            }
            windows.push((tokens.len(), self.head.probabilities(output)?));
            read.push(tokens.clone());
        }
        let probabilities = self.head.reduction.apply(&windows);
        let windows = self.windows(read.into_iter().zip(windows.into_iter().map(|(_, values)| values)));
        Ok(Classified { probabilities, windows, ..Classified::default() })
    }

    async fn spans(
        &self,
        scheme: &Scheme,
        outputs: &[Arc<RowOutput>],
        options: TokenOptions,
        pace: &mut Pace,
    ) -> Result<Classified, Error> {
        let mut found = Vec::new();
        // Where windows overlap, the token of the later window is told: it is further from that window's start.
        let mut tokens: Vec<Option<Vec<f32>>> = vec![None; if options.with_tokens { self.places.len() } else { 0 }];
        for (output, (in_row, of_text)) in outputs.iter().zip(&self.parts) {
            let probabilities = self.token_probabilities(output, in_row.clone(), pace).await?;
            found.extend(self.decode(scheme, &probabilities, &self.places[of_text.clone()], options));
            for (at, values) in of_text.clone().zip(probabilities.chunks_exact(self.head.labels.len())) {
                if let Some(place) = tokens.get_mut(at) {
                    *place = Some(values.to_vec());
                }
            }
        }
        let windows = self.windows(self.parts.iter().map(|(_, tokens)| (tokens.clone(), Vec::new())));
        let tokens = options.with_tokens.then(|| self.tokens(tokens.into_iter().flatten()));
        Ok(Classified { spans: self.show(scheme, found), tokens, windows, ..Classified::default() })
    }

    /// What any window of the context supports is supported: of every token of the answer, the window that finds it
    /// least suspicious counts.
    async fn grounded_spans(
        &self,
        scheme: &Scheme,
        outputs: &[Arc<RowOutput>],
        options: TokenOptions,
        pace: &mut Pace,
    ) -> Result<Classified, Error> {
        let width = self.head.labels.len();
        let mut best: Vec<f32> = Vec::new();
        for (output, (in_row, _)) in outputs.iter().zip(&self.parts) {
            let probabilities = self.token_probabilities(output, in_row.clone(), pace).await?;
            if best.is_empty() {
                best = probabilities;
                continue;
            }
            for (kept, other) in best.chunks_exact_mut(width).zip(probabilities.chunks_exact(width)) {
                if scheme.outside(other) > scheme.outside(kept) {
                    kept.copy_from_slice(other);
                }
            }
        }
        let found = self.decode(scheme, &best, &self.places, options);
        let tokens = options.with_tokens.then(|| self.tokens(best.chunks_exact(width).map(<[f32]>::to_vec)));
        Ok(Classified { spans: self.show(scheme, found), tokens, ..Classified::default() })
    }

    /// The probabilities of the tokens of a row. Some models read thousands of tokens in one.
    async fn token_probabilities(
        &self,
        output: &RowOutput,
        in_row: Range<usize>,
        pace: &mut Pace,
    ) -> Result<Vec<f32>, Error> {
        let mut probabilities = Vec::with_capacity(in_row.len() * self.head.labels.len());
        for from in in_row.clone().step_by(TOKENS_AT_ONCE) {
            pace.give_way().await;
            let to = in_row.end.min(from + TOKENS_AT_ONCE);
            probabilities.extend(self.head.token_probabilities(output, from..to)?);
        }
        Ok(probabilities)
    }

    fn decode(
        &self,
        scheme: &Scheme,
        probabilities: &[f32],
        places: &[Place],
        options: TokenOptions,
    ) -> Vec<FoundSpan> {
        scheme.decode(probabilities, places, |kind| options.threshold.unwrap_or(self.head.thresholds[kind]))
    }

    fn show(&self, scheme: &Scheme, found: Vec<FoundSpan>) -> Vec<Span> {
        show(&union(found), &scheme.kinds, &self.text)
    }

    /// What is told of windows, each with its tokens; nothing of the only one.
    fn windows(&self, windows: impl Iterator<Item = (Range<usize>, Vec<f32>)>) -> Vec<WindowLabels> {
        if self.parts.len() < 2 {
            return Vec::new();
        }
        let characters = character_ends(&self.text);
        let window = |(tokens, probabilities): (Range<usize>, Vec<f32>)| {
            let places = self.places.get(tokens).unwrap_or_default();
            let (start, end) = match (places.first(), places.last()) {
                (Some(first), Some(last)) => (characters(first.start), characters(last.end)),
                _ => (0, 0),
            };
            WindowLabels { start, end, probabilities }
        };
        windows.map(window).collect()
    }

    fn tokens(&self, values: impl Iterator<Item = Vec<f32>>) -> Vec<TokenLabels> {
        let characters = character_ends(&self.text);
        let token = |(probabilities, place): (Vec<f32>, &Place)| TokenLabels {
            start: characters(place.start),
            end: characters(place.end),
            probabilities,
        };
        values.zip(&self.places).map(token).collect()
    }
}

/// How many characters end at or before a byte of the text.
fn character_ends(text: &str) -> impl Fn(u32) -> usize {
    let starts: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    move |byte| starts.partition_point(|start| *start < byte as usize)
}
