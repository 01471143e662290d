//! What can be asked of an engine, and what it answers.

use std::time::{Duration, Instant};

use crate::engines::RowVector;
use crate::error::Error;
use crate::package::HeadKind;
use crate::tokens::Overflow;

/// One task of a bundle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
    /// The caller's name for it.
    pub id: String,
    /// The model; may be left out where one model is served.
    pub model: Option<String>,
    /// What to do.
    pub kind: TaskKind,
    /// The texts.
    pub input: Vec<String>,
    /// What happens to a text over the budget; see [`TaskKind::default_overflow`].
    pub overflow: Option<Overflow>,
    /// The budget in tokens, special ones included; at most the model's.
    pub max_tokens: Option<usize>,
}

/// What a task does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TaskKind {
    /// Probabilities of a head.
    Classify {
        /// The head; may be left out where the model has one.
        head: Option<String>,
    },
    /// Sentence vectors.
    Embeddings {
        /// The wished length, if the model declares several.
        dimensions: Option<usize>,
    },
    /// A kind that the contract has and this build does not serve. It is answered with `unsupported_surface`.
    NotYet {
        /// The name of the surface.
        surface: &'static str,
    },
}

/// Options of a whole bundle.
#[derive(Debug, Clone, Copy, Default)]
pub struct BundleOptions {
    /// When the caller stops waiting.
    pub deadline: Option<Instant>,
}

/// The answers to a bundle, in task order.
#[derive(Debug)]
pub struct BundleAnswer {
    /// One outcome a task.
    pub outcomes: Vec<TaskOutcome>,
    /// Where the time went.
    pub phases: Phases,
}

/// How long each phase took. `queue`, `forward` and `post` are those of the model that answered last.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Phases {
    /// Reading texts into tokens.
    pub tokenize: Duration,
    /// Waiting for a forward.
    pub queue: Duration,
    /// Forwards.
    pub forward: Duration,
    /// From vectors to answers.
    pub post: Duration,
}

/// The outcome of one task.
#[derive(Debug)]
pub struct TaskOutcome {
    /// The caller's name for the task.
    pub id: String,
    /// The answer, or why there is none.
    pub result: Result<TaskAnswer, Error>,
}

/// The answer to one task.
#[derive(Debug)]
pub enum TaskAnswer {
    /// Of a classify task.
    Classify(ClassifyAnswer),
    /// Of an embeddings task.
    Embeddings(EmbeddingsAnswer),
}

/// Probabilities of one head.
#[derive(Debug)]
pub struct ClassifyAnswer {
    /// The model that answered.
    pub model: AnsweredBy,
    /// The head that answered.
    pub head: String,
    /// What the probabilities mean.
    pub kind: HeadKind,
    /// Labels, in the order of the probabilities.
    pub labels: Vec<String>,
    /// The probability from which a label counts as selected.
    pub threshold: f32,
    /// Per input: what was read and the probabilities, or why there are none.
    pub items: Vec<Result<(ItemInput, Vec<f32>), Error>>,
    /// Tokens of all answered inputs.
    pub usage: Usage,
}

/// Sentence vectors.
#[derive(Debug)]
pub struct EmbeddingsAnswer {
    /// The model that answered.
    pub model: AnsweredBy,
    /// Length of a vector.
    pub dimension: usize,
    /// Whether vectors have length 1.
    pub normalized: bool,
    /// Per input: what was read and the vector, or why there is none.
    pub items: Vec<Result<(ItemInput, RowVector), Error>>,
    /// Tokens of all answered inputs.
    pub usage: Usage,
}

/// The identity of the model behind an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnsweredBy {
    /// The name it is served under.
    pub name: String,
    /// SHA-256 of its weights.
    pub model_sha256: String,
    /// SHA-256 of its manifest.
    pub manifest_sha256: Option<String>,
    /// Numerical profile.
    pub profile: &'static str,
    /// Which engine computed.
    pub engine: &'static str,
}

/// How much of one input was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ItemInput {
    /// Tokens of the text, special ones included.
    pub tokens: usize,
    /// Tokens that the model read.
    pub processed_tokens: usize,
    /// Whether the model read less than the text.
    pub truncated: bool,
    /// Whether `tokens` is only what was read of the text.
    pub is_lower_bound: bool,
}

/// Tokens of a task.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Usage {
    /// Tokens of all answered inputs.
    pub tokens: usize,
    /// Whether some input was read in part only.
    pub is_lower_bound: bool,
}

impl TaskKind {
    /// A class of half a text is not the class of the text, so classify refuses long texts unless told otherwise.
    /// A vector of the beginning is what every embedding library gives.
    pub fn default_overflow(&self) -> Overflow {
        match self {
            Self::Embeddings { .. } => Overflow::Truncate,
            Self::Classify { .. } | Self::NotYet { .. } => Overflow::Reject,
        }
    }
}

impl Usage {
    /// Adds one answered input.
    pub fn add(&mut self, input: ItemInput) {
        self.tokens += input.tokens;
        self.is_lower_bound |= input.is_lower_bound;
    }
}
