//! Opening a package: from a folder to everything that is known before the weights are used.

use std::path::Path;
use std::sync::Arc;

use serde::Deserialize;

use super::files::PackageFiles;
use super::golden::Golden;
use super::hub::{HubConfig, Pooling, SentenceSettings, StaticConfig};
use super::manifest::hash_file;
use super::recognize::{self, FamilyKind};
use super::settings::{ClassifierSettings, HeadKind, HeadSettings, Settings};
use super::shipped::ShippedGraph;
use super::towers::{RowPadding, TowersConfig, TowersKind, padding_id, read_preprocessing};
use super::trunks::TrunkConfig;
use super::weights::Weights;
use crate::error::Error;
use crate::families::{CLASSIFIER, GROUNDED_PROMPT};
use crate::media::Preprocessing;

const WEIGHTS: &str = "model.safetensors";

/// What computes the vectors.
#[derive(Debug)]
pub enum Architecture {
    /// A transformer whose graph is generated over the author's weights.
    Transformer(Box<TrunkConfig>),
    /// A table of token vectors.
    Static(StaticConfig),
    /// A graph that the repository ships.
    ShippedOnnx(ShippedGraph),
    /// Two transformers, one of which reads images.
    Towers(Box<Towers>),
}

/// What computes vectors of texts and images.
#[derive(Debug)]
pub struct Towers {
    /// The two transformers.
    pub config: TowersConfig,
    /// How images become what the second one reads.
    pub preprocessing: Preprocessing,
    /// The padding that the first one knows its texts with.
    pub padding: Option<RowPadding>,
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
    /// How token vectors become the vector that the family reads; a token classifier reads every one.
    pub pooling: Pooling,
    /// Whether the sentence vector has length 1.
    pub normalize: bool,
    /// Heads over the sentence vector.
    pub heads: Vec<HeadSettings>,
    /// Labels and kind of a classification model's own head.
    pub classifier: Option<(Vec<String>, HeadKind)>,
    /// The calibration of that head.
    pub classifier_settings: ClassifierSettings,
    /// The licence that the package names.
    pub licence: Option<String>,
    /// Recorded answers.
    pub golden: Option<Golden>,
    /// `tokenizer.json`.
    pub tokenizer: Vec<u8>,
    /// `model.safetensors`; `None` where a shipped graph holds the weights.
    weights: Option<Arc<Weights>>,
    /// SHA-256 of `model.safetensors`, or of the shipped graph.
    pub model_sha256: String,
}

impl Package {
    /// Opens and checks a folder. `family` overrides what the package says.
    pub fn open(name: &str, folder: &Path, family: Option<&str>) -> Result<Self, Error> {
        let files = PackageFiles::open(name, folder)?;
        let settings = Settings::open(&files)?;
        let config = HubConfig::open(&files)?;
        let sentence = SentenceSettings::open(&files)?;
        let family = recognize::family(&files, family.or(settings.family.as_deref()), &config)?;
        let tokenizer = files.read("tokenizer.json")?.ok_or_else(|| no_tokenizer(&files))?;
        let architecture = architecture(&files, &config, family, &tokenizer)?;
        if !family.takes_heads() && !settings.heads.is_empty() {
            return Err(files.invalid("rtrun.json", "heads need the family \"embeddings\" or \"static_embeddings\""));
        }
        let classifier =
            if family.is_classifier() { Some(recognize::classifier(&files, &config, family)?) } else { None };
        let classifier_settings = classifier_settings(&files, &settings, family, classifier.as_ref())?;
        let max_tokens = max_tokens(&files, &settings, &sentence, &architecture)?;
        let (pooling, normalize) = vector(&files, &settings, &sentence, (&architecture, family))?;
        let (weights, model_sha256) = if let Architecture::ShippedOnnx(graph) = &architecture {
            (None, sha256(&files, &graph.file, &graph.path)?)
        } else {
            let weights = Weights::open(&files, name, WEIGHTS)?;
            let sha256 = sha256(&files, WEIGHTS, weights.path())?;
            (Some(Arc::new(weights)), sha256)
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
            classifier_settings,
            licence: settings.licence,
            tokenizer,
            weights,
            model_sha256,
            files,
        })
    }

    /// `model.safetensors`; a package with a shipped graph has none.
    pub fn weights(&self) -> Result<&Arc<Weights>, Error> {
        self.weights.as_ref().ok_or_else(|| self.files.invalid(WEIGHTS, "is missing"))
    }
}

