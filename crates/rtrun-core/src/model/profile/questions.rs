//! Typed questions as probes: what is asked, and the labels that an answer decides on.

use std::sync::Arc;

use super::output::{compute, largest};
use crate::answer::{Pace, at_once};
use crate::engines::{Encoder, RowOutput};
use crate::error::Error;
use crate::model::golden_check::Candidate;
use crate::question::{Answer, Described, Question, QuestionKind};

/// From this probability on, the answer to a noul question is yes.
const YES: f32 = 0.5;

/// A state and what is asked about it.
#[derive(Debug)]
pub struct StateProbe {
    /// The state.
    pub state: String,
    /// The questions.
    pub questions: Vec<Question>,
}

/// What an encoder makes of a state.
#[derive(Debug, Default)]
pub struct Asked {
    /// By question, what its answer decides.
    pub labels: Vec<usize>,
    /// By question about places, label and code point, whether a span covers it.
    pub covered: Vec<usize>,
    /// What the rows of the state gave.
    pub outputs: Vec<Arc<RowOutput>>,
}

/// A question of each type that the model answers.
pub fn built_in_questions(types: &[&'static str]) -> Vec<Question> {
    let described = |keys: &[&str]| -> Vec<Described> {
        keys.iter().map(|key| Described { key: (*key).to_owned(), description: None }).collect()
    };
    let of_type = |word: &&str| -> Option<(&str, QuestionKind)> {
        Some(match *word {
            "choice" => {
                let kinds = ["question", "instruction", "statement"];
                ("Which kind of text is this?", QuestionKind::Choice(described(&kinds)))
            }
            "noul" => ("Does the writer ask for help?", QuestionKind::Noul { no: None, yes: None }),
            "score" => {
                let levels = ["not at all", "somewhat", "very"].map(str::to_owned);
                ("How urgent is it?", QuestionKind::Score(levels.to_vec()))
            }
            "set" => ("What does it mention?", QuestionKind::Set(described(&["person", "number", "place", "code"]))),
            "span" => ("Where does it stand?", QuestionKind::Span(described(&["number", "name"]))),
            _ => return None,
        })
    };
    let question = |(instructions, kind): (&str, QuestionKind)| Question {
        instructions: instructions.to_owned(),
        kind,
        threshold: None,
    };
    types.iter().filter_map(of_type).map(question).collect()
}

impl StateProbe {
    /// Asks. An output that is not finite fails it.
    pub fn ask(&self, encoder: &mut dyn Encoder, candidate: &Candidate) -> Result<Asked, Error> {
        let (layout, read) = candidate.reading(&self.state)?;
        let questions: Vec<&Question> = self.questions.iter().collect();
        let mut asked = Asked::default();
        for group in layout.groups(&read, &questions) {
            let together: Vec<&Question> = group.iter().map(|index| questions[*index]).collect();
            let laid_out = layout.lay_out(&read, &together)?;
            let mut outputs = Vec::with_capacity(laid_out.rows.len());
            for row in &laid_out.rows {
                outputs.push(Arc::new(compute(encoder, row)?));
            }
            for (question, answer) in together.iter().zip(at_once((laid_out.finish)(&outputs, &mut Pace::at_once()))) {
                asked.decide(question, &answer?, self.state.chars().count());
            }
            asked.outputs.extend(outputs);
        }
        Ok(asked)
    }
}

impl Asked {
    fn decide(&mut self, question: &Question, answer: &Answer, code_points: usize) {
        match answer {
            Answer::Choice { chosen, .. } => self.labels.push(*chosen),
            Answer::Noul { noul, .. } => self.labels.push(usize::from(*noul >= YES)),
            Answer::Score { probabilities, .. } => self.labels.push(largest(probabilities)),
            Answer::Set { probabilities, threshold } => {
                self.labels.extend(probabilities.iter().map(|one| usize::from(one >= threshold)));
            }
            Answer::Span { spans, .. } => {
                let QuestionKind::Span(labels) = &question.kind else { return };
                for label in labels {
                    let mut covered = vec![0; code_points];
                    for span in spans.iter().filter(|span| span.label == label.key) {
                        covered[span.start..span.end].fill(1);
                    }
                    self.covered.extend(covered);
                }
            }
        }
    }
}
