//! What may be asked of a model and how it is written: the part that both decision families share.

use serde::Deserialize;

/// What may be asked and how it is written.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QuestionSettings {
    /// The types that the model answers, in the order of the rows of its type embedding.
    pub types: Vec<QuestionType>,
    /// The most options or labels of a question.
    #[serde(default = "max_options")]
    pub max_options: usize,
    /// Tokens of a question with its options.
    pub tokens: usize,
    /// Tokens of one option.
    #[serde(default = "option_tokens")]
    pub option_tokens: usize,
    /// What "false" means where the caller does not say it.
    #[serde(default = "no")]
    pub no: String,
    /// What "true" means where the caller does not say it.
    #[serde(default = "yes")]
    pub yes: String,
}

/// A type of question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum QuestionType {
    /// One of the options.
    Choice,
    /// How likely a statement holds.
    Noul,
    /// A level of an ordered scale.
    Score,
    /// Any of the labels.
    Set,
    /// Places in the state.
    Span,
}

/// How the labels of a span question are compared with the words of the state.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SpanSettings {
    /// Length of the vectors that are compared.
    pub size: usize,
    /// Cosines are divided by it.
    pub temperature: f32,
    /// Added to the quotient.
    #[serde(default)]
    pub bias: f32,
}

impl QuestionSettings {
    /// Says which value is wrong. `span` are the settings of the head of spans.
    pub(super) fn check(&self, span: Option<&SpanSettings>) -> Result<(), String> {
        if self.types.is_empty() {
            return Err("questions.types is empty; name at least one".to_owned());
        }
        if let Some((_, twice)) = self.types.iter().enumerate().find(|(at, kind)| self.types[..*at].contains(kind)) {
            return Err(format!("questions.types has {:?} twice", twice.as_str()));
        }
        if !(2..=255).contains(&self.max_options) {
            return Err(format!("questions.max_options is {}; it must be between 2 and 255", self.max_options));
        }
        if self.tokens < LEAST_QUESTION_TOKENS {
            let tokens = self.tokens;
            return Err(format!("questions.tokens is {tokens}; it must be at least {LEAST_QUESTION_TOKENS}"));
        }
        if self.option_tokens == 0 {
            return Err("questions.option_tokens is 0; it must be at least 1".to_owned());
        }
        match (self.types.contains(&QuestionType::Span), span) {
            (true, None) => Err("span is missing; the type \"span\" needs it".to_owned()),
            (false, Some(_)) => Err("span is given, but questions.types does not have \"span\"".to_owned()),
            (true, Some(span)) => {
                check_size("span.size", span.size)?;
                check_temperature("span.temperature", span.temperature)?;
                if span.bias.is_finite() { Ok(()) } else { Err("span.bias must be a number".to_owned()) }
            }
            (false, None) => Ok(()),
        }
    }
}

/// Room for instructions and two short options.
const LEAST_QUESTION_TOKENS: usize = 24;

impl QuestionType {
    /// The word of the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Choice => "choice",
            Self::Noul => "noul",
            Self::Score => "score",
            Self::Set => "set",
            Self::Span => "span",
        }
    }
}

pub(super) fn check_size(name: &str, size: usize) -> Result<(), String> {
    if size == 0 { Err(format!("{name} is 0; it must be at least 1")) } else { Ok(()) }
}

pub(super) fn check_temperature(name: &str, temperature: f32) -> Result<(), String> {
    if temperature.is_finite() && temperature > 0.0 {
        return Ok(());
    }
    Err(format!("{name} is {temperature}; it must be above 0"))
}

fn max_options() -> usize {
    255
}

fn option_tokens() -> usize {
    48
}

pub(super) fn no() -> String {
    "no, the statement does not hold".to_owned()
}

pub(super) fn yes() -> String {
    "yes, the statement holds".to_owned()
}

pub(super) fn window_overlap() -> usize {
    512
}
