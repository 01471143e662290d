//! The `decisions` object of the family `marker_decisions`.

use serde::Deserialize;

use super::Checked;
use super::calibration::CalibrationSettings;
use super::questions::{QuestionSettings, SpanSettings, window_overlap};

/// Settings of the family `marker_decisions`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MarkerSettings {
    /// What may be asked and how it is written.
    pub questions: QuestionSettings,
    /// From logits to probabilities.
    #[serde(default)]
    pub calibration: CalibrationSettings,
    /// What follows the trunk.
    pub head: MarkerHeadSettings,
    /// How span questions are answered; needed for the type "span".
    pub span: Option<SpanSettings>,
    /// The most tokens that a window of the state shares with the next.
    #[serde(default = "window_overlap")]
    pub window_overlap: usize,
}

/// What follows the trunk of a marker model. Tensor names follow `PyTorch`: see `docs/model-packages.md`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MarkerHeadSettings {
    /// The safetensors file that holds it.
    pub file: String,
    /// What its tensor names begin with.
    #[serde(default)]
    pub prefix: String,
    /// Transformer layers between the trunk and the scorer.
    pub layers: usize,
    /// Whether the type of the question is added to every position.
    #[serde(default = "yes_flag")]
    pub type_embedding: bool,
    /// The token that stands in front of an option; `[MASK]` or `<mask>` if absent.
    pub mask_token: Option<String>,
    /// What stands behind the options of a choice and means that none of them fits. Models without it do not abstain.
    pub abstain: Option<String>,
    /// How options are numbered: only "sequential".
    #[serde(default = "sequential")]
    pub option_positions: String,
}

impl Checked for MarkerSettings {
    fn check(&self) -> Result<(), String> {
        self.questions.check(self.span.as_ref())?;
        self.calibration.check(&self.questions.types)?;
        match self.head.option_positions.as_str() {
            "sequential" => Ok(()),
            other => Err(format!("head.option_positions {other:?} is not supported yet; use \"sequential\"")),
        }
    }
}

fn yes_flag() -> bool {
    true
}

pub(super) fn sequential() -> String {
    "sequential".to_owned()
}
