//! `rtrun.json`: what a package says about itself beyond its hub files.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::files::PackageFiles;
use super::hub::Pooling;
use super::recognize::FamilyKind;
use crate::error::Error;
use crate::families::Scheme;

const RTRUN: &str = "rtrun.json";

/// Figures by name, by what they measure.
pub type Scores = BTreeMap<String, BTreeMap<String, f32>>;

/// The parsed file. Absent keys follow from the hub files.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    schema: u32,
    /// The family of the package.
    family: Option<String>,
    /// The licence of the weights, for the model card.
    pub licence: Option<String>,
    /// How well it answers texts of sources that it never saw: figures from 0 to 1 by head or question type, for the
    /// model card.
    #[serde(default)]
    pub scores: Scores,
    /// The longest input of one forward, special tokens included.
    pub max_tokens: Option<usize>,
    /// The longest text that is read in windows, unless the models file or the request says otherwise.
    pub max_scan_tokens: Option<usize>,
    /// How token vectors become the sentence vector.
    pub pooling: Option<Pooling>,
    /// Whether the sentence vector has length 1.
    pub normalize: Option<bool>,
    /// The lengths that a vector may be cut to.
    #[serde(default)]
    pub dimensions: Vec<usize>,
    /// The layers that a text may leave by.
    #[serde(default)]
    pub layers: Vec<usize>,
    /// Heads over the sentence vector, or over vectors of tokens.
    #[serde(default)]
    pub heads: Vec<HeadSettings>,
    /// The layer, counted from 1, whose vectors of tokens the heads read.
    pub heads_layer: Option<usize>,
    /// How many layers heads have for themselves behind that layer.
    #[serde(default)]
    pub heads_own_layers: usize,
    /// Further layers, counted from 1: heads over the mean of tokens read their means too.
    #[serde(default)]
    pub heads_mean_layers: Vec<usize>,
    /// How typed questions are answered; read by the family, which decides what it may hold.
    pub decisions: Option<serde_json::Value>,
    /// Calibration of the classifier that the repository brings.
    pub classifier: Option<ClassifierSettings>,
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
    /// Which vector of a row it reads; of kinds other than `token`.
    #[serde(default)]
    pub reads: HeadReads,
    /// Logits are divided by it.
    #[serde(default = "one")]
    pub temperature: f32,
    /// The probability from which a label counts as selected.
    #[serde(default = "half")]
    pub threshold: f32,
    /// The same for single labels, or kinds of spans.
    #[serde(default)]
    pub thresholds: BTreeMap<String, f32>,
    /// The label that stands for "nothing found": it decides how windows become one answer, and which token label is
    /// outside all spans.
    pub background: Option<String>,
    /// The windows that the head was measured with.
    pub window: Option<WindowSettings>,
    /// Of a head over context, question and answer: what is read in front of the answer, with `{context}` and
    /// `{question}` in it.
    pub grounded_prompt: Option<String>,
}

/// The calibration of a classifier that the repository brings; the keys are those of a head.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs, reason = "the fields are those of HeadSettings")]
pub struct ClassifierSettings {
    #[serde(default = "one")]
    pub temperature: f32,
    #[serde(default = "half")]
    pub threshold: f32,
    #[serde(default)]
    pub thresholds: BTreeMap<String, f32>,
    pub background: Option<String>,
    pub window: Option<WindowSettings>,
    pub grounded_prompt: Option<String>,
}

impl Default for ClassifierSettings {
    fn default() -> Self {
        Self {
            temperature: one(),
            threshold: half(),
            thresholds: BTreeMap::new(),
            background: None,
            window: None,
            grounded_prompt: None,
        }
    }
}

/// Windows of a long text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WindowSettings {
    /// Tokens of one window, special ones included.
    pub tokens: usize,
    /// Tokens that a window shares with the next.
    pub overlap: usize,
}

