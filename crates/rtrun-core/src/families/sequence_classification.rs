//! `sequence_classification`: the pooler and classifier of `BertForSequenceClassification` over the first token.

use super::family::{EmbeddingCard, Family};
use super::head::{Head, Linear};
use crate::error::Error;
use crate::package::Package;

/// The name of the one head.
pub const CLASSIFIER: &str = "classifier";

/// A classification model.
#[derive(Debug)]
pub struct SequenceClassification {
    pooler: Linear,
    heads: [Head; 1],
}

impl SequenceClassification {
    /// Loads pooler and classifier.
    pub fn open(package: &Package, dimension: usize) -> Result<Self, Error> {
        let weights = &package.weights;
        let prefix = if weights.has("bert.pooler.dense.weight") { "bert." } else { "" };
        let pooler = Linear::open(
            weights,
            &format!("{prefix}pooler.dense.weight"),
            Some(&format!("{prefix}pooler.dense.bias")),
            [dimension, dimension],
        )?;
        let Some((labels, kind)) = package.classifier.clone() else {
            return Err(Error::Internal("A classification package has no labels; this is a bug".to_owned()));
        };
        let shape = [labels.len(), dimension];
        let linear = Linear::open(weights, "classifier.weight", Some("classifier.bias"), shape)?;
        Ok(Self { pooler, heads: [Head::plain(CLASSIFIER, kind, labels, linear)] })
    }
}

impl Family for SequenceClassification {
    fn embedding(&self) -> Option<&EmbeddingCard> {
        None
    }

    fn heads(&self) -> &[Head] {
        &self.heads
    }

    fn classify(&self, head: &Head, vector: &[f32]) -> Vec<f32> {
        let mut pooled = self.pooler.apply(vector);
        for value in &mut pooled {
            *value = value.tanh();
        }
        head.probabilities(&pooled)
    }
}
