//! `embeddings` and `static_embeddings`: the sentence vector itself, and linear heads over it.

use std::collections::BTreeMap;

use super::family::{EmbeddingCard, Family};
use super::head::Head;
use crate::error::Error;
use crate::package::{Package, Weights};

/// A trunk whose sentence vector is served, with any number of heads.
#[derive(Debug)]
pub struct Embeddings {
    card: EmbeddingCard,
    heads: Vec<Head>,
}

impl Embeddings {
    /// Loads the heads that `rtrun.json` names.
    pub fn open(package: &Package, dimension: usize) -> Result<Self, Error> {
        let mut files: BTreeMap<&str, Weights> = BTreeMap::new();
        let mut heads = Vec::new();
        for settings in &package.heads {
            if !files.contains_key(settings.file.as_str()) {
                files.insert(&settings.file, Weights::open(&package.files, &package.name, &settings.file)?);
            }
            heads.push(Head::open(&files[settings.file.as_str()], settings, dimension)?);
        }
        let card = EmbeddingCard { dimension, normalized: package.normalize, pooling: package.pooling.as_str() };
        Ok(Self { card, heads })
    }
}

impl Family for Embeddings {
    fn embedding(&self) -> Option<&EmbeddingCard> {
        Some(&self.card)
    }

    fn heads(&self) -> &[Head] {
        &self.heads
    }

    fn classify(&self, head: &Head, vector: &[f32]) -> Vec<f32> {
        head.probabilities(vector)
    }
}
