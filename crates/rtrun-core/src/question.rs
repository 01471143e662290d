//! What can be asked about a state, what is answered, and how sure an answer is.

use crate::error::Error;

/// A valid question.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// What is asked; never blank.
    pub instructions: String,
    /// The type and its criteria.
    pub kind: QuestionKind,
    /// The probability from which a label of a set or span question counts; the model's if absent. From 0 to 1.
    pub threshold: Option<f32>,
}

/// The type of a question and its criteria, in the caller's order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum QuestionKind {
    /// Which of 2 to 255 options?
    Choice(Vec<Described>),
    /// How likely is yes? With what no and yes mean, where the caller says it.
    Noul {
        /// What no means.
        no: Option<String>,
        /// What yes means.
        yes: Option<String>,
    },
    /// Which of 2 to 10 ordered levels, lowest first? One level may be an empty text.
    Score(Vec<String>),
    /// Which of 1 to 255 independent labels hold?
    Set(Vec<Described>),
    /// Where in the state do 1 to 255 labels stand?
    Span(Vec<Described>),
}

/// An option or a label. Keys of one question differ and are not blank.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Described {
    /// What answers call it.
    pub key: String,
    /// What it means; never blank.
    pub description: Option<String>,
}

/// One state and its questions.
#[derive(Debug, Clone, PartialEq)]
pub struct StateQuestions {
    /// The name in `states`; none for the outer state.
    pub name: Option<String>,
    /// The text asked about; JSON is written as text.
    pub state: String,
    /// At least one question, in the caller's order.
    pub questions: Vec<AskedQuestion>,
    /// Data URLs, not checked yet.
    pub images: Vec<String>,
    /// Data URLs, not checked yet.
    pub videos: Vec<String>,
}

/// A question as it was asked.
#[derive(Debug, Clone, PartialEq)]
pub struct AskedQuestion {
    /// What answers call it.
    pub id: String,
    /// The type word, or `unknown` if it is none of [`QUESTION_TYPES`].
    pub kind: String,
    /// The question, or why it is not valid.
    pub question: Result<Question, Error>,
}

/// The answer to one question. Probabilities are in the order of the question's criteria.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// To a choice question.
    Choice {
        /// Index of the option.
        chosen: usize,
        /// See [`choice_confidence`].
        confidence: f32,
        /// One per option; they add up to 1.
        probabilities: Vec<f32>,
        /// See [`Answer::abstain`].
        abstain: Option<f32>,
    },
    /// To a noul question.
    Noul {
        /// The probability of yes.
        noul: f32,
        /// See [`Answer::abstain`].
        abstain: Option<f32>,
    },
    /// To a score question.
    Score {
        /// The expected level; the lowest is 0.
        score: f32,
        /// See [`score_confidence`].
        confidence: f32,
        /// One per level; they add up to 1.
        probabilities: Vec<f32>,
        /// See [`Answer::abstain`].
        abstain: Option<f32>,
    },
    /// To a set question.
    Set {
        /// One per label.
        probabilities: Vec<f32>,
        /// The probability from which a label counts.
        threshold: f32,
    },
    /// To a span question.
    Span {
        /// The probability that there is a span at all.
        noul: f32,
        /// The spans, in text order.
        spans: Vec<Span>,
        /// The probability from which a span counts.
        threshold: f32,
    },
}

/// A labelled piece of a text. Offsets are Unicode code points, the end is exclusive.
#[derive(Debug, Clone, PartialEq)]
pub struct Span {
    /// The label's key.
    pub label: String,
    /// The first code point.
    pub start: usize,
    /// The code point after the last.
    pub end: usize,
    /// The piece itself.
    pub text: String,
    /// How likely it is.
    pub probability: f32,
}

/// The words for the types of questions.
pub const QUESTION_TYPES: [&str; 5] = ["choice", "noul", "score", "set", "span"];

impl QuestionKind {
    /// The word of the wire, one of [`QUESTION_TYPES`].
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Choice(_) => "choice",
            Self::Noul { .. } => "noul",
            Self::Score(_) => "score",
            Self::Set(_) => "set",
            Self::Span(_) => "span",
        }
    }

    /// How many options, levels or labels it has.
    pub fn options(&self) -> usize {
        match self {
            Self::Choice(options) | Self::Set(options) | Self::Span(options) => options.len(),
            Self::Score(levels) => levels.len(),
            Self::Noul { .. } => 2,
        }
    }
}