/// The calibration of the repository's classifier, checked against its labels.
fn classifier_settings(
    files: &PackageFiles,
    settings: &Settings,
    family: FamilyKind,
    classifier: Option<&(Vec<String>, HeadKind)>,
) -> Result<ClassifierSettings, Error> {
    let Some((labels, kind)) = classifier else {
        return match settings.classifier {
            Some(_) => Err(files.invalid("rtrun.json", "classifier is for packages whose config.json has one")),
            None => Ok(ClassifierSettings::default()),
        };
    };
    let mut calibration = settings.classifier.clone().unwrap_or_default();
    if family == FamilyKind::GroundedHallucination {
        calibration.grounded_prompt.get_or_insert_with(|| GROUNDED_PROMPT.to_owned());
        // The first label of a grounded checker is the one for what is supported.
        calibration.background.get_or_insert_with(|| labels[0].clone());
    }
    let head = HeadSettings::of_classifier(CLASSIFIER, *kind, labels.clone(), &calibration);
    match head.problem() {
        Some(problem) => Err(files.invalid("rtrun.json", format_args!("classifier: {problem}"))),
        None => Ok(calibration),
    }
}

fn architecture(
    files: &PackageFiles,
    config: &HubConfig,
    family: FamilyKind,
    tokenizer: &[u8],
) -> Result<Architecture, Error> {
    if family == FamilyKind::StaticEmbeddings {
        return Ok(Architecture::Static(config.static_vectors(files)?));
    }
    if let Some(kind) = config.towers(files)? {
        if files.find(WEIGHTS)?.is_none() {
            return Err(no_weights(files)?);
        }
        return Ok(Architecture::Towers(Box::new(towers(files, config, kind, tokenizer)?)));
    }
    let shipped = ShippedGraph::find(files)?;
    if files.find(WEIGHTS)?.is_some() {
        let trunk = recognize::trunk(files, config).and_then(|kind| config.trunk(files, kind));
        // The author's own graph computes what none here does.
        if trunk.is_ok() || shipped.is_none() {
            return trunk.map(|config| Architecture::Transformer(Box::new(config)));
        }
    }
    match shipped {
        Some(found) => Ok(Architecture::ShippedOnnx(ShippedGraph::open(files, config, found)?)),
        None => Err(no_weights(files)?),
    }
}

fn towers(files: &PackageFiles, config: &HubConfig, kind: TowersKind, tokenizer: &[u8]) -> Result<Towers, Error> {
    let config = config.towers_config(files, kind)?;
    let padding = match kind {
        TowersKind::Clip => None,
        TowersKind::Siglip => Some(RowPadding {
            tokens: config.text.max_position_embeddings,
            id: padding_id(files, tokenizer, config.text.pad_token_id)?,
        }),
    };
    Ok(Towers { preprocessing: read_preprocessing(files, &config)?, padding, config })
}

