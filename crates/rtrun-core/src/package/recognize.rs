//! What a package serves and what computes it, from `config.json` and from what `rtrun.json` or the caller named.

use std::str::FromStr;

use super::adapter::{ADAPTER_CONFIG, AdapterConfig};
use super::encoders::EncoderKind;
use super::files::PackageFiles;
use super::hub::HubConfig;
use super::settings::HeadKind;
use crate::error::Error;
use crate::named::named;

/// What a package answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FamilyKind {
    /// A sentence vector from a transformer, and heads over it.
    Embeddings,
    /// A sentence vector from a table of token vectors.
    StaticEmbeddings,
    /// The classifier of a `*ForSequenceClassification` with several labels.
    SequenceClassification,
    /// The classifier of a `*ForSequenceClassification` with one label: how well two texts fit.
    Rerank,
    /// The classifier of a `*ForTokenClassification`.
    TokenClassification,
    /// Typed questions, one row each.
    MarkerDecisions,
    /// Typed questions, all of a state in one row.
    PackedDecisions,
    /// The same as token classification, over an answer that is read behind its context and question.
    GroundedHallucination,
    /// Vectors of texts and images in one space, from two transformers.
    ImageEmbeddings,
}

impl FamilyKind {
    /// Every family, in the order in which messages name them.
    pub const ALL: [Self; 9] = [
        Self::Embeddings,
        Self::StaticEmbeddings,
        Self::SequenceClassification,
        Self::Rerank,
        Self::TokenClassification,
        Self::GroundedHallucination,
        Self::MarkerDecisions,
        Self::PackedDecisions,
        Self::ImageEmbeddings,
    ];

    /// The word of `rtrun.json` and of the model card.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Embeddings => "embeddings",
            Self::StaticEmbeddings => "static_embeddings",
            Self::SequenceClassification => "sequence_classification",
            Self::Rerank => "rerank",
            Self::TokenClassification => "token_classification",
            Self::MarkerDecisions => "marker_decisions",
            Self::PackedDecisions => "packed_decisions",
            Self::GroundedHallucination => "grounded_hallucination",
            Self::ImageEmbeddings => "image_embeddings",
        }
    }

    /// Whether every token gets a label.
    pub fn labels_tokens(self) -> bool {
        matches!(self, Self::TokenClassification | Self::GroundedHallucination)
    }

    /// Whether `rtrun.json` may add heads over the sentence vector.
    pub fn takes_heads(self) -> bool {
        matches!(self, Self::Embeddings | Self::StaticEmbeddings)
    }

    /// Whether the package brings a classifier of its own.
    pub fn is_classifier(self) -> bool {
        matches!(self, Self::SequenceClassification | Self::Rerank) || self.labels_tokens()
    }
}

impl FromStr for FamilyKind {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        named(Self::ALL, Self::as_str, name)
    }
}

/// The endings of class names and what such a class is loaded for.
const TASKS: &[(&str, FamilyKind)] = &[
    ("ForSequenceClassification", FamilyKind::SequenceClassification),
    ("ForTokenClassification", FamilyKind::TokenClassification),
    ("ForMaskedLM", FamilyKind::Embeddings),
    ("ForPreTraining", FamilyKind::Embeddings),
    ("Model", FamilyKind::Embeddings),
];

/// The family of a package. `named` wins over what the files say where both are possible.
pub fn family(files: &PackageFiles, named: Option<FamilyKind>, config: &HubConfig) -> Result<FamilyKind, Error> {
    if config.towers(files)?.is_some() {
        return match named {
            None | Some(FamilyKind::ImageEmbeddings) => Ok(FamilyKind::ImageEmbeddings),
            Some(_) => Err(files.invalid(
                "config.json",
                "describes embeddings of texts and images; the family must be \"image_embeddings\"",
            )),
        };
    }
    if named == Some(FamilyKind::ImageEmbeddings) {
        return Err(files.invalid(
            "config.json",
            "describes no embeddings of images; the family \"image_embeddings\" needs a CLIPModel or a SiglipModel",
        ));
    }
    let found = if config.is_static() { Some(FamilyKind::StaticEmbeddings) } else { task(files, config)? };
    match named.or(found) {
        // A transformer needs a transformer's configuration, whatever family it is asked to serve.
        Some(wanted) if found == Some(FamilyKind::StaticEmbeddings) && wanted != FamilyKind::StaticEmbeddings => {
            Err(files.invalid("config.json", "describes static embeddings; the family must be \"static_embeddings\""))
        }
        Some(FamilyKind::SequenceClassification | FamilyKind::Rerank) => one_label(files, config),
        Some(family) => Ok(family),
        // An encoder whose files name no class serves its vectors.
        None => Ok(FamilyKind::Embeddings),
    }
}

