//! Model families: what a sentence vector becomes. One file per family; [`open`] is the table.

mod classifier;
mod embeddings;
mod family;
mod head;
mod sequence_classification;
mod transform;

pub use classifier::{Classifier, Reads};
pub use embeddings::Embeddings;
pub use family::{EmbeddingCard, Family};
pub use head::{Head, Linear};
pub use sequence_classification::{CLASSIFIER, SequenceClassification};
pub use transform::{Step, Transform};

use crate::error::Error;
use crate::package::{FamilyKind, Package};

/// The family of a package, with its heads loaded. `dimension` is the length of the sentence vector.
pub fn open(package: &Package, dimension: usize) -> Result<Box<dyn Family>, Error> {
    match package.family {
        FamilyKind::Embeddings | FamilyKind::StaticEmbeddings => Ok(Box::new(Embeddings::open(package, dimension)?)),
        FamilyKind::SequenceClassification | FamilyKind::Rerank => Ok(Box::new(SequenceClassification::open(package)?)),
        FamilyKind::TokenClassification => {
            Err(package.files.invalid("config.json", "token classification is not served yet"))
        }
    }
}
