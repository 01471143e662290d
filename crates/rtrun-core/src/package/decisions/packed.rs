//! The `decisions` object of the family `packed_decisions`.

use serde::Deserialize;

use super::Checked;
use super::calibration::CalibrationSettings;
use super::questions::{QuestionSettings, QuestionType, SpanSettings, check_size, check_temperature, window_overlap};

/// Settings of the family `packed_decisions`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PackedSettings {
    /// What may be asked and how it is written.
    pub questions: QuestionSettings,
    /// From logits to probabilities.
    #[serde(default)]
    pub calibration: CalibrationSettings,
    /// What follows the encoder.
    pub head: PackedHeadSettings,
    /// The tokens that say what stands where.
    pub markers: Markers,
    /// How span questions are answered; needed for the type "span".
    pub span: Option<SpanSettings>,
    /// The most tokens that a window of the state shares with the next.
    #[serde(default = "window_overlap")]
    pub window_overlap: usize,
}

/// What follows the encoder of a packed model.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PackedHeadSettings {
    /// The safetensors file that holds it.
    pub file: String,
    /// What its tensor names begin with.
    #[serde(default)]
    pub prefix: String,
    /// Length of the vectors that are compared.
    pub size: usize,
    /// Cosines of options and states are divided by it.
    pub temperature: f32,
}

/// Ids of the tokens that say what stands where.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Markers {
    /// In front of a question.
    pub question: u32,
    /// In front of an option, level or label of a set.
    pub option: u32,
    /// Behind the options of a choice: that none of them fits. Models without it do not abstain.
    pub abstain: Option<u32>,
    /// In front of a label of a span question.
    pub label: Option<u32>,
    /// Behind all questions.
    pub schema_end: u32,
    /// In front of the state.
    pub segment: u32,
}

impl Checked for PackedSettings {
    fn check(&self) -> Result<(), String> {
        self.questions.check(self.span.as_ref())?;
        self.calibration.check(&self.questions.types)?;
        check_size("head.size", self.head.size)?;
        check_temperature("head.temperature", self.head.temperature)?;
        if self.questions.types.contains(&QuestionType::Span) && self.markers.label.is_none() {
            return Err("markers.label is missing; the type \"span\" needs it".to_owned());
        }
        Ok(())
    }
}