/// The family that an adapter was trained for, if it says one.
pub fn adapted_family(files: &PackageFiles, adapter: &AdapterConfig) -> Result<Option<FamilyKind>, Error> {
    match adapter.task_type.as_deref() {
        None => Ok(None),
        Some("SEQ_CLS") => Ok(Some(FamilyKind::SequenceClassification)),
        Some("TOKEN_CLS") => Ok(Some(FamilyKind::TokenClassification)),
        Some("FEATURE_EXTRACTION") => Ok(Some(FamilyKind::Embeddings)),
        Some(other) => {
            let problem = format!(
                "task_type {other:?} is not supported; SEQ_CLS, TOKEN_CLS and FEATURE_EXTRACTION are, and none at all"
            );
            Err(files.invalid(ADAPTER_CONFIG, problem))
        }
    }
}

/// The encoder of a transformer package.
pub fn encoder(files: &PackageFiles, config: &HubConfig) -> Result<EncoderKind, Error> {
    let by_class =
        config.architectures.iter().find_map(|name| split(name)).and_then(|(class, _)| EncoderKind::of_class(class));
    let Some(model_type) = config.model_type.as_deref() else {
        return by_class.ok_or_else(|| {
            files.invalid(
                "config.json",
                format_args!("model_type is missing; use one of {}", EncoderKind::model_types()),
            )
        });
    };
    let known = EncoderKind::model_types();
    let kind = EncoderKind::of_model_type(model_type).ok_or_else(|| {
        let classes = &config.architectures;
        let problem =
            format!("model_type {model_type:?} with architectures {classes:?} is not supported yet; {known} are");
        files.invalid("config.json", problem)
    })?;
    // A class of another encoder, or of code that the repository brings itself, computes something else.
    if by_class != Some(kind) && !config.architectures.is_empty() {
        let classes = &config.architectures;
        let problem = format!(
            "architectures {classes:?} does not belong to model_type {model_type:?}, so it is not supported yet"
        );
        return Err(files.invalid("config.json", problem));
    }
    Ok(kind)
}

/// The labels of a classification model and what their probabilities mean.
pub fn classifier(
    files: &PackageFiles,
    config: &HubConfig,
    family: FamilyKind,
) -> Result<(Vec<String>, HeadKind), Error> {
    let labels = config.labels(files)?;
    if family.labels_tokens() {
        return Ok((labels, HeadKind::Token));
    }
    match config.problem_type.as_deref() {
        // One score stands alone, so it is never a share of others.
        None | Some("single_label_classification" | "regression") if labels.len() == 1 => {
            Ok((labels, HeadKind::Scores))
        }
        None | Some("single_label_classification") => Ok((labels, HeadKind::Sequence)),
        Some("multi_label_classification") => Ok((labels, HeadKind::Scores)),
        Some(other) => {
            let count = labels.len();
            let known = "single_label_classification, multi_label_classification and, with one label, regression are";
            let problem = format!("problem_type {other:?} with {count} labels is not supported yet; {known}");
            Err(files.invalid("config.json", problem))
        }
    }
}

fn task(files: &PackageFiles, config: &HubConfig) -> Result<Option<FamilyKind>, Error> {
    if config.architectures.is_empty() {
        return Ok(None);
    }
    let found = config.architectures.iter().find_map(|name| split(name)).map(|(_, family)| family);
    found.map(Some).ok_or_else(|| {
        let (classes, endings) = (&config.architectures, TASKS.iter().map(|(ending, _)| *ending).collect::<Vec<_>>());
        let known = format!("classes that end in {} are", endings.join(", "));
        files.invalid("config.json", format_args!("architectures {classes:?} is not supported yet; {known}"))
    })
}

/// `BertForMaskedLM` as the class `Bert` and what it is loaded for.
fn split(name: &str) -> Option<(&str, FamilyKind)> {
    TASKS.iter().find_map(|(ending, family)| Some((name.strip_suffix(ending)?, *family)))
}

/// Tells a ranking model from a classifier.
fn one_label(files: &PackageFiles, config: &HubConfig) -> Result<FamilyKind, Error> {
    let is_multi_label = config.problem_type.as_deref() == Some("multi_label_classification");
    let is_one = config.labels(files)?.len() == 1 && !is_multi_label;
    Ok(if is_one { FamilyKind::Rerank } else { FamilyKind::SequenceClassification })
}
