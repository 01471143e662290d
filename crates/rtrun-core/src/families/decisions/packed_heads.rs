//! What reads the answers of a packed row: options and states by their directions, labels and words likewise.

use std::sync::Arc;

use super::answers::{Logits, answer, finite, threshold};
use super::marker_heads::tokens;
use super::projection::{SpanHead, direction, open_projection};
use super::state::StateTokens;
use super::words::{stretches, words, words_in};
use crate::answer::Pace;
use crate::engines::{RowOutput, normalize};
use crate::error::Error;
use crate::families::transform::{Linear, Step, Transform, dot};
use crate::families::{show, sigmoid};
use crate::package::{Activation, Calibration, PackedSettings, Weights};
use crate::question::{Answer, Question, QuestionKind};

/// The heads of a packed model.
pub struct PackedHeads {
    option: Transform,
    question: Transform,
    state: Transform,
    /// What an option's vector says without the state.
    prior: Transform,
    spans: Option<SpanHead>,
    calibration: Calibration,
    temperature: f32,
    width: usize,
}

/// Questions and where their parts are in their rows.
pub struct PackedRows {
    pub questions: Vec<Question>,
    pub placed: Vec<Placed>,
    /// Where the state begins in every row, right behind its marker.
    pub from: usize,
    pub state: StateTokens,
    /// The state as the user gave it; empty unless places are asked for.
    pub text: Arc<str>,
}

/// Where the markers of one question are in a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placed {
    pub question: usize,
    /// Of its options or labels.
    pub options: Vec<usize>,
    pub abstain: Option<usize>,
    /// Whether the question's own text was read in part only.
    pub is_cut: bool,
}

impl PackedHeads {
    /// Reads the heads. Tensors are those of `PyTorch` modules named `option`, `question`, `state` and `prior`.
    pub fn open(settings: &PackedSettings, weights: &Weights, width: usize) -> Result<Self, Error> {
        let head = &settings.head;
        let prefix = &head.prefix;
        let part = |name: &str| open_projection(weights, &format!("{prefix}{name}"), width, head.size);
        let linear = |module: &str, [outputs, inputs]: [usize; 2]| {
            let [weight, bias] = ["weight", "bias"].map(|part| format!("{prefix}{module}.{part}"));
            Linear::open(weights, &weight, Some(&bias), [outputs, inputs])
        };
        let prior = Transform::new(vec![
            Step::Linear(linear("prior.0", [2 * width, width])?),
            Step::Activation(Activation::Relu),
            Step::Linear(linear("prior.2", [1, 2 * width])?),
        ]);
        Ok(Self {
            option: part("option")?,
            question: part("question")?,
            state: part("state")?,
            prior,
            spans: settings.span.map(|span| SpanHead::open(weights, prefix, width, span)).transpose()?,
            calibration: Calibration::new(settings.calibration.clone()),
            temperature: head.temperature,
            width,
        })
    }

    /// One answer a question.
    pub async fn answers(
        &self,
        rows: &PackedRows,
        outputs: &[Arc<RowOutput>],
        pace: &mut Pace,
    ) -> Vec<Result<Answer, Error>> {
        let states = self.states(rows, outputs);
        let mut answers = Vec::with_capacity(rows.questions.len());
        for (question, placed) in rows.questions.iter().zip(&rows.placed) {
            answers.push(match (&question.kind, &states) {
                (_, Err(error)) => Err(error.clone()),
                (QuestionKind::Span(_), _) => self.spans(rows, (question, placed), outputs, pace).await,
                (_, Ok(states)) => self.options((question, placed), states, outputs, pace).await,
            });
        }
        answers
    }

    /// Per row the direction of the mean of its state, or of the state's marker where the state is empty.
    fn states(&self, rows: &PackedRows, outputs: &[Arc<RowOutput>]) -> Result<Vec<Vec<f32>>, Error> {
        let state = |(output, window): (&Arc<RowOutput>, &std::ops::Range<usize>)| {
            let tokens = tokens(output)?;
            let first = if window.is_empty() { rows.from - 1 } else { rows.from };
            let part = &tokens[first * self.width..][..window.len().max(1) * self.width];
            let count = (part.len() / self.width) as f32;
            let mut mean = vec![0.0; self.width];
            for vector in part.chunks_exact(self.width) {
                mean.iter_mut().zip(vector).for_each(|(mean, value)| *mean += value / count);
            }
            Ok(direction(&self.state, &mean))
        };
        outputs.iter().zip(&rows.state.windows).map(state).collect()
    }

    async fn options(
        &self,
        (question, placed): (&Question, &Placed),
        states: &[Vec<f32>],
        outputs: &[Arc<RowOutput>],
        pace: &mut Pace,
    ) -> Result<Answer, Error> {
        let mut windows = Vec::with_capacity(outputs.len());
        for (output, state) in outputs.iter().zip(states) {
            pace.give_way().await;
            let tokens = tokens(output)?;
            let vector = |at: usize| &tokens[at * self.width..][..self.width];
            let asked = self.question.apply(vector(placed.question));
            let logit = |at: usize| {
                let mut option = self.option.apply(vector(at));
                option.iter_mut().zip(&asked).for_each(|(option, asked)| *option += asked);
                normalize(&mut option);
                dot(&option, state) / self.temperature + self.prior.apply(vector(at))[0]
            };
            let options = placed.options.iter().map(|at| logit(*at)).collect();
            windows.push(Logits { options, none: placed.abstain.map(logit) });
        }
        answer(question, &windows, &self.calibration)
    }

    /// Windows that share a word weigh its logits by their mean.
    async fn spans(
        &self,
        rows: &PackedRows,
        (question, placed): (&Question, &Placed),
        outputs: &[Arc<RowOutput>],
        pace: &mut Pace,
    ) -> Result<Answer, Error> {
        let (Some(head), QuestionKind::Span(labels)) = (&self.spans, &question.kind) else {
            return Err(Error::Internal("A question of spans lost its head; this is a bug".to_owned()));
        };
        let all = words(rows.state.places());
        let mut sums = vec![0.0_f32; all.len() * labels.len()];
        let mut windows = vec![0.0_f32; all.len()];
        for (output, window) in outputs.iter().zip(&rows.state.windows) {
            pace.give_way().await;
            let tokens = tokens(output)?;
            let vector = |at: usize| &tokens[at * self.width..][..self.width];
            let markers: Vec<&[f32]> = placed.options.iter().map(|at| vector(*at)).collect();
            let here = words_in(&all, window);
            let of_words = all[here.clone()].iter().map(|word| vector(rows.from + word.token - window.start));
            let logits = head.logits(of_words, &markers);
            let first = here.start * labels.len();
            sums[first..].iter_mut().zip(&logits).for_each(|(sum, logit)| *sum += logit);
            windows[here].iter_mut().for_each(|count| *count += 1.0);
        }
        let temperature = self.calibration.temperature("span", labels.len());
        for (logits, count) in sums.chunks_exact_mut(labels.len()).zip(&windows) {
            for logit in logits {
                *logit /= count * temperature;
            }
        }
        sigmoid(&mut sums);
        let noul = sums.iter().fold(0.0, |most, value| if *value <= most { most } else { *value });
        let threshold = threshold(question, &self.calibration);
        let mut found = stretches(&all, &sums, labels.len(), threshold);
        found.sort_by_key(|span| (span.start, span.end, span.kind));
        let keys: Vec<String> = labels.iter().map(|label| label.key.clone()).collect();
        finite(Answer::Span { noul, spans: show(&found, &keys, &rows.text), threshold })
    }
}
