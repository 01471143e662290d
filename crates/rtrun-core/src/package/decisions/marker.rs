//! The `decisions` object of the family `marker_decisions`.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::Checked;
use super::calibration::CalibrationSettings;
use super::questions::{QuestionSettings, QuestionType, SpanSettings, window_overlap};

/// Settings of the family `marker_decisions`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MarkerSettings {
    /// What may be asked and how it is written.
    pub questions: QuestionSettings,
    /// From logits to probabilities.
    #[serde(default)]
    pub calibration: CalibrationSettings,
    /// What follows the encoder.
    pub head: MarkerHeadSettings,
    /// How span questions are answered; needed for the type "span".
    pub span: Option<SpanSettings>,
    /// The most tokens that a window of the state shares with the next.
    #[serde(default = "window_overlap")]
    pub window_overlap: usize,
}

/// What follows the encoder of a marker model. Tensor names follow `PyTorch`: see `docs/model-packages.md`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MarkerHeadSettings {
    /// The safetensors file that holds it.
    pub file: String,
    /// What its tensor names begin with.
    #[serde(default)]
    pub prefix: String,
    /// Transformer layers between the encoder and the scorer.
    pub layers: usize,
    /// Whether the type of the question is added to every position.
    #[serde(default = "yes_flag")]
    pub type_embedding: bool,
    /// The token that stands in front of an option; `[MASK]` or `<mask>` if absent.
    pub mask_token: Option<String>,
    /// What stands behind the options of a choice and means that none of them fits. Models without it do not abstain.
    pub abstain: Option<String>,
    /// By type of question, the factor of how like an option is to the state, which is added to the option's logit; nothing
    /// for a type that is absent.
    #[serde(default)]
    pub max_similarity: BTreeMap<String, f32>,
    /// What it counts how like the words of a yes-or-no question are to the state; they are not compared if absent.
    pub statement: Option<StatementSettings>,
    /// How options are numbered: only "sequential".
    #[serde(default = "sequential")]
    pub option_positions: String,
}

/// From the max similarity of a question's words to what is added to the logit of "true".
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StatementSettings {
    /// What the max similarity is multiplied with.
    pub factor: f32,
    /// What is added to that.
    pub addend: f32,
}

impl Checked for MarkerSettings {
    fn check(&self) -> Result<(), String> {
        self.questions.check(self.span.as_ref())?;
        self.calibration.check(&self.questions.types)?;
        self.head.check_max_similarity(&self.questions.types)?;
        self.head.check_statement(&self.questions.types)?;
        match self.head.option_positions.as_str() {
            "sequential" => Ok(()),
            other => Err(format!("head.option_positions {other:?} is not supported yet; use \"sequential\"")),
        }
    }
}

impl MarkerHeadSettings {
    fn check_statement(&self, types: &[QuestionType]) -> Result<(), String> {
        let Some(StatementSettings { factor, addend }) = self.statement else { return Ok(()) };
        if !types.contains(&QuestionType::Noul) {
            return Err("head.statement is for yes-or-no questions; add \"noul\" to questions.types".to_owned());
        }
        match [("factor", factor), ("addend", addend)].into_iter().find(|(_, number)| !number.is_finite()) {
            Some((name, number)) => Err(format!("head.statement.{name} is {number}; it must be a number")),
            None => Ok(()),
        }
    }

    fn check_max_similarity(&self, types: &[QuestionType]) -> Result<(), String> {
        for (key, weight) in &self.max_similarity {
            let known = types.iter().find(|known| known.as_str() == key);
            if known.is_none_or(|known| *known == QuestionType::Span) {
                return Err(format!(
                    "head.max_similarity has {key:?}; use a type of questions.types other than \"span\""
                ));
            }
            if !weight.is_finite() {
                return Err(format!("head.max_similarity.{key} is {weight}; it must be a number"));
            }
        }
        Ok(())
    }
}

fn yes_flag() -> bool {
    true
}

pub(super) fn sequential() -> String {
    "sequential".to_owned()
}
