//! `sequence_classification`: a classifier over one vector of a text.

use super::classifier::Classifier;
use super::family::{EmbeddingCard, Family};
use super::head::Head;
use crate::error::Error;
use crate::package::Package;

/// The name of the one head.
pub const CLASSIFIER: &str = "classifier";

/// A classification model.
#[derive(Debug)]
pub struct SequenceClassification {
    classifier: Classifier,
    heads: [Head; 1],
}

impl SequenceClassification {
    /// Loads the classifier.
    pub fn open(package: &Package) -> Result<Self, Error> {
        let classifier = Classifier::open(package)?;
        let head = Head::plain(CLASSIFIER, classifier.kind, classifier.labels.clone());
        Ok(Self { classifier, heads: [head] })
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
        head.probabilities(&self.classifier.logits(vector))
    }
}
