//! Opening a package: from a folder to everything that is known before the weights are used.

use std::path::Path;
use std::sync::Arc;

use super::decisions::{DecisionSettings, Decisions, LayaFiles};
use super::files::PackageFiles;
use super::golden::Golden;
use super::hub::{BertConfig, HubConfig, Pooling, SentenceSettings, StaticConfig};
use super::manifest::hash_file;
use super::settings::{HeadKind, HeadSettings, Settings};
use super::weights::Weights;
use crate::error::Error;

const WEIGHTS: &str = "model.safetensors";
const CONFIG: &str = "config.json";
const TOKENIZER: &str = "tokenizer.json";

/// What a package answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FamilyKind {
    /// A sentence vector from a transformer, and heads over it.
    Embeddings,
    /// A sentence vector from a table of token vectors.
    StaticEmbeddings,
    /// The classifier of a `BertForSequenceClassification`.
    SequenceClassification,
    /// Typed questions, one row each.
    MarkerDecisions,
    /// Typed questions, all of a state in one row.
    PackedDecisions,
}

impl FamilyKind {
    /// The word of `rtrun.json` and of the model card.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Embeddings => "embeddings",
            Self::StaticEmbeddings => "static_embeddings",
            Self::SequenceClassification => "sequence_classification",
            Self::MarkerDecisions => "marker_decisions",
            Self::PackedDecisions => "packed_decisions",
        }
    }
}

/// What computes the sentence vector.
#[derive(Debug)]
pub enum Architecture {
    /// A BERT-class transformer.
    Bert(BertConfig),
    /// A table of token vectors.
    Static(StaticConfig),
}

/// An open, checked package.
#[derive(Debug)]
pub struct Package {
    /// The name the model is served under.
    pub name: String,
    /// The folder's files.
    pub files: PackageFiles,
    /// The family.
    pub family: FamilyKind,
    /// The trunk.
    pub architecture: Architecture,
    /// The longest input of one forward, special tokens included.
    pub max_tokens: usize,
    /// How token vectors become the sentence vector.
    pub pooling: Pooling,
    /// Whether the sentence vector has length 1.
    pub normalize: bool,
    /// Heads over the sentence vector.
    pub heads: Vec<HeadSettings>,
    /// Labels and kind of a classification model's own head.
    pub classifier: Option<(Vec<String>, HeadKind)>,
    /// How typed questions are answered; of decision families only.
    pub decisions: Option<Decisions>,
    /// The licence that the package names.
    pub licence: Option<String>,
    /// Recorded answers.
    pub golden: Option<Golden>,
    /// `tokenizer.json`.
    pub tokenizer: Vec<u8>,
    /// `model.safetensors`.
    pub weights: Arc<Weights>,
    /// SHA-256 of `model.safetensors`.
    pub model_sha256: String,
}

impl Package {
    /// Opens and checks a folder. `family` overrides what the package says.
    pub fn open(name: &str, folder: &Path, family: Option<&str>) -> Result<Self, Error> {
        let files = PackageFiles::open(name, folder)?;
        let settings = Settings::open(&files)?;
        let laya = LayaFiles::open(&files)?;
        let config = HubConfig::open(&files, laya.as_ref().map_or(CONFIG, |laya| laya.config))?;
        let sentence = SentenceSettings::open(&files)?;
        let named = family.or(settings.family.as_deref()).or(laya.as_ref().map(|_| "marker_decisions"));
        let family = recognize(&files, named, &config)?;
        let architecture = if family == FamilyKind::StaticEmbeddings {
            Architecture::Static(config.static_vectors(&files)?)
        } else {
            Architecture::Bert(config.bert(&files)?)
        };
        let serves_heads = matches!(family, FamilyKind::Embeddings | FamilyKind::StaticEmbeddings);
        if !serves_heads && !settings.heads.is_empty() {
            return Err(files.invalid("rtrun.json", "heads need the family \"embeddings\" or \"static_embeddings\""));
        }
        let is_classifier = family == FamilyKind::SequenceClassification;
        let classifier = if is_classifier { Some(own_classifier(&files, &config)?) } else { None };
        let max_tokens = max_tokens(&files, &settings, &sentence, &architecture)?;
        let max_tokens = laya.as_ref().map_or(max_tokens, |laya| laya.max_tokens.min(max_tokens));
        let (pooling, normalize) = match (&architecture, is_classifier) {
            (_, true) => (Pooling::Cls, false),
            (Architecture::Bert(_), false) => (
                settings.pooling.or(sentence.pooling).unwrap_or(Pooling::Mean),
                settings.normalize.or(sentence.normalize).unwrap_or(false),
            ),
            (Architecture::Static(config), false) => {
                if settings.pooling.is_some_and(|pooling| pooling != Pooling::Mean) {
                    return Err(files.invalid("rtrun.json", "pooling must be \"mean\" for static embeddings"));
                }
                let normalize = settings.normalize.or(config.normalize).or(sentence.normalize);
                (Pooling::Mean, normalize.unwrap_or(false))
            }
        };
        let tokenizer = laya.as_ref().map_or(TOKENIZER, |laya| laya.tokenizer);
        let tokenizer = files.read(tokenizer)?.ok_or_else(|| files.invalid(tokenizer, "is missing"))?;
        let weights = Arc::new(Weights::open(&files, name, WEIGHTS)?);
        let asked = DecisionSettings::of(&files, family, settings.decisions.as_ref(), laya)?;
        let decisions = asked.map(|asked| Decisions::open(&files, name, asked, (WEIGHTS, &weights))).transpose()?;
        let model_sha256 = match files.checked_sha256(WEIGHTS) {
            Some(sha256) => sha256.to_owned(),
            None => hash_file(weights.path())
                .map_err(|error| files.invalid(WEIGHTS, format_args!("cannot be read: {error}")))?,
        };
        Ok(Self {
            name: name.to_owned(),
            golden: Golden::open(&files)?,
            family,
            architecture,
            max_tokens,
            pooling,
            normalize,
            heads: settings.heads,
            classifier,
            decisions,
            licence: settings.licence,
            tokenizer,
            weights,
            model_sha256,
            files,
        })
    }
}

