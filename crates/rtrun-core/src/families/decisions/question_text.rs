//! A question in words, as the models learned to read it.

use crate::package::QuestionSettings;
use crate::question::{Described, Question, QuestionKind};

/// The instructions and the options of a question, in its order; `false` stands before `true`.
#[derive(Debug, PartialEq, Eq)]
pub struct QuestionText {
    /// What is asked.
    pub instructions: String,
    /// One text an option, level or label.
    pub options: Vec<String>,
    /// What the caller wrote of each; none for `false` and `true`, which mean something without.
    pub written: Vec<String>,
    /// What is asked, where the options say only yes and no.
    pub statement: Option<String>,
}

impl QuestionText {
    /// Writes a question.
    pub fn new(question: &Question, settings: &QuestionSettings) -> Self {
        let options = match &question.kind {
            QuestionKind::Choice(options) | QuestionKind::Set(options) | QuestionKind::Span(options) => {
                options.iter().map(described).collect()
            }
            QuestionKind::Noul { no, yes } => {
                let (no, yes) = (no.as_deref().unwrap_or(&settings.no), yes.as_deref().unwrap_or(&settings.yes));
                vec![format!("false: {no}"), format!("true: {yes}")]
            }
            QuestionKind::Score(levels) => {
                levels.iter().enumerate().map(|(level, text)| format!("level {level}: {text}")).collect()
            }
        };
        let written = match &question.kind {
            QuestionKind::Noul { .. } => Vec::new(),
            QuestionKind::Score(levels) => levels.clone(),
            _ => options.clone(),
        };
        let statement = matches!(question.kind, QuestionKind::Noul { .. }).then(|| question.instructions.clone());
        let instructions = format!("{} {}", type_prefix(question.kind.as_str()), question.instructions);
        Self { instructions, options, written, statement }
    }
}

/// What stands in front of the instructions.
pub fn type_prefix(kind: &str) -> String {
    format!("{kind} question:")
}

fn described(option: &Described) -> String {
    match &option.description {
        Some(description) => format!("{}: {description}", option.key),
        None => option.key.clone(),
    }
}
