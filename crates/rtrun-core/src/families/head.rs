//! A head: what one vector says about the labels. Computed row by row, so that an answer cannot depend on what it was
//! batched with.

use super::reduce::Reduction;
use super::spans::Scheme;
use super::transform::Transform;
use crate::engines::{RowOutput, Wanted, mean_of_sums};
use crate::error::Error;
use crate::package::{HeadKind, HeadReads, HeadSettings, Weights};

/// A head and its labels.
#[derive(Debug, Clone)]
pub struct Head {
    /// The name that requests use.
    pub name: String,
    /// What its probabilities mean.
    pub kind: HeadKind,
    /// The labels, in the order of the probabilities.
    pub labels: Vec<String>,
    /// The probability from which a label counts as selected, unless it has its own.
    pub default_threshold: f32,
    /// Per label, or per kind of span, the probability from which it counts as selected.
    pub thresholds: Vec<f32>,
    /// What the texts of an input are to it.
    pub inputs: HeadInputs,
    /// How windows become one answer; not used by token heads, whose spans are united.
    pub reduction: Reduction,
    /// Tokens of a window and of its overlap with the next, where the package recommends them.
    pub window: Option<(usize, usize)>,
    /// How token labels stand for spans; of token heads only.
    pub scheme: Option<Scheme>,
    temperature: f32,
    reads: HeadReads,
    network: Transform,
    /// Length of the vectors it takes.
    width: usize,
}

/// What the texts of an input are to a head.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HeadInputs {
    /// A text, or a pair of texts.
    Text,
    /// Context, question and answer; the spans are those of the answer. The string is the first segment, with
    /// `{context}` and `{question}` in it; the answer is the second.
    Grounded(String),
}

/// What a grounded head reads in front of the answer if the package does not say.
pub const GROUNDED_PROMPT: &str = "{context}\n{question}";

impl Head {
    /// A head of `rtrun.json` over vectors of length `dimension`.
    pub fn open(weights: &Weights, settings: &HeadSettings, dimension: usize) -> Result<Self, Error> {
        let shape = [settings.labels.len(), dimension];
        let network = Transform::linear(weights, &settings.weight, settings.bias.as_deref(), shape)?;
        Ok(Self::with_settings(settings, network, dimension))
    }

    /// A head with its own network and the calibration of `settings`.
    pub fn with_settings(settings: &HeadSettings, network: Transform, width: usize) -> Self {
        let background = settings.background.as_deref();
        let scheme = (settings.kind == HeadKind::Token).then(|| Scheme::of(&settings.labels, background));
        let position = background.and_then(|name| settings.labels.iter().position(|label| label == name));
        let reduction = match (settings.kind, position) {
            (HeadKind::Sequence, Some(label)) => Reduction::LeastBackground(label),
            (HeadKind::Sequence, None) => Reduction::Mean,
            _ => Reduction::Max,
        };
        let named = scheme.as_ref().map_or(&settings.labels, |scheme| &scheme.kinds);
        let threshold = |label: &String| settings.thresholds.get(label).copied().unwrap_or(settings.threshold);
        Self {
            name: settings.name.clone(),
            kind: settings.kind,
            labels: settings.labels.clone(),
            default_threshold: settings.threshold,
            thresholds: named.iter().map(threshold).collect(),
            inputs: settings.grounded_prompt.clone().map_or(HeadInputs::Text, HeadInputs::Grounded),
            reduction,
            window: settings.window.map(|window| (window.tokens, window.overlap)),
            scheme,
            temperature: settings.temperature,
            reads: settings.reads,
            network,
            width,
        }
    }

    /// What it reads of a row's output.
    pub fn wanted(&self) -> Wanted {
        match (self.kind, self.reads) {
            (HeadKind::Token, _) => Wanted::TOKENS,
            (_, HeadReads::Mean) => Wanted::MEAN,
            (_, HeadReads::Sentence) => Wanted::SENTENCE,
        }
    }

    /// What it reads besides where neighbouring windows are rows of their own: something that stands half in one and half
    /// in the next is read as a whole between them.
    pub fn wanted_of_windows(&self) -> Wanted {
        let is_anywhere = self.kind != HeadKind::Token && self.reduction != Reduction::Mean;
        if is_anywhere && self.reads == HeadReads::Mean { Wanted::HALVES } else { Wanted::NONE }
    }

    /// The probabilities of the second half of a row with the first of the next one, where the head reads these.
    pub fn probabilities_between(&self, row: &RowOutput, next: &RowOutput) -> Result<Option<Vec<f32>>, Error> {
        let (Some([_, before]), Some([behind, _])) = (&row.halves, &next.halves) else { return Ok(None) };
        finite(self.of_vector(&mean_of_sums(before, behind))).map(Some)
    }

    /// The one vector of a row that it reads.
    fn read<'o>(&self, output: &'o RowOutput) -> Result<&'o [f32], Error> {
        let vector = if self.reads == HeadReads::Mean { &output.mean } else { &output.sentence };
        vector.as_deref().ok_or_else(unread)
    }

    /// The probabilities of a row as a whole.
    pub fn probabilities(&self, output: &RowOutput) -> Result<Vec<f32>, Error> {
        finite(self.of_vector(self.read(output)?))
    }

    /// `[tokens, labels]`: the probabilities of the tokens in a range of a row.
    pub fn token_probabilities(&self, output: &RowOutput, range: std::ops::Range<usize>) -> Result<Vec<f32>, Error> {
        let tokens = output.tokens.as_ref().ok_or_else(unread)?;
        let width = self.width;
        let tokens = &tokens[range.start * width..range.end * width];
        finite(tokens.chunks_exact(width).flat_map(|token| self.of_vector(token)).collect())
    }

    /// The one number of a head without classes, and its value between 0 and 1 at the head's temperature.
    pub fn relevance(&self, output: &RowOutput) -> Result<(f32, f32), Error> {
        let mut values = self.network.apply(self.read(output)?);
        let logit = values.first().copied().unwrap_or(f32::NAN);
        for value in &mut values {
            *value /= self.temperature;
        }
        sigmoid(&mut values);
        finite(values).map(|values| (logit, values[0]))
    }

    fn of_vector(&self, vector: &[f32]) -> Vec<f32> {
        let mut logits = self.network.apply(vector);
        for logit in &mut logits {
            *logit /= self.temperature;
        }
        match self.kind {
            HeadKind::Sequence | HeadKind::Token => softmax(&mut logits),
            HeadKind::Scores => sigmoid(&mut logits),
        }
        logits
    }
}

fn unread() -> Error {
    Error::Internal("A head lost the output that it reads; this is a bug".to_owned())
}

fn finite(values: Vec<f32>) -> Result<Vec<f32>, Error> {
    if values.iter().all(|value| value.is_finite()) {
        Ok(values)
    } else {
        Err(Error::InvalidModelOutput("The head answered with a number that is not finite".to_owned()))
    }
}

/// Makes logits probabilities that sum to 1.
pub fn softmax(logits: &mut [f32]) {
    let largest = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    for logit in logits.iter_mut() {
        *logit = (*logit - largest).exp();
    }
    let sum: f32 = logits.iter().sum();
    for logit in logits {
        *logit /= sum;
    }
}

/// Makes logits independent probabilities.
pub fn sigmoid(logits: &mut [f32]) {
    for logit in logits {
        *logit = 1.0 / (1.0 + (-*logit).exp());
    }
}
