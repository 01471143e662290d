//! Asking typed questions, and the recorded cases of the fixture packages.

use std::sync::Arc;

use rtrun_core::package::{GoldenDecisions, GoldenQuestion};
use rtrun_core::{
    Answer, AskedQuestion, Described, Engine, EngineOptions, Error, Question, QuestionKind, ReadingOptions,
    StateAnswer, StateQuestions, Task, TaskAnswer, TaskKind,
};

use super::{answer, fixture, open_ready, options, task};

/// The recorded cases of a package: states, questions and answers.
pub fn cases(name: &str) -> Vec<GoldenDecisions> {
    let bytes = std::fs::read(fixture(&format!("decisions/{name}/expected.json"))).unwrap();
    serde_json::from_slice(&bytes).unwrap()
}

/// Options that serve a fixture package alone.
pub fn decision_options(name: &str) -> EngineOptions {
    options(&[(name, &fixture(&format!("decisions/{name}")))])
}

/// An engine that serves a fixture package alone and keeps no results.
pub fn decision_engine(name: &str) -> Arc<Engine> {
    open_ready(EngineOptions { result_cache_entries: 0, ..decision_options(name) })
}

/// A task that asks questions about one state.
pub fn ask_task(state: &str, questions: &[Question], reading: ReadingOptions) -> Task {
    let asked = |(index, question): (usize, &Question)| AskedQuestion {
        id: index.to_string(),
        kind: question.kind.as_str().to_owned(),
        question: Ok(question.clone()),
    };
    let questions = questions.iter().enumerate().map(asked).collect();
    let state = StateQuestions { name: None, state: state.to_owned(), questions, images: vec![], videos: vec![] };
    Task { reading, ..task(TaskKind::Decisions { states: vec![state] }) }
}

/// What an engine's only model answers about one state.
pub fn ask_with(engine: &Arc<Engine>, state: &str, questions: &[Question], reading: ReadingOptions) -> StateAnswer {
    match answer(engine, ask_task(state, questions, reading)) {
        Ok(TaskAnswer::Decisions(mut answer)) => answer.states.remove(0),
        other => panic!("{other:?}"),
    }
}

/// The same with the reading options that decisions have unless told otherwise.
pub fn ask(engine: &Arc<Engine>, state: &str, questions: &[Question]) -> Vec<Result<Answer, Error>> {
    ask_with(engine, state, questions, ReadingOptions::default()).answers
}

/// The answers of questions that are all valid.
pub fn ask_valid(engine: &Arc<Engine>, state: &str, questions: &[Question]) -> Vec<Answer> {
    ask(engine, state, questions).into_iter().map(Result::unwrap).collect()
}

/// The questions of a recorded case.
pub fn questions(case: &GoldenDecisions) -> Vec<Question> {
    case.questions.iter().map(GoldenQuestion::question).collect()
}

pub fn choice(instructions: &str, options: &[&str]) -> Question {
    Question { instructions: instructions.to_owned(), kind: QuestionKind::Choice(described(options)), threshold: None }
}

pub fn noul(instructions: &str) -> Question {
    let kind = QuestionKind::Noul { no: None, yes: None };
    Question { instructions: instructions.to_owned(), kind, threshold: None }
}

pub fn score(instructions: &str, levels: &[&str]) -> Question {
    let kind = QuestionKind::Score(levels.iter().map(|&level| level.to_owned()).collect());
    Question { instructions: instructions.to_owned(), kind, threshold: None }
}

pub fn set(instructions: &str, labels: &[&str]) -> Question {
    Question { instructions: instructions.to_owned(), kind: QuestionKind::Set(described(labels)), threshold: None }
}

pub fn span(instructions: &str, labels: &[&str]) -> Question {
    let kind = QuestionKind::Span(described(labels));
    Question { instructions: instructions.to_owned(), kind, threshold: None }
}

fn described(keys: &[&str]) -> Vec<Described> {
    keys.iter().map(|&key| Described { key: key.to_owned(), description: None }).collect()
}

/// Every number of an answer, bit for bit, with the places of spans.
pub fn bits(answers: &[Answer]) -> Vec<Vec<u32>> {
    let floats = |values: &[f32]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
    let number = |value: usize| u32::try_from(value).unwrap();
    let bits = answers.iter().map(|answer| match answer {
        Answer::Noul { noul, .. } => [floats(&[*noul]), floats(answer.abstain().as_slice())].concat(),
        Answer::Choice { probabilities, .. }
        | Answer::Score { probabilities, .. }
        | Answer::Set { probabilities, .. } => [floats(probabilities), floats(answer.abstain().as_slice())].concat(),
        Answer::Span { noul, spans, .. } => {
            let places = spans.iter().flat_map(|span| [number(span.start), number(span.end)]);
            let values = spans.iter().map(|span| span.probability.to_bits());
            places.chain(values).chain([noul.to_bits()]).collect()
        }
    });
    bits.collect()
}
