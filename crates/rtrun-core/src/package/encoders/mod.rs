//! What `config.json` says about a transformer: one file per encoder. A value that changes the arithmetic and that no
//! graph here computes is refused by name.

mod activation;
mod bert;
mod deberta;
mod distilbert;
mod electra;
mod modernbert;
mod mpnet;
mod roberta;
mod sizes;

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::hub::Pooling;

pub use activation::Activation;
pub use bert::BertConfig;
pub use deberta::DebertaConfig;
pub use distilbert::DistilBertConfig;
pub use electra::ElectraConfig;
pub use modernbert::{ModernBertConfig, Reach};
pub use mpnet::MpnetConfig;
pub use roberta::RobertaConfig;
pub(super) use sizes::check_sizes;

/// The configuration of a transformer encoder.
#[derive(Debug, Clone)]
pub enum EncoderConfig {
    /// `BertModel`.
    Bert(BertConfig),
    /// `RobertaModel`, `XLMRobertaModel` and `CamembertModel`.
    Roberta(RobertaConfig),
    /// `DistilBertModel`.
    DistilBert(DistilBertConfig),
    /// `ElectraModel`.
    Electra(ElectraConfig),
    /// `MPNetModel`.
    Mpnet(MpnetConfig),
    /// `ModernBertModel`.
    ModernBert(ModernBertConfig),
    /// `DebertaV2Model`, which DeBERTa-v3 uses too.
    Deberta(DebertaConfig),
}

/// The encoders there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EncoderKind {
    Bert,
    Roberta,
    DistilBert,
    Electra,
    Mpnet,
    ModernBert,
    Deberta,
}

/// `model_type` and the prefix of the names in `architectures`.
const KINDS: &[(&str, &str, EncoderKind)] = &[
    ("bert", "Bert", EncoderKind::Bert),
    ("roberta", "Roberta", EncoderKind::Roberta),
    ("xlm-roberta", "XLMRoberta", EncoderKind::Roberta),
    ("camembert", "Camembert", EncoderKind::Roberta),
    ("distilbert", "DistilBert", EncoderKind::DistilBert),
    ("electra", "Electra", EncoderKind::Electra),
    ("mpnet", "MPNet", EncoderKind::Mpnet),
    ("modernbert", "ModernBert", EncoderKind::ModernBert),
    ("deberta-v2", "DebertaV2", EncoderKind::Deberta),
];

impl EncoderKind {
    /// The encoder of a `model_type`.
    pub fn of_model_type(model_type: &str) -> Option<Self> {
        KINDS.iter().find(|(name, ..)| *name == model_type).map(|(.., kind)| *kind)
    }

    /// The encoder of a class name without the part that names its task: `Bert` of `BertForMaskedLM`.
    pub fn of_class(class: &str) -> Option<Self> {
        KINDS.iter().find(|(_, name, _)| *name == class).map(|(.., kind)| *kind)
    }

    /// Every `model_type` that is supported, for messages.
    pub fn model_types() -> String {
        KINDS.iter().map(|(name, ..)| *name).collect::<Vec<_>>().join(", ")
    }
}

impl EncoderConfig {
    /// Reads and checks the configuration. The error says which value is wrong and what would be right.
    pub fn read(kind: EncoderKind, config: &Map<String, Value>) -> Result<Self, String> {
        Ok(match kind {
            EncoderKind::Bert => Self::Bert(checked(config, BertConfig::check)?),
            EncoderKind::Roberta => Self::Roberta(checked(config, RobertaConfig::check)?),
            EncoderKind::DistilBert => Self::DistilBert(checked(config, DistilBertConfig::check)?),
            EncoderKind::Electra => Self::Electra(checked(config, ElectraConfig::check)?),
            EncoderKind::Mpnet => Self::Mpnet(checked(config, MpnetConfig::check)?),
            EncoderKind::ModernBert => Self::ModernBert(checked(config, ModernBertConfig::check)?),
            EncoderKind::Deberta => Self::Deberta(checked(config, DebertaConfig::check)?),
        })
    }

    /// Width of a token vector.
    pub fn hidden_size(&self) -> usize {
        match self {
            Self::Bert(config) => config.hidden_size,
            Self::Roberta(config) => config.hidden_size,
            Self::DistilBert(config) => config.dim,
            Self::Electra(config) => config.bert.hidden_size,
            Self::Mpnet(config) => config.hidden_size,
            Self::ModernBert(config) => config.hidden_size,
            Self::Deberta(config) => config.hidden_size,
        }
    }

    /// Whether heads may have layers of their own, which are BERT's.
    pub fn gives_heads_layers(&self) -> bool {
        matches!(self, Self::Bert(_) | Self::Electra(_))
    }

    /// Number of layers.
    pub fn layers(&self) -> usize {
        match self {
            Self::Bert(config) => config.num_hidden_layers,
            Self::Roberta(config) => config.num_hidden_layers,
            Self::DistilBert(config) => config.n_layers,
            Self::Electra(config) => config.bert.num_hidden_layers,
            Self::Mpnet(config) => config.num_hidden_layers,
            Self::ModernBert(config) => config.num_hidden_layers,
            Self::Deberta(config) => config.num_hidden_layers,
        }
    }

    /// Rows of the word table: one more than the largest token id.
    pub fn vocabulary(&self) -> usize {
        match self {
            Self::Bert(config) => config.vocab_size,
            Self::Roberta(config) => config.vocab_size,
            Self::DistilBert(config) => config.vocab_size,
            Self::Electra(config) => config.bert.vocab_size,
            Self::Mpnet(config) => config.vocab_size,
            Self::ModernBert(config) => config.vocab_size,
            Self::Deberta(config) => config.vocab_size,
        }
    }

    /// Which vector a classifier over whole rows reads.
    pub fn classifier_pooling(&self) -> Pooling {
        match self {
            Self::ModernBert(config) => config.classifier_pooling,
            _ => Pooling::Cls,
        }
    }

    /// The longest input in tokens, special tokens included.
    pub fn positions(&self) -> usize {
        match self {
            Self::Bert(config) => config.max_position_embeddings,
            Self::Roberta(config) => config.max_position_embeddings - config.first_position(),
            Self::DistilBert(config) => config.max_position_embeddings,
            Self::Electra(config) => config.bert.max_position_embeddings,
            Self::Mpnet(config) => config.max_position_embeddings - mpnet::FIRST_POSITION,
            Self::ModernBert(config) => config.max_position_embeddings,
            Self::Deberta(config) => config.max_position_embeddings,
        }
    }
}

fn checked<T: DeserializeOwned>(
    config: &Map<String, Value>,
    check: impl FnOnce(&T) -> Result<(), String>,
) -> Result<T, String> {
    let read: T = serde_json::from_value(Value::Object(config.clone())).map_err(|error| error.to_string())?;
    check(&read)?;
    Ok(read)
}
