//! From logits to probabilities: temperatures by type and number of options, thresholds of labels, and which answers to use.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::abstention::{ABSTAINING, Abstention};
use super::questions::QuestionType;

/// The `calibration` object of `rtrun.json`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CalibrationSettings {
    /// By `choice`, or by `choice:3-5` for a number of options; the more exact key wins, and 1 stands for none.
    #[serde(default)]
    pub temperatures: BTreeMap<String, f32>,
    /// By `set` and `span`; 0.5 stands for none.
    #[serde(default)]
    pub thresholds: BTreeMap<String, f32>,
    /// By type. Other types have at most what `head.abstain` says.
    #[serde(default)]
    pub abstention: BTreeMap<String, Abstention>,
}

/// What logits are divided by, the probability from which a label counts, and how likely an answer should not be used.
#[derive(Debug, Clone, PartialEq)]
pub struct Calibration {
    temperatures: BTreeMap<String, f32>,
    thresholds: BTreeMap<String, f32>,
    abstention: BTreeMap<String, Abstention>,
}

/// The numbers of options that have a temperature of their own.
const BUCKETS: [&str; 4] = ["2", "3-5", "6-10", "11+"];

impl CalibrationSettings {
    /// Says which key or value is wrong.
    pub fn check(&self, types: &[QuestionType]) -> Result<(), String> {
        for (key, temperature) in &self.temperatures {
            let (kind, bucket) = key.split_once(':').map_or((key.as_str(), None), |(kind, rest)| (kind, Some(rest)));
            let is_known = types.iter().any(|known| known.as_str() == kind);
            if !is_known || bucket.is_some_and(|bucket| !BUCKETS.contains(&bucket)) {
                return Err(format!(
                    "calibration.temperatures has {key:?}; use a type of questions.types, or one followed by :{}",
                    BUCKETS.join(" or :")
                ));
            }
            if !(temperature.is_finite() && *temperature > 0.0) {
                return Err(format!("calibration.temperatures.{key} is {temperature}; it must be above 0"));
            }
        }
        for (key, threshold) in &self.thresholds {
            let has_labels = matches!(key.as_str(), "set" | "span");
            if !has_labels || !types.iter().any(|known| known.as_str() == key) {
                return Err(format!("calibration.thresholds has {key:?}; use \"set\" or \"span\" of questions.types"));
            }
            if !(0.0..=1.0).contains(threshold) {
                return Err(format!("calibration.thresholds.{key} is {threshold}; it must be between 0 and 1"));
            }
        }
        for (key, abstention) in &self.abstention {
            if !ABSTAINING.contains(&key.as_str()) || !types.iter().any(|known| known.as_str() == key) {
                let abstaining = ABSTAINING.join("\", \"");
                return Err(format!("calibration.abstention has {key:?}; use \"{abstaining}\" of questions.types"));
            }
            if let Some((name, weight)) = abstention.wrong() {
                return Err(format!("calibration.abstention.{key}.{name} is {weight}; it must be a number"));
            }
        }
        Ok(())
    }
}

impl Calibration {
    /// The calibration of checked settings.
    pub fn new(settings: CalibrationSettings) -> Self {
        let CalibrationSettings { temperatures, thresholds, abstention } = settings;
        Self { temperatures, thresholds, abstention }
    }

    /// What the logits of a question of this type with so many options are divided by.
    pub fn temperature(&self, kind: &str, options: usize) -> f32 {
        let bucket = match options {
            ..=2 => BUCKETS[0],
            3..=5 => BUCKETS[1],
            6..=10 => BUCKETS[2],
            _ => BUCKETS[3],
        };
        let exact = self.temperatures.get(&format!("{kind}:{bucket}"));
        exact.or_else(|| self.temperatures.get(kind)).copied().unwrap_or(1.0)
    }

    /// The probability from which a label of a question of this type counts, unless the question says it.
    pub fn threshold(&self, kind: &str) -> f32 {
        self.thresholds.get(kind).copied().unwrap_or(0.5)
    }

    /// The probability that an answer with these probabilities should not be used. Models that do not weigh it for this type
    /// have it from their option "none of them", or not at all.
    pub fn abstain(&self, kind: &str, probabilities: &[f32], none: Option<f32>) -> Option<f32> {
        let weighed = self.abstention.get(kind).map(|abstention| abstention.probability(probabilities, none));
        weighed.or(none)
    }
}