/// Which vector of a row a head reads.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HeadReads {
    /// The package's sentence vector.
    #[default]
    Sentence,
    /// The mean of the vectors that the layer that heads read gives for the tokens, behind those of further layers where the
    /// package names some.
    Mean,
}

/// What the probabilities of a head mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum HeadKind {
    /// One of the labels: softmax.
    Sequence,
    /// Independent labels: sigmoid.
    Scores,
    /// A label for every token: softmax, and spans of the text.
    Token,
}

impl HeadKind {
    /// The word of the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Sequence => "sequence",
            Self::Scores => "scores",
            Self::Token => "token",
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

    /// The family. The error says what is wrong with its name.
    pub fn family(&self) -> Result<Option<FamilyKind>, String> {
        let family = self.family.as_deref().map(str::parse).transpose();
        family.map_err(|problem: String| format!("family {problem}"))
    }

    fn check(&self) -> Result<(), String> {
        if self.schema != 1 {
            return Err(format!("schema is {}; only 1 is known", self.schema));
        }
        self.family()?;
        for (name, tokens) in [("max_tokens", self.max_tokens), ("max_scan_tokens", self.max_scan_tokens)] {
            if tokens == Some(0) {
                return Err(format!("{name} is 0; it must be at least 1"));
            }
        }
        for (of, figures) in &self.scores {
            if let Some((name, figure)) = figures.iter().find(|(_, figure)| !(0.0..=1.0).contains(*figure)) {
                return Err(format!("scores.{of}.{name} is {figure}; it must be between 0 and 1"));
            }
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
    /// Whether it reads vectors of tokens in place of the sentence vector.
    pub fn reads_tokens(&self) -> bool {
        self.kind == HeadKind::Token || self.reads == HeadReads::Mean
    }

    /// Those of a classifier that the repository brings.
    pub fn of_classifier(name: &str, kind: HeadKind, labels: Vec<String>, settings: &ClassifierSettings) -> Self {
        let ClassifierSettings { temperature, threshold, thresholds, background, window, grounded_prompt } =
            settings.clone();
        Self {
            name: name.to_owned(),
            kind,
            labels,
            file: String::new(),
            weight: String::new(),
            bias: None,
            reads: HeadReads::default(),
            temperature,
            threshold,
            thresholds,
            background,
            window,
            grounded_prompt,
        }
    }

    /// What is wrong with the settings.
    pub fn problem(&self) -> Option<String> {
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
        if let Some(background) = self.background.as_ref().filter(|name| !self.labels.contains(name)) {
            return Some(format!("background {background:?} is not one of labels"));
        }
        let named = Scheme::of(&self.labels, self.background.as_deref());
        let kinds = if self.kind == HeadKind::Token { &named.kinds } else { &self.labels };
        for (label, threshold) in &self.thresholds {
            if !kinds.contains(label) {
                return Some(format!("thresholds has {label:?}, which is not one of {kinds:?}"));
            }
            if !(0.0..=1.0).contains(threshold) {
                return Some(format!("the threshold of {label:?} is {threshold}; it must be between 0 and 1"));
            }
        }
        if let Some(window) = self.window.filter(|window| window.overlap >= window.tokens) {
            return Some(format!("window has {} tokens and an overlap of {}", window.tokens, window.overlap));
        }
        if self.kind == HeadKind::Token && self.reads != HeadReads::default() {
            return Some(
                "reads is of the kinds \"sequence\" and \"scores\"; a token head reads every token".to_owned(),
            );
        }
        match &self.grounded_prompt {
            Some(_) if self.kind != HeadKind::Token => Some("grounded_prompt needs the kind \"token\"".to_owned()),
            Some(prompt) if prompt.matches("{context}").count() != 1 => {
                Some("grounded_prompt must have {context} in it once".to_owned())
            }
            _ => None,
        }
    }
}

fn one() -> f32 {
    1.0
}

fn half() -> f32 {
    0.5
}
