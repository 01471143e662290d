//! What a package's vectors can be besides whole: shorter, from an earlier layer, of a text behind a prompt.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::files::PackageFiles;
use super::hub::HubConfig;
use super::settings::Settings;
use crate::error::Error;

const PROMPTS: &str = "config_sentence_transformers.json";

/// The forms that the vectors of a package come in.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct VectorForms {
    /// The lengths that a vector may be cut to, longest first.
    pub dimensions: Vec<usize>,
    /// The layers that a text may leave by, first ones first. The last layer may be among them.
    pub layers: Vec<usize>,
    /// What is put in front of a text, by the name of the kind of text.
    pub prompts: BTreeMap<String, String>,
    /// What is put in front of a text of no named kind.
    pub default_prompt: String,
}

/// The part of sentence-transformers' own settings that is used.
#[derive(Deserialize, Default)]
struct SentenceFile {
    #[serde(default)]
    prompts: Option<BTreeMap<String, String>>,
    #[serde(default)]
    default_prompt_name: Option<String>,
    #[serde(default)]
    truncate_dim: Option<usize>,
}

impl VectorForms {
    /// Reads the forms of a package that serves vectors. `layers` is how many the encoder has, `None` where none can be
    /// left by.
    pub fn open(
        files: &PackageFiles,
        settings: &Settings,
        config: &HubConfig,
        layers: Option<usize>,
    ) -> Result<Self, Error> {
        let sentence: SentenceFile = files.read_json(PROMPTS)?.unwrap_or_default();
        let prompts = sentence.prompts.unwrap_or_default();
        let default_prompt = match sentence.default_prompt_name {
            None => String::new(),
            Some(name) => prompts.get(&name).cloned().ok_or_else(|| {
                files.invalid(PROMPTS, format_args!("default_prompt_name {name:?} is not one of prompts"))
            })?,
        };
        let mut dimensions = settings.dimensions.clone();
        if dimensions.is_empty() {
            dimensions.extend(config.matryoshka_dimensions(files)?);
            dimensions.extend(sentence.truncate_dim);
        }
        dimensions.sort_unstable_by(|one, other| other.cmp(one));
        dimensions.dedup();
        if dimensions.contains(&0) {
            return Err(files.invalid("rtrun.json", "dimensions has 0; every length must be at least 1"));
        }
        let mut exits = settings.layers.clone();
        exits.sort_unstable();
        exits.dedup();
        match (layers, exits.iter().find(|exit| **exit == 0 || layers.is_some_and(|layers| **exit > layers))) {
            (None, _) if !exits.is_empty() => {
                let problem = "layers need model.safetensors of a transformer and the family \"embeddings\"";
                return Err(files.invalid("rtrun.json", problem));
            }
            (Some(layers), Some(exit)) => {
                return Err(
                    files.invalid("rtrun.json", format_args!("layers has {exit}; the encoder has 1 to {layers}"))
                );
            }
            _ => {}
        }
        Ok(Self { dimensions, layers: exits, prompts, default_prompt })
    }
}
