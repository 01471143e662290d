//! Linear heads: one small matrix product over the sentence vector, computed row by row, so that an answer cannot
//! depend on what it was batched with.

use crate::error::Error;
use crate::package::{HeadKind, HeadSettings, Weights};

/// `weight × input + bias`.
#[derive(Debug, Clone)]
pub struct Linear {
    weight: Vec<f32>,
    bias: Vec<f32>,
    inputs: usize,
}

/// A head and its labels.
#[derive(Debug, Clone)]
pub struct Head {
    /// The name that requests use.
    pub name: String,
    /// What its probabilities mean.
    pub kind: HeadKind,
    /// The labels, in the order of the probabilities.
    pub labels: Vec<String>,
    /// The probability from which a label counts as selected.
    pub threshold: f32,
    temperature: f32,
    /// `None` where the family computes the logits.
    linear: Option<Linear>,
}

impl Linear {
    /// Reads a `[outputs, inputs]` weight and its bias.
    pub fn open(weights: &Weights, weight: &str, bias: Option<&str>, shape: [usize; 2]) -> Result<Self, Error> {
        let [outputs, inputs] = shape;
        let bias = match bias {
            Some(bias) => weights.read_f32(bias, &[outputs])?,
            None => vec![0.0; outputs],
        };
        Ok(Self { weight: weights.read_f32(weight, &shape)?, bias, inputs })
    }

    /// One value per output.
    pub fn apply(&self, input: &[f32]) -> Vec<f32> {
        self.weight.chunks_exact(self.inputs).zip(&self.bias).map(|(row, bias)| dot(row, input) + bias).collect()
    }
}

impl Head {
    /// A head of `rtrun.json` over a sentence vector of length `dimension`.
    pub fn open(weights: &Weights, settings: &HeadSettings, dimension: usize) -> Result<Self, Error> {
        let shape = [settings.labels.len(), dimension];
        Ok(Self {
            name: settings.name.clone(),
            kind: settings.kind,
            labels: settings.labels.clone(),
            threshold: settings.threshold,
            temperature: settings.temperature,
            linear: Some(Linear::open(weights, &settings.weight, settings.bias.as_deref(), shape)?),
        })
    }

    /// A head over logits, without calibration.
    pub fn plain(name: &str, kind: HeadKind, labels: Vec<String>) -> Self {
        Self { name: name.to_owned(), kind, labels, threshold: 0.5, temperature: 1.0, linear: None }
    }

    /// The probabilities over an input vector, or over logits where the head has no matrix.
    pub fn probabilities(&self, input: &[f32]) -> Vec<f32> {
        let mut logits = self.linear.as_ref().map_or_else(|| input.to_vec(), |linear| linear.apply(input));
        for logit in &mut logits {
            *logit /= self.temperature;
        }
        match self.kind {
            HeadKind::Sequence => softmax(&mut logits),
            HeadKind::Scores => sigmoid(&mut logits),
        }
        logits
    }
}

fn softmax(logits: &mut [f32]) {
    let largest = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    for logit in logits.iter_mut() {
        *logit = (*logit - largest).exp();
    }
    let sum: f32 = logits.iter().sum();
    for logit in logits {
        *logit /= sum;
    }
}

fn sigmoid(logits: &mut [f32]) {
    for logit in logits {
        *logit = 1.0 / (1.0 + (-*logit).exp());
    }
}

/// Partial sums in a fixed order: wide enough for vector units, the same on every machine.
fn dot(one: &[f32], other: &[f32]) -> f32 {
    const LANES: usize = 16;
    let mut sums = [0.0_f32; LANES];
    let (one, one_rest) = one.as_chunks::<LANES>();
    let (other, other_rest) = other.as_chunks::<LANES>();
    for (one, other) in one.iter().zip(other) {
        for lane in 0..LANES {
            sums[lane] += one[lane] * other[lane];
        }
    }
    let rest: f32 = one_rest.iter().zip(other_rest).map(|(one, other)| one * other).sum();
    sums.iter().sum::<f32>() + rest
}
