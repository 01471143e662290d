//! Public Laya checkpoints as they lie on disk: `rl_agent_config.json`, `encoder/`, `tokenizer/`.
//!
//! Tensor names and file layout as the Rust server sys1 reads them (`src/models/laya.rs`).

use std::collections::BTreeMap;

use serde::Deserialize;

use super::calibration::CalibrationSettings;
use super::marker::{MarkerHeadSettings, MarkerSettings, sequential};
use super::questions::{QuestionSettings, QuestionType, no, window_overlap, yes};
use crate::error::Error;
use crate::package::PackageFiles;

const AGENT: &str = "rl_agent_config.json";

/// The row of each type in the checkpoint's type embedding.
const TYPES: [QuestionType; 3] = [QuestionType::Choice, QuestionType::Score, QuestionType::Noul];

/// Temperatures outside are those of a calibration that went wrong.
const TEMPERATURES: [f32; 2] = [0.5, 5.0];

/// The agent's file; what it says about training is not read.
#[derive(Debug, Deserialize)]
struct Agent {
    max_len: usize,
    head_max_len: usize,
    temperature: Vec<f32>,
    #[serde(default)]
    temperature_by_options: BTreeMap<String, f32>,
}

/// Where the files of a checkpoint are, and what they mean.
#[derive(Debug)]
pub struct LayaFiles {
    /// The encoder's configuration.
    pub config: &'static str,
    /// The tokenizer.
    pub tokenizer: &'static str,
    /// The longest row.
    pub max_tokens: usize,
    /// The settings that the checkpoint stands for.
    pub settings: MarkerSettings,
}

impl LayaFiles {
    /// Recognises a checkpoint; `None` if the folder is none.
    pub fn open(files: &PackageFiles) -> Result<Option<Self>, Error> {
        let Some(agent) = files.read_json::<Agent>(AGENT)? else { return Ok(None) };
        let calibration = agent.calibration();
        calibration.check(&TYPES).map_err(|problem| files.invalid(AGENT, problem))?;
        if agent.temperature.len() != TYPES.len() {
            let count = agent.temperature.len();
            return Err(files.invalid(AGENT, format_args!("temperature has {count} values; 3 are expected")));
        }
        if agent.head_max_len < 24 || agent.max_len <= agent.head_max_len {
            let (head, row) = (agent.head_max_len, agent.max_len);
            let problem = format!("head_max_len is {head} and max_len {row}; at least 24, and more, are expected");
            return Err(files.invalid(AGENT, problem));
        }
        let current = "tokenizer/tokenizer.v1.json";
        let tokenizer = if files.find(current)?.is_some() { current } else { "tokenizer/tokenizer.json" };
        Ok(Some(Self {
            config: "encoder/config.json",
            tokenizer,
            max_tokens: agent.max_len,
            settings: MarkerSettings {
                questions: QuestionSettings {
                    types: TYPES.to_vec(),
                    max_options: 255,
                    tokens: agent.head_max_len,
                    option_tokens: 48,
                    no: no(),
                    yes: yes(),
                },
                calibration,
                head: MarkerHeadSettings {
                    file: "model.safetensors".to_owned(),
                    prefix: String::new(),
                    layers: 2,
                    type_embedding: true,
                    mask_token: None,
                    abstain: None,
                    max_similarity: BTreeMap::new(),
                    statement: None,
                    option_positions: sequential(),
                },
                span: None,
                window_overlap: window_overlap(),
            },
        }))
    }
}

impl Agent {
    fn calibration(&self) -> CalibrationSettings {
        let [least, most] = TEMPERATURES;
        let by_type = TYPES.iter().zip(&self.temperature).map(|(kind, value)| (kind.as_str().to_owned(), *value));
        let by_options = self.temperature_by_options.iter().map(|(key, value)| (key.clone(), *value));
        let temperatures = by_type.chain(by_options).map(|(key, value)| (key, value.clamp(least, most))).collect();
        CalibrationSettings { temperatures, ..CalibrationSettings::default() }
    }
}