/// Pooling, and whether the vector gets length 1.
fn vector(
    files: &PackageFiles,
    settings: &Settings,
    sentence: &SentenceSettings,
    (architecture, family): (&Architecture, FamilyKind),
) -> Result<(Pooling, bool), Error> {
    if family.is_classifier() {
        let pooling = match architecture {
            Architecture::Transformer(config) => config.classifier_pooling(),
            _ => Pooling::Cls,
        };
        return Ok((pooling, false));
    }
    match architecture {
        Architecture::Static(config) => {
            if settings.pooling.is_some_and(|pooling| pooling != Pooling::Mean) {
                return Err(files.invalid("rtrun.json", "pooling must be \"mean\" for static embeddings"));
            }
            let normalize = settings.normalize.or(config.normalize).or(sentence.normalize);
            Ok((Pooling::Mean, normalize.unwrap_or(false)))
        }
        Architecture::Towers(_) => {
            if settings.pooling.is_some_and(|pooling| pooling != Pooling::Last) {
                return Err(files.invalid("rtrun.json", "pooling must be \"last\" for embeddings of images"));
            }
            // Vectors of texts and of images compare by their directions.
            Ok((Pooling::Last, settings.normalize.unwrap_or(true)))
        }
        Architecture::Transformer(_) | Architecture::ShippedOnnx(_) => Ok((
            settings.pooling.or(sentence.pooling).unwrap_or(Pooling::Mean),
            settings.normalize.or(sentence.normalize).unwrap_or(false),
        )),
    }
}

fn max_tokens(
    files: &PackageFiles,
    settings: &Settings,
    sentence: &SentenceSettings,
    architecture: &Architecture,
) -> Result<usize, Error> {
    let positions = match architecture {
        Architecture::Static(config) => return Ok(settings.max_tokens.or(config.seq_length).unwrap_or(512)),
        Architecture::Transformer(config) => config.positions(),
        Architecture::ShippedOnnx(graph) => graph.positions,
        Architecture::Towers(towers) => towers.config.text.max_position_embeddings,
    };
    match settings.max_tokens {
        Some(tokens) if tokens > positions => {
            let problem = format!("max_tokens is {tokens}; the model has {positions} positions");
            Err(files.invalid("rtrun.json", problem))
        }
        Some(tokens) => Ok(tokens),
        None => Ok(sentence.max_tokens.or(trained_tokens(files)?).unwrap_or(positions).min(positions)),
    }
}

/// The input length that the tokenizer's own settings name. A model without a length there has a huge number.
fn trained_tokens(files: &PackageFiles) -> Result<Option<usize>, Error> {
    #[derive(Deserialize)]
    struct TokenizerConfig {
        model_max_length: Option<f64>,
    }
    let length = files.read_json::<TokenizerConfig>("tokenizer_config.json")?.and_then(|file| file.model_max_length);
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the value is between 1 and a million")]
    Ok(length.filter(|length| (1.0..1e6).contains(length)).map(|length| length as usize))
}

fn sha256(files: &PackageFiles, file: &str, path: &Path) -> Result<String, Error> {
    match files.checked_sha256(file) {
        Some(sha256) => Ok(sha256.to_owned()),
        None => hash_file(path).map_err(|error| files.invalid(file, format_args!("cannot be read: {error}"))),
    }
}

fn no_tokenizer(files: &PackageFiles) -> Error {
    let advice =
        "load the tokenizer with Transformers' AutoTokenizer and save it into the folder, which writes the file";
    files.invalid("tokenizer.json", format_args!("is missing; {advice}"))
}

/// Why a folder without weights in a form that is read cannot be used.
fn no_weights(files: &PackageFiles) -> Result<Error, Error> {
    let advice = "load the model with Transformers and save it with save_pretrained, which writes model.safetensors";
    if files.find("model.safetensors.index.json")?.is_some() {
        let problem = "the weights are split into several files, which is not supported yet";
        let advice = "save the model again with a max_shard_size above its size";
        return Ok(files.invalid("model.safetensors.index.json", format_args!("{problem}; {advice}")));
    }
    if files.find("pytorch_model.bin")?.is_some() {
        let problem = "is missing, and pytorch_model.bin is never read because such a file can hold code";
        return Ok(files.invalid(WEIGHTS, format_args!("{problem}; {advice}")));
    }
    Ok(files.invalid(WEIGHTS, format_args!("is missing, and there is no onnx/model.onnx either; {advice}")))
}
