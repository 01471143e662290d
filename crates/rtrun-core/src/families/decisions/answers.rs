//! From the logits of a question's windows to its answer.

use crate::error::Error;
use crate::families::{sigmoid, softmax};
use crate::package::Calibration;
use crate::question::{Answer, Question, QuestionKind};

/// The logits of one question in one window.
#[derive(Debug, Clone, Default)]
pub struct Logits {
    /// One per option.
    pub options: Vec<f32>,
    /// That of "none of them", of choices of models that have this option.
    pub none: Option<f32>,
}

/// The threshold of a question.
pub fn threshold(question: &Question, calibration: &Calibration) -> f32 {
    question.threshold.unwrap_or_else(|| calibration.threshold(question.kind.as_str()))
}

/// The answer to a question that is none of spans. One set of options is weighed over all windows: by the mean of the
/// logits; a label applies where it applies in any window.
pub fn answer(question: &Question, windows: &[Logits], calibration: &Calibration) -> Result<Answer, Error> {
    let is_set = matches!(question.kind, QuestionKind::Set(_));
    let mut logits = combined(windows, is_set);
    let none = windows
        .first()
        .and_then(|window| window.none)
        .map(|_| windows.iter().filter_map(|window| window.none).sum::<f32>() / windows.len() as f32);
    let temperature = calibration.temperature(question.kind.as_str(), logits.len());
    for logit in &mut logits {
        *logit /= temperature;
    }
    let none = none.map(|logit| share_of_none(&logits, logit / temperature));
    if is_set {
        sigmoid(&mut logits);
    } else {
        softmax(&mut logits);
    }
    let abstain = calibration.abstain(question.kind.as_str(), &logits, none);
    let answer = match &question.kind {
        QuestionKind::Choice(_) => Answer::choice(logits, abstain),
        QuestionKind::Noul { .. } => Answer::Noul { noul: logits.get(1).copied().unwrap_or(f32::NAN), abstain },
        QuestionKind::Score(_) => Answer::score(logits, abstain),
        QuestionKind::Set(_) => Answer::Set { probabilities: logits, threshold: threshold(question, calibration) },
        QuestionKind::Span(_) => return Err(Error::Internal("A span question has places; this is a bug".to_owned())),
    };
    finite(answer)
}

/// The answer, unless one of its numbers is none.
pub fn finite(answer: Answer) -> Result<Answer, Error> {
    if answer.is_finite() {
        Ok(answer)
    } else {
        Err(Error::InvalidModelOutput("The model answered with a number that is not finite".to_owned()))
    }
}

/// The mean of the windows, or the largest of them.
fn combined(windows: &[Logits], is_set: bool) -> Vec<f32> {
    let mut windows_left = windows.iter();
    let mut total = windows_left.next().map(|window| window.options.clone()).unwrap_or_default();
    for window in windows_left {
        for (total, logit) in total.iter_mut().zip(&window.options) {
            // A logit that is not a number stays one, so that it is noticed.
            *total = match is_set {
                false => *total + logit,
                true if *logit > *total || logit.is_nan() => *logit,
                true => *total,
            };
        }
    }
    if !is_set {
        for logit in &mut total {
            *logit /= windows.len() as f32;
        }
    }
    total
}

/// The share of "none of them" beside all options.
fn share_of_none(options: &[f32], abstain: f32) -> f32 {
    let mut all = [options, &[abstain]].concat();
    softmax(&mut all);
    all.last().copied().unwrap_or(f32::NAN)
}
