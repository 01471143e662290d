//! Opening a package: from a folder to everything that is known before the weights are used.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Deserialize;

use super::adapter::{ADAPTER_CONFIG, ADAPTER_WEIGHTS, AdapterConfig, merge};
use super::decisions::{DecisionSettings, Decisions, LayaFiles};
use super::digests::{Digests, WeightsFile};
use super::encoders::EncoderConfig;
use super::files::PackageFiles;
use super::golden::Golden;
use super::heads::{check_heads, check_mean_layers, heads_depth};
use super::hub::{HubConfig, Pooling, SentenceSettings, StaticConfig};
use super::missing::{no_tokenizer, no_weights};
use super::recognize::{self, FamilyKind};
use super::settings::{ClassifierSettings, HeadKind, HeadSettings, Scores, Settings};
use super::shipped::ShippedGraph;
use super::towers::{RowPadding, TowersConfig, TowersKind, padding_id, read_preprocessing};
use super::vectors::VectorForms;
use super::weights::Weights;
use crate::error::Error;
use crate::families::{CLASSIFIER, GROUNDED_PROMPT};
use crate::graph::HeadsDepth;
use crate::media::Preprocessing;

const WEIGHTS: &str = "model.safetensors";
const CONFIG: &str = "config.json";
const TOKENIZER: &str = "tokenizer.json";

/// What computes the vectors.
#[derive(Debug)]
pub enum Architecture {
    /// A transformer whose graph is generated over the author's weights.
    Transformer(Box<EncoderConfig>),
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

/// Which folders to open, and as what.
#[derive(Debug, Clone, Copy)]
pub struct PackageFolder<'p> {
    /// The name the model is served under.
    pub name: &'p str,
    /// The package.
    pub folder: &'p Path,
    /// The package that it changes, if it is an adapter.
    pub base: Option<&'p Path>,
    /// Overrides the family that the package names.
    pub family: Option<FamilyKind>,
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
    /// The encoder.
    pub architecture: Architecture,
    /// The longest input of one forward, special tokens included.
    pub max_tokens: usize,
    /// The longest text that is read in windows; a few inputs of one forward if absent.
    pub max_scan_tokens: Option<usize>,
    /// How token vectors become the vector that the family reads; a token classifier reads every one.
    pub pooling: Pooling,
    /// Whether the sentence vector has length 1.
    pub normalize: bool,
    /// What its vectors can be besides whole; nothing else for a classifier.
    pub vectors: VectorForms,
    /// Heads over the sentence vector, or over vectors of tokens.
    pub heads: Vec<HeadSettings>,
    /// Where heads over vectors of tokens branch off; `None` where they read the last layer.
    pub heads_depth: Option<HeadsDepth>,
    /// Further layers, counted from 1, whose means heads over the mean of tokens read before that one.
    pub heads_mean_layers: Vec<usize>,
    /// Labels and kind of a classification model's own head.
    pub classifier: Option<(Vec<String>, HeadKind)>,
    /// The calibration of that head.
    pub classifier_settings: ClassifierSettings,
    /// How typed questions are answered; of decision families only.
    pub decisions: Option<Decisions>,
    /// The licence that the package names.
    pub licence: Option<String>,
    /// How well it answers texts of sources that it never saw.
    pub scores: Scores,
    /// Recorded answers.
    pub golden: Option<Golden>,
    /// `tokenizer.json`.
    pub tokenizer: Vec<u8>,
    /// `model.safetensors`; `None` where a shipped graph holds the weights.
    weights: Option<Arc<Weights>>,
    /// The file of the weights, or of the shipped graph, and the changes of an adapter.
    weights_file: (String, PathBuf),
    adapter_file: Option<PathBuf>,
}

impl Package {
    /// Opens and checks a folder that is no adapter.
    pub fn open(name: &str, folder: &Path, family: Option<FamilyKind>) -> Result<Self, Error> {
        Self::open_at(PackageFolder { name, folder, base: None, family })
    }

