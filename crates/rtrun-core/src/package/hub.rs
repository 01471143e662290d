//! The files that hub repositories come with: `config.json` and the sentence-transformers settings.

use serde::Deserialize;
use serde_json::{Map, Value};

use super::files::PackageFiles;
use crate::error::Error;

/// How token vectors become the sentence vector.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Pooling {
    /// The mean over all tokens.
    Mean,
    /// The first token.
    Cls,
    /// The last token.
    Last,
}

impl Pooling {
    /// The word of the model card.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Mean => "mean",
            Self::Cls => "cls",
            Self::Last => "last",
        }
    }
}

/// The part of `config.json` that tells what a package is.
#[derive(Debug, Deserialize)]
pub struct HubConfig {
    #[serde(default)]
    pub architectures: Vec<String>,
    #[serde(default)]
    pub model_type: Option<String>,
    #[serde(default)]
    pub problem_type: Option<String>,
    #[serde(default)]
    id2label: Option<Map<String, Value>>,
    #[serde(flatten)]
    rest: Map<String, Value>,
}

/// Sizes of a BERT-class trunk.
#[derive(Debug, Clone, Deserialize)]
pub struct BertConfig {
    /// Width of a token vector.
    pub hidden_size: usize,
    /// Number of layers.
    pub num_hidden_layers: usize,
    /// Attention heads of a layer.
    pub num_attention_heads: usize,
    /// Width between the two feed-forward products.
    pub intermediate_size: usize,
    /// Rows of the word table.
    pub vocab_size: usize,
    /// Rows of the position table: the longest input.
    pub max_position_embeddings: usize,
    /// Rows of the segment table.
    #[serde(default = "two")]
    pub type_vocab_size: usize,
    /// Added to the variance in every layer normalization.
    #[serde(default = "bert_epsilon")]
    pub layer_norm_eps: f32,
    #[serde(default = "gelu")]
    hidden_act: String,
    #[serde(default)]
    position_embedding_type: Option<String>,
    #[serde(default)]
    is_decoder: bool,
}

/// Settings of a static package.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct StaticConfig {
    /// Longest input in tokens.
    pub seq_length: Option<usize>,
    /// Whether the sentence vector has length 1.
    pub normalize: Option<bool>,
}

/// What the sentence-transformers files say; all absent in a plain repository.
#[derive(Debug, Default)]
pub struct SentenceSettings {
    pub max_tokens: Option<usize>,
    pub pooling: Option<Pooling>,
    pub normalize: Option<bool>,
}

impl HubConfig {
    pub fn open(package: &PackageFiles, file: &str) -> Result<Self, Error> {
        package.read_json(file)?.ok_or_else(|| package.invalid(file, "is missing"))
    }

    /// Whether the package holds token vectors instead of a network.
    pub fn is_static(&self) -> bool {
        self.model_type.as_deref() == Some("model2vec") || self.architectures.iter().any(|name| name == "StaticModel")
    }

    pub fn bert(&self, package: &PackageFiles) -> Result<BertConfig, Error> {
        let config: BertConfig = serde_json::from_value(Value::Object(self.rest.clone()))
            .map_err(|error| package.invalid("config.json", error))?;
        match config.problem() {
            None => Ok(config),
            Some(problem) => Err(package.invalid("config.json", problem)),
        }
    }

    pub fn static_vectors(&self, package: &PackageFiles) -> Result<StaticConfig, Error> {
        serde_json::from_value(Value::Object(self.rest.clone())).map_err(|error| package.invalid("config.json", error))
    }

    /// The labels of a classification model in order.
    pub fn labels(&self, package: &PackageFiles) -> Result<Vec<String>, Error> {
        let Some(map) = &self.id2label else {
            return Err(package.invalid("config.json", "id2label is missing; it must name every label"));
        };
        (0..map.len())
            .map(|index| map.get(&index.to_string()).and_then(Value::as_str).map(str::to_owned))
            .collect::<Option<Vec<_>>>()
            .filter(|labels| !labels.is_empty())
            .ok_or_else(|| package.invalid("config.json", "id2label must map \"0\", \"1\", … to label names"))
    }
}

