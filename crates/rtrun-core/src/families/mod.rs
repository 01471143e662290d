//! Model families: what a sentence vector becomes. One file per family; [`open`] is the table.

mod embeddings;
mod family;
mod head;
mod sequence_classification;

pub use embeddings::Embeddings;
pub use family::{EmbeddingCard, Family};
pub use head::{Head, Linear};
pub use sequence_classification::{CLASSIFIER, SequenceClassification};

use crate::error::Error;
use crate::package::{FamilyKind, Package};

/// The family of a package, with its heads loaded. `dimension` is the length of the sentence vector.
pub fn open(package: &Package, dimension: usize) -> Result<Box<dyn Family>, Error> {
    match package.family {
        FamilyKind::Embeddings | FamilyKind::StaticEmbeddings => Ok(Box::new(Embeddings::open(package, dimension)?)),
        FamilyKind::SequenceClassification => Ok(Box::new(SequenceClassification::open(package, dimension)?)),
    }
}
