//! What a model serves, by the surfaces of the contract.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::classifier::Classifier;
use super::decisions::{MarkerDecisions, PackedDecisions};
use super::head::Head;
use super::layout::DecisionLayout;
use crate::error::Error;
use crate::package::{
    Architecture, DecisionSettings, FamilyKind, HeadReads, HeadSettings, Package, RowPadding, VectorForms, Weights,
};
use crate::tokens::TextReader;

/// Everything that can be asked of one model. All of it reads the same encoder, so that all of it together costs one
/// forward.
#[derive(Default)]
pub struct Surfaces {
    /// The vectors it serves.
    pub embedding: Option<EmbeddingCard>,
    /// The heads it classifies with.
    pub heads: Vec<Arc<Head>>,
    /// The head that scores a document against a query.
    pub rerank: Option<Arc<Head>>,
    /// How it answers typed questions.
    pub decisions: Option<Arc<dyn DecisionLayout>>,
}

/// What a model's vectors are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmbeddingCard {
    /// Length of a whole vector.
    pub dimension: usize,
    /// The lengths that a vector may be cut to, the whole one among them.
    pub dimensions: Vec<usize>,
    /// Whether vectors have length 1.
    pub normalized: bool,
    /// How token vectors become the sentence vector.
    pub pooling: &'static str,
    /// The layers that a row may leave by; those before the last one in the order of the exits from 1 on.
    pub layers: Vec<usize>,
    /// Layers of the whole encoder; 0 where it has none to leave by.
    pub depth: usize,
    /// What is put in front of a text, by the kind of input.
    pub prompts: BTreeMap<String, String>,
    /// What is put in front of a text of no named kind.
    pub default_prompt: String,
    /// The padding that the model knows its texts with.
    pub padding: Option<RowPadding>,
}

/// The name of the head of a plain classification repository.
pub const CLASSIFIER: &str = "classifier";

impl Surfaces {
    /// What a package serves, with its heads loaded. `dimension` is the width of the encoder.
    pub fn open(package: &Package, reader: &TextReader, dimension: usize) -> Result<Self, Error> {
        match package.family {
            FamilyKind::MarkerDecisions | FamilyKind::PackedDecisions => {
                Ok(Self { decisions: decisions(package, reader, dimension)?, ..Self::default() })
            }
            FamilyKind::Embeddings | FamilyKind::StaticEmbeddings => Ok(Self {
                embedding: Some(embedding_card(package, dimension)?),
                heads: heads(package, dimension)?,
                ..Self::default()
            }),
            FamilyKind::ImageEmbeddings => {
                Ok(Self { embedding: Some(embedding_card(package, dimension)?), ..Self::default() })
            }
            FamilyKind::SequenceClassification
            | FamilyKind::TokenClassification
            | FamilyKind::GroundedHallucination => {
                Ok(Self { heads: vec![Arc::new(classifier(package, dimension)?)], ..Self::default() })
            }
            FamilyKind::Rerank => {
                let head = Arc::new(classifier(package, dimension)?);
                Ok(Self { heads: vec![Arc::clone(&head)], rerank: Some(head), ..Self::default() })
            }
        }
    }
}

fn embedding_card(package: &Package, dimension: usize) -> Result<EmbeddingCard, Error> {
    let VectorForms { dimensions, layers, prompts, default_prompt } = package.vectors.clone();
    if let Some(longer) = dimensions.first().filter(|longest| **longest > dimension) {
        let problem = format!("dimensions has {longer}; a vector has {dimension} numbers");
        return Err(package.files.invalid("rtrun.json", problem));
    }
    let whole = Some(dimension).filter(|whole| !dimensions.contains(whole));
    let (depth, padding) = match &package.architecture {
        Architecture::Transformer(encoder) => (encoder.layers(), None),
        Architecture::Towers(towers) => (0, towers.padding),
        Architecture::Static(_) | Architecture::ShippedOnnx(_) => (0, None),
    };
    Ok(EmbeddingCard {
        dimension,
        dimensions: whole.into_iter().chain(dimensions).collect(),
        normalized: package.normalize,
        pooling: package.pooling.as_str(),
        layers,
        depth,
        prompts,
        default_prompt,
        padding,
    })
}

fn decisions(
    package: &Package,
    reader: &TextReader,
    dimension: usize,
) -> Result<Option<Arc<dyn DecisionLayout>>, Error> {
    let Some(decisions) = &package.decisions else { return Ok(None) };
    let (weights, encoder) = (&decisions.weights, (reader, dimension));
    Ok(Some(match &decisions.settings {
        DecisionSettings::Marker(settings) => Arc::new(MarkerDecisions::open(settings, package, weights, encoder)?),
        DecisionSettings::Packed(settings) => Arc::new(PackedDecisions::open(settings, package, weights, encoder)?),
    }))
}

/// The heads that `rtrun.json` names.
fn heads(package: &Package, dimension: usize) -> Result<Vec<Arc<Head>>, Error> {
    let mut files: BTreeMap<&str, Weights> = BTreeMap::new();
    let mut heads = Vec::new();
    for settings in &package.heads {
        if !files.contains_key(settings.file.as_str()) {
            files.insert(&settings.file, Weights::open(&package.files, &package.name, &settings.file)?);
        }
        let means = if settings.reads == HeadReads::Mean { package.heads_mean_layers.len() } else { 0 };
        let width = dimension * (1 + means);
        heads.push(Arc::new(Head::open(&files[settings.file.as_str()], settings, width)?));
    }
    Ok(heads)
}

/// The classifier that the repository brings, with the calibration that `rtrun.json` adds.
fn classifier(package: &Package, dimension: usize) -> Result<Head, Error> {
    let Classifier { labels, kind, network, .. } = Classifier::open(package)?;
    let settings = HeadSettings::of_classifier(CLASSIFIER, kind, labels, &package.classifier_settings);
    Ok(Head::with_settings(&settings, network, dimension))
}