impl BertConfig {
    fn problem(&self) -> Option<String> {
        if self.hidden_act != "gelu" {
            return Some(format!("hidden_act {:?} is not supported yet; only \"gelu\" is", self.hidden_act));
        }
        if let Some(kind) = self.position_embedding_type.as_deref().filter(|kind| *kind != "absolute") {
            return Some(format!("position_embedding_type {kind:?} is not supported yet; only \"absolute\" is"));
        }
        if self.is_decoder {
            return Some("is_decoder is true; only encoders are supported".to_owned());
        }
        let sizes = [self.hidden_size, self.num_hidden_layers, self.num_attention_heads, self.intermediate_size];
        if sizes.contains(&0) || self.vocab_size == 0 || self.max_position_embeddings == 0 || self.type_vocab_size == 0
        {
            return Some("a size is 0".to_owned());
        }
        if !self.hidden_size.is_multiple_of(self.num_attention_heads) {
            let (hidden, heads) = (self.hidden_size, self.num_attention_heads);
            return Some(format!("hidden_size {hidden} is not a multiple of num_attention_heads {heads}"));
        }
        None
    }
}

impl SentenceSettings {
    pub fn open(package: &PackageFiles) -> Result<Self, Error> {
        #[derive(Deserialize)]
        struct Module {
            path: String,
            #[serde(rename = "type")]
            kind: String,
        }
        #[derive(Deserialize)]
        struct Sentence {
            max_seq_length: Option<usize>,
        }
        let sentence: Option<Sentence> = package.read_json("sentence_bert_config.json")?;
        let modules: Option<Vec<Module>> = package.read_json("modules.json")?;
        let mut settings = Self { max_tokens: sentence.and_then(|file| file.max_seq_length), ..Self::default() };
        let Some(modules) = modules else {
            settings.pooling = pooling(package, "1_Pooling")?;
            return Ok(settings);
        };
        settings.normalize = Some(false);
        for module in modules {
            match module.kind.rsplit('.').next().unwrap_or_default() {
                "Transformer" | "StaticEmbedding" => {}
                "Pooling" => settings.pooling = pooling(package, &module.path)?,
                "Normalize" => settings.normalize = Some(true),
                other => {
                    let problem =
                        format!("module {other:?} is not supported yet; Transformer, Pooling and Normalize are");
                    return Err(package.invalid("modules.json", problem));
                }
            }
        }
        Ok(settings)
    }
}

/// The one pooling mode that is switched on in `<folder>/config.json`.
fn pooling(package: &PackageFiles, folder: &str) -> Result<Option<Pooling>, Error> {
    let file = format!("{}/config.json", folder.trim_end_matches('/'));
    let Some(config) = package.read_json::<Map<String, Value>>(&file)? else { return Ok(None) };
    let modes: Vec<&str> = config
        .iter()
        .filter(|(key, value)| key.starts_with("pooling_mode_") && value.as_bool() == Some(true))
        .map(|(key, _)| key.as_str())
        .collect();
    match modes.as_slice() {
        ["pooling_mode_mean_tokens"] => Ok(Some(Pooling::Mean)),
        ["pooling_mode_cls_token"] => Ok(Some(Pooling::Cls)),
        ["pooling_mode_lasttoken"] => Ok(Some(Pooling::Last)),
        [] => match config.get("pooling_mode").and_then(Value::as_str) {
            Some("mean") => Ok(Some(Pooling::Mean)),
            Some("cls") => Ok(Some(Pooling::Cls)),
            Some("lasttoken") => Ok(Some(Pooling::Last)),
            _ => Err(package.invalid(&file, "names no supported pooling mode; mean, cls and lasttoken are")),
        },
        modes => Err(package
            .invalid(&file, format_args!("pooling {modes:?} is not supported yet; use mean, cls or lasttoken alone"))),
    }
}

fn two() -> usize {
    2
}

fn bert_epsilon() -> f32 {
    1e-12
}

fn gelu() -> String {
    "gelu".to_owned()
}
