//! Typed questions about a state.

use std::sync::Arc;

use super::item::{ItemAnswer, Planned};
use super::read::Limits;
use crate::error::Error;
use crate::families::{DecisionLayout, Finish, ReadInput, StateMemo, StateReading};
use crate::model::LoadedModel;
use crate::question::Question;
use crate::schedule::Allowance;

/// The rows of a group of questions and how they become its answers.
pub fn plan(layout: &dyn DecisionLayout, read: &StateReading<'_>, questions: &[&Question]) -> Result<Planned, Error> {
    let laid_out = layout.lay_out(read, questions)?;
    let finish = laid_out.finish;
    let cut: Arc<[bool]> = laid_out.cut.into();
    let finish: Finish<_> = Box::new(move |outputs, pace| {
        Box::pin(async move { Ok(ItemAnswer::Answers { answers: Arc::new(finish(outputs, pace).await), cut }) })
    });
    let input = ReadInput { windows: laid_out.rows.len(), ..laid_out.input };
    Ok(Planned { rows: laid_out.rows, input, finish })
}

/// A state within its limits.
pub fn reading<'r>(model: &'r LoadedModel, limits: Limits, allowance: Allowance, state: &'r str) -> StateReading<'r> {
    StateReading {
        reader: &model.reader,
        state,
        row_tokens: limits.row_tokens,
        scan_tokens: limits.scan_tokens,
        can_raise: limits.can_raise,
        overflow: limits.overflow,
        allowance,
        memo: StateMemo::default(),
    }
}

/// Checks that a model answers questions of this kind.
pub fn check_question(layout: &dyn DecisionLayout, model: &str, question: &Question) -> Result<(), Error> {
    let card = layout.card();
    let kind = question.kind.as_str();
    if !card.question_types.contains(&kind) {
        let known = card.question_types.join(", ");
        return Err(Error::InvalidQuestion(format!("Model {model:?} answers no {kind} questions; it answers {known}")));
    }
    let options = question.kind.options();
    if options > card.max_options {
        return Err(Error::InvalidQuestion(format!(
            "The question has {options} options; model {model:?} takes at most {}",
            card.max_options
        )));
    }
    Ok(())
}

/// Everything of a question that decides its answer, as one string.
pub fn canonical(question: &Question) -> String {
    // The Debug form quotes every string, so no two questions share it.
    format!("{question:?}")
}