    /// Opens and checks a folder, and that of its base. Changed weights are computed here.
    pub fn open_at(PackageFolder { name, folder, base, family }: PackageFolder) -> Result<Self, Error> {
        let files = PackageFiles::open(name, folder)?;
        let (files, adapter) = match base {
            Some(base) => {
                let adapter = AdapterConfig::open(&files)?;
                (files.over(PackageFiles::open(name, base)?), Some(adapter))
            }
            None => (not_an_adapter(files)?, None),
        };
        let settings = Settings::open(&files)?;
        let laya = LayaFiles::open(&files)?;
        let config = HubConfig::open(&files, laya.as_ref().map_or(CONFIG, |laya| laya.config))?;
        let sentence = SentenceSettings::open(&files)?;
        let task = adapter.as_ref().map(|adapter| recognize::adapted_family(&files, adapter)).transpose()?.flatten();
        let told = settings.family().map_err(|problem| files.invalid("rtrun.json", problem))?;
        let named = family.or(told).or(laya.as_ref().map(|_| FamilyKind::MarkerDecisions)).or(task);
        let family = recognize::family(&files, named, &config)?;
        let tokenizer = laya.as_ref().map_or(TOKENIZER, |laya| laya.tokenizer);
        let tokenizer = files.read(tokenizer)?.ok_or_else(|| no_tokenizer(&files, tokenizer))?;
        let architecture = architecture(&files, &config, family, &tokenizer)?;
        check_heads(&files, &settings, family)?;
        let heads_depth = heads_depth(&files, &settings, (&architecture, family))?;
        check_mean_layers(&files, &settings, (&architecture, family))?;
        let classifier =
            if family.is_classifier() { Some(recognize::classifier(&files, &config, family)?) } else { None };
        let classifier_settings = classifier_settings(&files, &settings, family, classifier.as_ref())?;
        let max_tokens = max_tokens(&files, &settings, &sentence, &architecture)?;
        let max_tokens = laya.as_ref().map_or(max_tokens, |laya| laya.max_tokens.min(max_tokens));
        let (pooling, normalize) = vector(&files, &settings, &sentence, (&architecture, family))?;
        let vectors = vector_forms(&files, &settings, &config, (&architecture, family))?;
        let golden = Golden::open(&files)?;
        let (weights, weights_file, adapter_file) = match (&architecture, adapter) {
            (Architecture::ShippedOnnx(graph), None) => (None, (graph.file.clone(), graph.path.clone()), None),
            (Architecture::Transformer(_) | Architecture::Static(_) | Architecture::Towers(_), None) => {
                let weights = Weights::open(&files, name, WEIGHTS)?;
                let file = (WEIGHTS.to_owned(), weights.path().to_owned());
                (Some(Arc::new(weights)), file, None)
            }
            (Architecture::Transformer(_), Some(adapter)) => {
                let changes = Weights::open(&files, name, ADAPTER_WEIGHTS)?;
                let base = Weights::open(&files, name, WEIGHTS)?;
                let merged = merge(&base, &changes, &adapter)?;
                let file = (WEIGHTS.to_owned(), base.path().to_owned());
                (Some(Arc::new(base.with_merged(merged))), file, Some(changes.path().to_owned()))
            }
            (Architecture::ShippedOnnx(_) | Architecture::Static(_) | Architecture::Towers(_), Some(_)) => {
                let problem = "needs a base with model.safetensors of a supported transformer";
                return Err(files.invalid(ADAPTER_CONFIG, problem));
            }
        };
        let asked = DecisionSettings::of(&files, family, settings.decisions.as_ref(), laya)?;
        let decisions = match (asked, &weights) {
            (None, _) => None,
            (Some(asked), Some(weights)) => Some(Decisions::open(&files, name, asked, (WEIGHTS, weights))?),
            (Some(_), None) => {
                return Err(files.invalid(WEIGHTS, "is missing; a graph of its own answers no questions"));
            }
        };
        Ok(Self {
            name: name.to_owned(),
            golden,
            family,
            architecture,
            max_tokens,
            max_scan_tokens: settings.max_scan_tokens,
            pooling,
            normalize,
            vectors,
            heads: settings.heads,
            heads_depth,
            heads_mean_layers: settings.heads_mean_layers,
            classifier,
            classifier_settings,
            decisions,
            licence: settings.licence,
            scores: settings.scores,
            tokenizer,
            weights,
            weights_file,
            adapter_file,
            files,
        })
    }

    /// `model.safetensors`; a package with a shipped graph has none.
    pub fn weights(&self) -> Result<&Arc<Weights>, Error> {
        self.weights.as_ref().ok_or_else(|| self.files.invalid(WEIGHTS, "is missing"))
    }

    /// The digests of the weights. Reads whole files unless manifests record them.
    pub fn digests(&self) -> Result<Digests, Error> {
        let Self { files, weights_file: (file, path), adapter_file, .. } = self;
        match (adapter_file, files.base()) {
            (Some(adapter), Some(base)) => Digests::of_adapter(
                WeightsFile { files, file: ADAPTER_WEIGHTS, path: adapter },
                WeightsFile { files: base, file, path },
            ),
            _ => Digests::of_package(WeightsFile { files, file, path }),
        }
    }
}

/// An adapter alone has no weights of its own to serve.
fn not_an_adapter(files: PackageFiles) -> Result<PackageFiles, Error> {
    match files.find(ADAPTER_CONFIG)? {
        None => Ok(files),
        Some(_) => Err(files.invalid(ADAPTER_CONFIG, "is there, so this is an adapter; give its base with base_path")),
    }
}

fn vector_forms(
    files: &PackageFiles,
    settings: &Settings,
    config: &HubConfig,
    (architecture, family): (&Architecture, FamilyKind),
) -> Result<VectorForms, Error> {
    if family.is_classifier() {
        return if settings.dimensions.is_empty() && settings.layers.is_empty() {
            Ok(VectorForms::default())
        } else {
            Err(files.invalid("rtrun.json", "dimensions and layers are for packages that serve vectors"))
        };
    }
    let layers = match architecture {
        Architecture::Transformer(encoder) => Some(encoder.layers()),
        Architecture::Static(_) | Architecture::ShippedOnnx(_) | Architecture::Towers(_) => None,
    };
    VectorForms::open(files, settings, config, layers)
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
        let encoder = recognize::encoder(files, config).and_then(|kind| config.encoder(files, kind));
        // The author's own graph computes what none here does.
        if encoder.is_ok() || shipped.is_none() {
            return encoder.map(|config| Architecture::Transformer(Box::new(config)));
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