impl StateQuestions {
    /// Bytes of the state for each question, and of the questions.
    pub fn bytes(&self) -> usize {
        let questions = self.questions.iter().filter_map(|asked| asked.question.as_ref().ok());
        self.state.len() * self.questions.len().max(1) + questions.map(Question::bytes).sum::<usize>()
    }
}

impl Question {
    fn bytes(&self) -> usize {
        let described = |option: &Described| option.key.len() + option.description.as_ref().map_or(0, String::len);
        let of_kind: usize = match &self.kind {
            QuestionKind::Choice(all) | QuestionKind::Set(all) | QuestionKind::Span(all) => {
                all.iter().map(described).sum()
            }
            QuestionKind::Noul { no, yes } => [no, yes].into_iter().flatten().map(String::len).sum(),
            QuestionKind::Score(levels) => levels.iter().map(String::len).sum(),
        };
        self.instructions.len() + of_kind
    }
}

impl Answer {
    /// The answer to a choice question with these probabilities.
    pub fn choice(probabilities: Vec<f32>, abstain: Option<f32>) -> Self {
        let (chosen, confidence) = (likeliest(&probabilities), choice_confidence(&probabilities));
        Self::Choice { chosen, confidence, probabilities, abstain }
    }

    /// The answer to a score question with these probabilities.
    pub fn score(probabilities: Vec<f32>, abstain: Option<f32>) -> Self {
        let (score, confidence) = (expected_level(&probabilities), score_confidence(&probabilities));
        Self::Score { score, confidence, probabilities, abstain }
    }

    /// The probability that the answer should not be used, of models that tell it.
    pub fn abstain(&self) -> Option<f32> {
        match self {
            Self::Choice { abstain, .. } | Self::Noul { abstain, .. } | Self::Score { abstain, .. } => *abstain,
            Self::Set { .. } | Self::Span { .. } => None,
        }
    }

    /// Whether every number is finite, as JSON needs it.
    pub fn is_finite(&self) -> bool {
        let all = |values: &[f32]| values.iter().all(|value| value.is_finite());
        self.abstain().is_none_or(f32::is_finite)
            && match self {
                Self::Choice { confidence, probabilities, .. } => confidence.is_finite() && all(probabilities),
                Self::Noul { noul, .. } => noul.is_finite(),
                Self::Score { score, confidence, probabilities, .. } => {
                    all(&[*score, *confidence]) && all(probabilities)
                }
                Self::Set { probabilities, threshold } => threshold.is_finite() && all(probabilities),
                Self::Span { noul, spans, threshold } => {
                    all(&[*noul, *threshold]) && spans.iter().all(|span| span.probability.is_finite())
                }
            }
    }
}

/// How sure a choice is: 0 where all options are equally likely, 1 where one is certain.
///
/// (p − 1/n) / (1 − 1/n) of the likeliest of n options, at least 0: what the first System One service documents.
pub fn choice_confidence(probabilities: &[f32]) -> f32 {
    let uniform = 1.0 / probabilities.len().max(1) as f32;
    let best = probabilities.get(likeliest(probabilities)).copied().unwrap_or(0.0);
    if probabilities.len() < 2 { best } else { at_least_zero((best - uniform) / (1.0 - uniform)) }
}

/// How sure a score is: 1 where one level is certain, 0 where levels are spread as evenly likely ones are, or wider.
///
/// 1 less the expected distance from the likeliest level, relative to the mean distance of evenly likely levels from
/// their centre, at least 0: what the first System One service documents.
pub fn score_confidence(probabilities: &[f32]) -> f32 {
    let (mode, count) = (likeliest(probabilities), probabilities.len());
    if count < 2 {
        return 1.0;
    }
    let levels = || probabilities.iter().enumerate();
    let distance: f32 = levels().map(|(level, probability)| probability * level.abs_diff(mode) as f32).sum();
    let centre = (count - 1) as f32 / 2.0;
    let spread = levels().map(|(level, _)| (level as f32 - centre).abs()).sum::<f32>() / count as f32;
    at_least_zero(1.0 - distance / spread)
}

/// The mean level under these probabilities; the lowest level is 0.
pub fn expected_level(probabilities: &[f32]) -> f32 {
    probabilities.iter().enumerate().map(|(level, probability)| level as f32 * probability).sum()
}

/// The index of the first of the largest values.
pub fn likeliest(values: &[f32]) -> usize {
    (0..values.len()).reduce(|best, at| if values[at] > values[best] { at } else { best }).unwrap_or(0)
}

/// Rounding can leave a value a little outside; a value that is not a number stays one, so that it is noticed.
fn at_least_zero(value: f32) -> f32 {
    if value.is_nan() { value } else { value.clamp(0.0, 1.0) }
}
