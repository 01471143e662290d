//! `rtrun.json`: what a package says about itself beyond its hub files.

use serde::Deserialize;

use super::files::PackageFiles;
use super::hub::Pooling;
use crate::error::Error;
use crate::options::FAMILIES;

const RTRUN: &str = "rtrun.json";

/// The parsed file. Absent keys follow from the hub files.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    schema: u32,
    /// The family of the package.
    pub family: Option<String>,
    /// The licence of the weights, for the model card.
    pub licence: Option<String>,
    /// The longest input of one forward, special tokens included.
    pub max_tokens: Option<usize>,
    /// How token vectors become the sentence vector.
    pub pooling: Option<Pooling>,
    /// Whether the sentence vector has length 1.
    pub normalize: Option<bool>,
    /// Heads over the sentence vector.
    #[serde(default)]
    pub heads: Vec<HeadSettings>,
}

/// One linear head.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HeadSettings {
    /// The name that requests use.
    pub name: String,
    /// Whether labels exclude each other.
    pub kind: HeadKind,
    /// The labels, in the order of the weight's rows.
    pub labels: Vec<String>,
    /// The safetensors file that holds the weights.
    pub file: String,
    /// Name of the `[labels, dimension]` tensor.
    pub weight: String,
    /// Name of the `[labels]` tensor.
    pub bias: Option<String>,
    /// Logits are divided by it.
    #[serde(default = "one")]
    pub temperature: f32,
    /// The probability from which a label counts as selected.
    #[serde(default = "half")]
    pub threshold: f32,
}

/// What the probabilities of a head mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum HeadKind {
    /// One of the labels: softmax.
    Sequence,
    /// Independent labels: sigmoid.
    Scores,
}

impl HeadKind {
    /// The word of the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Sequence => "sequence",
            Self::Scores => "scores",
        }
    }
}

impl Settings {
    /// Reads and checks the file; an absent one says nothing.
    pub fn open(package: &PackageFiles) -> Result<Self, Error> {
        let Some(settings) = package.read_json::<Self>(RTRUN)? else { return Ok(Self::default()) };
        settings.check().map_err(|problem| package.invalid(RTRUN, problem))?;
        Ok(settings)
    }

    fn check(&self) -> Result<(), String> {
        if self.schema != 1 {
            return Err(format!("schema is {}; only 1 is known", self.schema));
        }
        if let Some(family) = &self.family
            && !FAMILIES.contains(&family.as_str())
        {
            return Err(format!("family {family:?} is not supported yet; use {}", FAMILIES.join(" or ")));
        }
        if self.max_tokens == Some(0) {
            return Err("max_tokens is 0; it must be at least 1".to_owned());
        }
        for (index, head) in self.heads.iter().enumerate() {
            let problem = head.problem().or_else(|| {
                let twice = self.heads[..index].iter().any(|other| other.name == head.name);
                twice.then(|| format!("name {:?} is used twice", head.name))
            });
            if let Some(problem) = problem {
                return Err(format!("heads[{index}]: {problem}"));
            }
        }
        Ok(())
    }
}

impl HeadSettings {
    fn problem(&self) -> Option<String> {
        if self.name.is_empty() {
            return Some("name is empty".to_owned());
        }
        if self.labels.is_empty() {
            return Some("labels is empty".to_owned());
        }
        if let Some(label) = self.labels.iter().enumerate().find(|(at, label)| self.labels[..*at].contains(label)) {
            return Some(format!("label {:?} is used twice", label.1));
        }
        if !(self.temperature.is_finite() && self.temperature > 0.0) {
            return Some(format!("temperature is {}; it must be above 0", self.temperature));
        }
        if !(0.0..=1.0).contains(&self.threshold) {
            return Some(format!("threshold is {}; it must be between 0 and 1", self.threshold));
        }
        None
    }
}

fn one() -> f32 {
    1.0
}

fn half() -> f32 {
    0.5
}
