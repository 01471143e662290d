//! What reads the answers of a marker row: a scorer at every marker, and the words of the state for spans.

use std::ops::Range;
use std::sync::Arc;

use super::answers::{Logits, answer, finite, threshold};
use super::max_similarity::MaxSimilarity;
use super::projection::{EPSILON, SpanHead};
use super::state::StateTokens;
use super::statement::Statement;
use super::words::{stretches, words, words_in};
use crate::answer::Pace;
use crate::engines::RowOutput;
use crate::error::Error;
use crate::families::transform::{Linear, Norm, Step, Transform};
use crate::families::{show, sigmoid, union};
use crate::package::{Activation, Calibration, MarkerSettings, Weights};
use crate::question::{Answer, Question, QuestionKind};

/// Where "true" stands among the options of a yes-or-no question.
const YES: usize = 1;

/// The heads of a marker model.
pub struct MarkerHeads {
    /// From the vector at a marker to its logit.
    scorer: Transform,
    max_similarity: MaxSimilarity,
    /// Of models that compare yes-or-no questions with the state.
    statement: Option<Statement>,
    spans: Option<SpanHead>,
    calibration: Calibration,
    width: usize,
}

/// A question and where its parts are in its rows.
pub struct MarkerRows {
    pub question: Question,
    /// Where the options' markers are in every row.
    pub markers: Vec<usize>,
    /// Where the marker of "none of them" is, of choices of models that abstain.
    pub abstain: Option<usize>,
    /// Where the words of a yes-or-no question are in every row, behind its type.
    pub words: Range<usize>,
    /// Where the options' own tokens are in every row, those of "none of them" last.
    pub options: Vec<Range<usize>>,
    pub state: StateTokens,
    /// Where the state begins in every row.
    pub from: usize,
    /// The state as the user gave it; empty unless places are asked for.
    pub text: Arc<str>,
}

impl MarkerHeads {
    /// Reads the scorer and, where there is one, the head of spans.
    pub fn open(settings: &MarkerSettings, weights: &Weights, width: usize) -> Result<Self, Error> {
        let prefix = &settings.head.prefix;
        let module = |part: usize| format!("{prefix}scorer.{part}");
        let linear = |part: usize, outputs: usize| {
            let [weight, bias] = ["weight", "bias"].map(|name| format!("{}.{name}", module(part)));
            Linear::open(weights, &weight, Some(&bias), [outputs, width])
        };
        let scorer = Transform::new(vec![
            Step::Norm(Norm::open(weights, &module(0), width, EPSILON)?),
            Step::Linear(linear(1, width)?),
            Step::Activation(Activation::Gelu),
            Step::Linear(linear(3, 1)?),
        ]);
        let spans = settings.span.map(|span| SpanHead::open(weights, prefix, width, span)).transpose()?;
        let statement = settings.head.statement.map(|of| Statement::open(weights, prefix, width, of)).transpose()?;
        let max_similarity = MaxSimilarity::new(settings.head.max_similarity.clone(), width);
        Ok(Self {
            scorer,
            max_similarity,
            statement,
            spans,
            calibration: Calibration::new(settings.calibration.clone()),
            width,
        })
    }

    /// The answer to a question that is none of spans.
    pub async fn options(
        &self,
        asked: &MarkerRows,
        outputs: &[Arc<RowOutput>],
        pace: &mut Pace,
    ) -> Result<Answer, Error> {
        let kind = asked.question.kind.as_str();
        let mut windows = Vec::with_capacity(outputs.len());
        for (output, window) in outputs.iter().zip(&asked.state.windows) {
            pace.give_way().await;
            let tokens = tokens(output)?;
            let logit = |marker: &usize| self.scorer.apply(&tokens[marker * self.width..][..self.width])[0];
            let mut options: Vec<f32> = asked.markers.iter().chain(&asked.abstain).map(logit).collect();
            let state = asked.from..asked.from + window.len();
            if let (QuestionKind::Noul { .. }, Some(statement)) = (&asked.question.kind, &self.statement) {
                options[YES] += statement.logit(tokens, (&asked.words, state.clone()), pace).await;
            }
            if let Some(max_similarity) = self.max_similarity.logits(kind, tokens, (&asked.options, state), pace).await
            {
                options.iter_mut().zip(max_similarity).for_each(|(logit, max_similarity)| *logit += max_similarity);
            }
            let none = if asked.abstain.is_some() { options.pop() } else { None };
            windows.push(Logits { options, none });
        }
        answer(&asked.question, &windows, &self.calibration)
    }

    /// The answer to a question of spans. Those of windows are united.
    pub async fn spans(
        &self,
        asked: &MarkerRows,
        outputs: &[Arc<RowOutput>],
        pace: &mut Pace,
    ) -> Result<Answer, Error> {
        let (Some(head), QuestionKind::Span(labels)) = (&self.spans, &asked.question.kind) else {
            return Err(Error::Internal("A question of spans lost its head; this is a bug".to_owned()));
        };
        let threshold = threshold(&asked.question, &self.calibration);
        let temperature = self.calibration.temperature("span", labels.len());
        let all = words(asked.state.places());
        let mut found = Vec::new();
        let mut noul = 0.0_f32;
        for (output, window) in outputs.iter().zip(&asked.state.windows) {
            pace.give_way().await;
            let tokens = tokens(output)?;
            let vector = |at: usize| &tokens[at * self.width..][..self.width];
            let markers: Vec<&[f32]> = asked.markers.iter().map(|marker| vector(*marker)).collect();
            let here = &all[words_in(&all, window)];
            let of_words = here.iter().map(|word| vector(asked.from + word.token - window.start));
            let mut probabilities = head.logits(of_words, &markers);
            for logit in &mut probabilities {
                *logit /= temperature;
            }
            sigmoid(&mut probabilities);
            noul = probabilities.iter().fold(noul, |most, value| if *value <= most { most } else { *value });
            found.extend(stretches(here, &probabilities, labels.len(), threshold));
        }
        let keys: Vec<String> = labels.iter().map(|label| label.key.clone()).collect();
        finite(Answer::Span { noul, spans: show(&union(found), &keys, &asked.text), threshold })
    }
}

/// The vectors of a row's tokens.
pub fn tokens(output: &RowOutput) -> Result<&[f32], Error> {
    output.tokens.as_deref().ok_or_else(|| Error::Internal("A question lost its vectors; this is a bug".to_owned()))
}
