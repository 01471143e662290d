//! `adapter_config.json` as PEFT writes it. Whatever changes the arithmetic and is not computed here is refused by name.

use serde::Deserialize;
use serde_json::{Map, Value};

use super::ADAPTER_CONFIG;
use crate::error::Error;
use crate::package::files::PackageFiles;

/// The settings of a low-rank adapter.
#[derive(Debug, Clone, Deserialize)]
pub struct AdapterConfig {
    peft_type: String,
    /// What the adapted model is loaded for, in PEFT's word.
    #[serde(default)]
    pub task_type: Option<String>,
    /// Rows of every A and columns of every B.
    pub r: usize,
    lora_alpha: f32,
    #[serde(default)]
    use_rslora: bool,
    #[serde(default)]
    fan_in_fan_out: bool,
    #[serde(default)]
    init_lora_weights: Option<Value>,
    /// Modules that the adapter stores whole.
    #[serde(default)]
    pub modules_to_save: Option<Vec<String>>,
    #[serde(flatten)]
    rest: Map<String, Value>,
}

/// Keys that say where an adapter comes from or how it was trained, and nothing about what it computes.
const HARMLESS: &[&str] = &[
    "auto_mapping",
    "base_model_name_or_path",
    "bias",
    "exclude_modules",
    "inference_mode",
    "layers_pattern",
    "layers_to_transform",
    "lora_dropout",
    "megatron_core",
    "peft_version",
    "qalora_group_size",
    "revision",
    "runtime_config",
    "target_modules",
];

/// First values of A and B that leave the base as it is. Others take a part out of the base, which then is another one.
const INITIALIZATIONS: &[&str] = &["default", "gaussian", "orthogonal", "eva"];

impl AdapterConfig {
    /// Reads and checks the file of an adapter.
    pub fn open(files: &PackageFiles) -> Result<Self, Error> {
        let missing = || files.invalid(ADAPTER_CONFIG, "is missing; a base path is for adapters only, leave it out");
        let config: Self = files.read_json(ADAPTER_CONFIG)?.ok_or_else(missing)?;
        match config.problem() {
            Some(problem) => Err(files.invalid(ADAPTER_CONFIG, problem)),
            None => Ok(config),
        }
    }

    /// What a product `B × A` is multiplied by before it is added to its weight.
    pub fn scale(&self) -> f32 {
        let rank = self.r as f32;
        self.lora_alpha / if self.use_rslora { rank.sqrt() } else { rank }
    }

    /// Whether the adapter stores the module whole: by its own name, or as a part of one that it names.
    pub fn saves(&self, module: &str) -> bool {
        let path = format!(".{module}.");
        self.modules_to_save.iter().flatten().any(|saved| path.contains(&format!(".{saved}.")))
    }

    fn problem(&self) -> Option<String> {
        if self.peft_type != "LORA" {
            return Some(format!("peft_type {:?} is not supported; only \"LORA\" is", self.peft_type));
        }
        if self.r == 0 || !self.lora_alpha.is_finite() {
            return Some(format!("r is {} and lora_alpha is {}; r must be at least 1", self.r, self.lora_alpha));
        }
        if self.fan_in_fan_out {
            return Some("fan_in_fan_out is true, which no supported encoder has; it must be false".to_owned());
        }
        let keeps_base = |value: &Value| match value {
            Value::Null | Value::Bool(_) => true,
            Value::String(name) => INITIALIZATIONS.contains(&name.as_str()),
            _ => false,
        };
        if let Some(value) = self.init_lora_weights.as_ref().filter(|value| !keeps_base(value)) {
            let advice = "convert the adapter to a plain one with PEFT's path_initial_model_for_weight_conversion";
            return Some(format!("init_lora_weights {value} changes the base, which is not supported; {advice}"));
        }
        let is_off = |value: &Value| match value {
            Value::Null | Value::Bool(false) => true,
            Value::Array(list) => list.is_empty(),
            Value::Object(map) => map.is_empty(),
            _ => false,
        };
        let (key, value) = self.rest.iter().find(|(key, value)| !HARMLESS.contains(&key.as_str()) && !is_off(value))?;
        Some(format!("{key} is {value}, which is not supported; only plain low-rank adapters are"))
    }
}
