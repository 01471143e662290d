//! The classifier that a `*ForSequenceClassification` or `*ForTokenClassification` brings: from the author's tensors to
//! logits.

use super::transform::{Linear, Norm, Step, Transform};
use crate::error::Error;
use crate::package::{
    Activation, Architecture, DebertaConfig, EncoderConfig, HeadKind, ModernBertConfig, Package, Pooling, Weights,
};

/// Which vectors of a row a classifier reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reads {
    /// The first token's: one answer for a row.
    FirstToken,
    /// The mean of all tokens': one answer for a row.
    Mean,
    /// Every token's: one answer for each.
    EveryToken,
    /// The graph's own vector of the row, which holds the logits already.
    Row,
}

/// A classifier and its labels.
#[derive(Debug, Clone)]
pub struct Classifier {
    /// Which vectors it reads.
    pub reads: Reads,
    /// The labels, in the order of the logits.
    pub labels: Vec<String>,
    /// What probabilities follow from the logits.
    pub kind: HeadKind,
    /// From a vector to its logits, in label order.
    pub network: Transform,
}

impl Classifier {
    /// Loads the classifier of a package of a classification family.
    pub fn open(package: &Package) -> Result<Self, Error> {
        let Some((labels, kind)) = package.classifier.clone() else {
            return Err(Error::Internal("A classification package has no labels; this is a bug".to_owned()));
        };
        let of_tokens = package.family.labels_tokens();
        let (reads, network) = match &package.architecture {
            Architecture::Transformer(config) => {
                let tensors =
                    Tensors { weights: package.weights()?, width: config.hidden_size(), labels: labels.len() };
                let steps = if of_tokens { tensors.of_tokens(config)? } else { tensors.of_rows(config)? };
                (reads(config, of_tokens), Transform::new(steps))
            }
            Architecture::ShippedOnnx(_) if of_tokens => (Reads::EveryToken, Transform::default()),
            Architecture::ShippedOnnx(_) => (Reads::Row, Transform::default()),
            Architecture::Static(_) | Architecture::Towers(_) => {
                return Err(Error::Internal(
                    "A package without a classifier was opened as one; this is a bug".to_owned(),
                ));
            }
        };
        Ok(Self { reads, labels, kind, network })
    }
}

fn reads(config: &EncoderConfig, of_tokens: bool) -> Reads {
    match config.classifier_pooling() {
        _ if of_tokens => Reads::EveryToken,
        Pooling::Mean => Reads::Mean,
        _ => Reads::FirstToken,
    }
}

/// The author's tensors and the sizes they must have.
struct Tensors<'w> {
    weights: &'w Weights,
    width: usize,
    labels: usize,
}

impl Tensors<'_> {
    fn of_rows(&self, config: &EncoderConfig) -> Result<Vec<Step>, Error> {
        let tanh = Step::Activation(Activation::Tanh);
        Ok(match config {
            EncoderConfig::Bert(_) => {
                let pooler = self.pooler(&["bert.", ""])?;
                vec![self.dense(&pooler)?, tanh, self.logits("classifier")?]
            }
            EncoderConfig::Roberta(_) | EncoderConfig::Mpnet(_) => {
                vec![self.dense("classifier.dense")?, tanh, self.logits("classifier.out_proj")?]
            }
            EncoderConfig::Electra(_) => {
                // Whatever the activation of the layers is.
                let gelu = Step::Activation(Activation::Gelu);
                vec![self.dense("classifier.dense")?, gelu, self.logits("classifier.out_proj")?]
            }
            EncoderConfig::DistilBert(_) => {
                let relu = Step::Activation(Activation::Relu);
                vec![self.dense("pre_classifier")?, relu, self.logits("classifier")?]
            }
            EncoderConfig::ModernBert(config) => self.modernbert(config)?,
            EncoderConfig::Deberta(DebertaConfig { pooler_hidden_act, .. }) => {
                let pooler = self.pooler(&["", "deberta."])?;
                vec![self.dense(&pooler)?, Step::Activation(*pooler_hidden_act), self.logits("classifier")?]
            }
        })
    }

    fn of_tokens(&self, config: &EncoderConfig) -> Result<Vec<Step>, Error> {
        match config {
            EncoderConfig::ModernBert(config) => self.modernbert(config),
            _ => Ok(vec![self.logits("classifier")?]),
        }
    }

    fn modernbert(&self, config: &ModernBertConfig) -> Result<Vec<Step>, Error> {
        let bias = config.classifier_bias.then_some("head.dense.bias");
        let dense = Linear::open(self.weights, "head.dense.weight", bias, [self.width, self.width])?;
        let norm = Norm::open(self.weights, "head.norm", self.width, config.norm_eps)?;
        let activation = Step::Activation(config.classifier_activation);
        Ok(vec![Step::Linear(dense), activation, Step::Norm(norm), self.logits("classifier")?])
    }

    /// The module of the pooler, which is part of the encoder in some classes and beside it in others.
    fn pooler(&self, prefixes: &[&str]) -> Result<String, Error> {
        let names: Vec<String> = prefixes.iter().map(|prefix| format!("{prefix}pooler.dense")).collect();
        let found = names.iter().find(|name| self.weights.has(&format!("{name}.weight")));
        found.cloned().ok_or_else(|| self.weights.invalid(&format!("{}.weight", names[0]), "is missing"))
    }

    fn dense(&self, module: &str) -> Result<Step, Error> {
        self.linear(module, self.width)
    }

    fn logits(&self, module: &str) -> Result<Step, Error> {
        self.linear(module, self.labels)
    }

    fn linear(&self, module: &str, outputs: usize) -> Result<Step, Error> {
        let (weight, bias) = (format!("{module}.weight"), format!("{module}.bias"));
        Ok(Step::Linear(Linear::open(self.weights, &weight, Some(&bias), [outputs, self.width])?))
    }
}
