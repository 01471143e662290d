//! The files that hub repositories come with: `config.json` and the sentence-transformers settings.

use serde::Deserialize;
use serde_json::{Map, Value};

use super::encoders::{EncoderConfig, EncoderKind};
use super::files::PackageFiles;
use super::towers::{TowersConfig, TowersKind};
use crate::error::Error;

/// The file with sentence-transformers' input length; older repositories name it after their encoder.
const SENTENCE_FILES: &[&str] = &[
    "sentence_bert_config.json",
    "sentence_roberta_config.json",
    "sentence_distilbert_config.json",
    "sentence_camembert_config.json",
    "sentence_xlm-roberta_config.json",
];

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

    /// The configuration of the encoder.
    pub fn encoder(&self, package: &PackageFiles, kind: EncoderKind) -> Result<EncoderConfig, Error> {
        EncoderConfig::read(kind, &self.rest).map_err(|problem| package.invalid("config.json", problem))
    }

    /// The model with an encoder for texts and one for images, if it is one.
    pub fn towers(&self, package: &PackageFiles) -> Result<Option<TowersKind>, Error> {
        TowersKind::of(self.model_type.as_deref(), &self.architectures)
            .map_err(|problem| package.invalid("config.json", problem))
    }

    /// The configuration of such a model.
    pub fn towers_config(&self, package: &PackageFiles, kind: TowersKind) -> Result<TowersConfig, Error> {
        TowersConfig::read(kind, &self.rest).map_err(|problem| package.invalid("config.json", problem))
    }

    /// A size under the first of several names that the file has.
    pub fn size(&self, names: &[&str]) -> Option<usize> {
        let size = |name: &&str| self.rest.get(*name).and_then(Value::as_u64).and_then(|size| size.try_into().ok());
        names.iter().find_map(size)
    }

    /// The lengths that the author trained vectors to be cut to.
    pub fn matryoshka_dimensions(&self, package: &PackageFiles) -> Result<Vec<usize>, Error> {
        match self.rest.get("matryoshka_dimensions") {
            None | Some(Value::Null) => Ok(Vec::new()),
            Some(lengths) => serde_json::from_value(lengths.clone())
                .map_err(|error| package.invalid("config.json", format_args!("matryoshka_dimensions: {error}"))),
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
        let sentence =
            SENTENCE_FILES.iter().find_map(|file| package.read_json::<Sentence>(file).transpose()).transpose()?;
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
    if config.get("include_prompt").and_then(Value::as_bool) == Some(false) {
        return Err(package.invalid(&file, "include_prompt is false, which is not supported yet; it must be true"));
    }
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