fn recognize(files: &PackageFiles, named: Option<&str>, config: &HubConfig) -> Result<FamilyKind, Error> {
    let found = if config.is_static() {
        Some(FamilyKind::StaticEmbeddings)
    } else {
        config.architectures.iter().find_map(|name| match name.as_str() {
            "BertModel" | "BertForMaskedLM" | "BertForPreTraining" => Some(FamilyKind::Embeddings),
            "BertForSequenceClassification" => Some(FamilyKind::SequenceClassification),
            _ => None,
        })
    };
    let known = "BertModel, BertForSequenceClassification and StaticModel are";
    match (named, found) {
        (None, Some(found)) => Ok(found),
        (None, None) => {
            let found = &config.architectures;
            Err(files.invalid("config.json", format_args!("architectures {found:?} is not supported yet; {known}")))
        }
        (Some("static_embeddings"), _) => Ok(FamilyKind::StaticEmbeddings),
        // A transformer needs a transformer's configuration, whatever family it is asked to serve.
        (Some(_), Some(FamilyKind::StaticEmbeddings)) => {
            Err(files.invalid("config.json", "describes static embeddings; the family must be \"static_embeddings\""))
        }
        (Some(named), _) if config.model_type.as_deref().is_some_and(|kind| kind != "bert") => {
            let kind = config.model_type.as_deref().unwrap_or_default();
            Err(files.invalid(
                "config.json",
                format_args!("model_type {kind:?} is not supported yet for family {named:?}; \"bert\" is"),
            ))
        }
        (Some("sequence_classification"), _) => Ok(FamilyKind::SequenceClassification),
        (Some("marker_decisions"), _) => Ok(FamilyKind::MarkerDecisions),
        (Some("packed_decisions"), _) => Ok(FamilyKind::PackedDecisions),
        (Some(_), _) => Ok(FamilyKind::Embeddings),
    }
}

fn own_classifier(files: &PackageFiles, config: &HubConfig) -> Result<(Vec<String>, HeadKind), Error> {
    let labels = config.labels(files)?;
    match config.problem_type.as_deref() {
        None | Some("single_label_classification") if labels.len() > 1 => Ok((labels, HeadKind::Sequence)),
        Some("multi_label_classification") => Ok((labels, HeadKind::Scores)),
        None | Some("single_label_classification") => {
            Err(files.invalid("config.json", "has one label, which means regression; that is not supported yet"))
        }
        Some(other) => Err(files.invalid(
            "config.json",
            format_args!("problem_type {other:?} is not supported yet; single_label_classification and multi_label_classification are"),
        )),
    }
}

fn max_tokens(
    files: &PackageFiles,
    settings: &Settings,
    sentence: &SentenceSettings,
    architecture: &Architecture,
) -> Result<usize, Error> {
    match architecture {
        Architecture::Static(config) => Ok(settings.max_tokens.or(config.seq_length).unwrap_or(512)),
        Architecture::Bert(config) => {
            let positions = config.max_position_embeddings;
            match settings.max_tokens {
                Some(tokens) if tokens > positions => {
                    let problem = format!("max_tokens is {tokens}; the model has {positions} positions");
                    Err(files.invalid("rtrun.json", problem))
                }
                Some(tokens) => Ok(tokens),
                None => Ok(sentence.max_tokens.unwrap_or(positions).min(positions)),
            }
        }
    }
}
