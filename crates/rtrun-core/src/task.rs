//! What can be asked of an engine, and what it answers.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::engines::RowVector;
use crate::error::Error;
use crate::families::ReadInput;
use crate::package::HeadKind;
use crate::question::{Answer, Span, StateQuestions};
use crate::schedule::Source;
use crate::tokens::Overflow;

/// One task of a bundle.
#[derive(Debug, Clone, PartialEq)]
pub struct Task {
    /// The caller's name for it.
    pub id: String,
    /// The model; may be left out where one model is served.
    pub model: Option<String>,
    /// What to do.
    pub kind: TaskKind,
    /// How long inputs are read.
    pub reading: ReadingOptions,
}

/// How long inputs are read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ReadingOptions {
    /// What happens to an input over the budget; see [`TaskKind::default_overflow`].
    pub overflow: Option<Overflow>,
    /// The budget in tokens, special ones included: at most the model's, or the scan budget where windows are read.
    pub max_tokens: Option<usize>,
    /// The windows of [`Overflow::Window`].
    pub window: Option<Window>,
}

/// Windows of a long input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// Tokens of one window, special ones included.
    pub tokens: usize,
    /// Tokens that a window shares with the next.
    pub overlap: usize,
}

/// What a task does.
#[derive(Debug, Clone, PartialEq)]
pub enum TaskKind {
    /// What a head says about inputs.
    Classify {
        /// The head; may be left out where the model has one.
        head: Option<String>,
        /// The inputs.
        input: Vec<ClassifyInput>,
        /// Takes the place of the head's own thresholds.
        threshold: Option<f32>,
        /// Whether a token head tells its probabilities for every token.
        with_tokens: bool,
    },
    /// Sentence vectors.
    Embeddings {
        /// The inputs.
        input: Vec<EmbeddingInput>,
        /// The wished length, if the model declares several.
        dimensions: Option<usize>,
        /// The layer to leave by, if the model declares several.
        layer: Option<usize>,
        /// What the texts are, for models that read queries and documents differently.
        input_type: Option<InputType>,
    },
    /// How well documents answer a query.
    Rerank {
        /// The query.
        query: String,
        /// The documents.
        documents: Vec<String>,
    },
    /// Typed questions about states.
    Decisions {
        /// The states; the first is the request's own.
        states: Vec<StateQuestions>,
    },
}

/// One input of a classify task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClassifyInput {
    /// A text.
    Text(String),
    /// Two texts that are read together.
    Pair(String, String),
    /// An answer that is checked against its context.
    Grounded {
        /// What the answer must follow from.
        context: String,
        /// What was asked; may be empty.
        question: String,
        /// What is checked.
        answer: String,
    },
}

/// One input of an embeddings task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EmbeddingInput {
    /// A text.
    Text(String),
    /// An image as a data URL.
    Image(String),
    /// A piece of audio.
    Audio {
        /// The file in base64.
        data: String,
        /// `wav` or `mp3`.
        format: String,
    },
}

/// What the inputs of an embeddings task are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Modality {
    /// All of them texts.
    Text,
    /// All of them images.
    Image,
    /// Some of each.
    Mixed,
}

/// What a text to embed is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InputType {
    /// Something that is looked for.
    Query,
    /// Something to be found.
    Document,
}

/// Options of a whole bundle.
#[derive(Debug, Clone, Copy, Default)]
pub struct BundleOptions {
    /// When the caller stops waiting.
    pub deadline: Option<Instant>,
    /// What the bundle belongs to, where that takes several bundles.
    pub source: Option<Source>,
}

/// The answers to a bundle, in task order.
#[derive(Debug)]
pub struct BundleAnswer {
    /// One outcome a task.
    pub outcomes: Vec<TaskOutcome>,
    /// Where the time went.
    pub phases: Phases,
}

/// How long each phase took. Of several models, `queue` and `forward` are those of the one that answered last, and the other
/// phases those of the one that took longest.
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
    /// Of a rerank task.
    Rerank(RerankAnswer),
    /// Of a decisions task.
    Decisions(DecisionsAnswer),
}

/// What one head says.
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
    /// Per label, the probability from which it counts as selected. Token heads have applied theirs.
    pub thresholds: Vec<f32>,
    /// Per input: what was read and what was found, or why there is no answer.
    pub items: Vec<Result<(ReadInput, Arc<Classified>), Error>>,
    /// Tokens of all answered inputs.
    pub usage: Usage,
}

/// What a head says about one input.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Classified {
    /// One probability a label; empty for token heads.
    pub probabilities: Vec<f32>,
    /// The spans of a token head.
    pub spans: Vec<Span>,
    /// The tokens of a token head, where they were asked for.
    pub tokens: Option<Vec<TokenLabels>>,
    /// The windows of a text that took several, in order.
    pub windows: Vec<WindowLabels>,
}

/// What a token head says about one token.
#[derive(Debug, Clone, PartialEq)]
pub struct TokenLabels {
    /// First character, in code points.
    pub start: usize,
    /// One more than the last character.
    pub end: usize,
    /// One probability a label.
    pub probabilities: Vec<f32>,
}

/// What a head says about one window of a text.
#[derive(Debug, Clone, PartialEq)]
pub struct WindowLabels {
    /// First character, in code points.
    pub start: usize,
    /// One more than the last character.
    pub end: usize,
    /// One probability a label; empty for token heads.
    pub probabilities: Vec<f32>,
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
    /// The layer that the vectors left by, `None` for the last one.
    pub layer: Option<usize>,
    /// What the inputs are.
    pub modality: Modality,
    /// Per input: what was read and the vector, or why there is none.
    pub items: Vec<Result<(ReadInput, RowVector), Error>>,
    /// Tokens of all answered inputs.
    pub usage: Usage,
}

/// How well documents answer a query.
#[derive(Debug)]
pub struct RerankAnswer {
    /// The model that answered.
    pub model: AnsweredBy,
    /// The documents as they were given.
    pub documents: Vec<String>,
    /// Per document, in the order they were given: what was read and its relevance, or why there is none.
    pub items: Vec<Result<(ReadInput, Relevance), Error>>,
    /// Tokens of all answered pairs.
    pub usage: Usage,
}

/// How well a document answers a query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Relevance {
    /// From 0 to 1.
    pub score: f32,
    /// What the model gave.
    pub logit: f32,
}

/// Answers to typed questions.
#[derive(Debug)]
pub struct DecisionsAnswer {
    /// The model that answered.
    pub model: AnsweredBy,
    /// One a state, in the order they were given.
    pub states: Vec<StateAnswer>,
}

/// The answers about one state.
#[derive(Debug)]
pub struct StateAnswer {
    /// The state and its questions as they were asked.
    pub asked: StateQuestions,
    /// One answer a question, in order.
    pub answers: Vec<Result<Answer, Error>>,
    /// Per question whether its own text was longer than what the model reads of one.
    pub cut: Vec<bool>,
    /// Tokens of the answered questions.
    pub usage: Usage,
}

/// The identity of the model behind an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnsweredBy {
    /// The name it is served under.
    pub name: String,
    /// The revision of its package, where one is known.
    pub revision: Option<String>,
    /// SHA-256 of its weights.
    pub model_sha256: String,
    /// SHA-256 of its manifest.
    pub manifest_sha256: Option<String>,
    /// Numerical profile.
    pub profile: &'static str,
    /// Which engine computed.
    pub engine: &'static str,
    /// Where it computed.
    pub device: String,
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
    /// A class of half a text is not the class of the text, so classify refuses long texts unless told otherwise. A
    /// vector of the beginning is what every embedding library gives, and a score of it what every reranker gives. A
    /// question is about the whole state.
    pub fn default_overflow(&self) -> Overflow {
        match self {
            Self::Embeddings { .. } | Self::Rerank { .. } => Overflow::Truncate,
            Self::Classify { .. } => Overflow::Reject,
            Self::Decisions { .. } => Overflow::Window,
        }
    }

    /// Bytes of all texts that become rows; what several inputs share counts for each.
    pub fn bytes(&self) -> usize {
        match self {
            Self::Classify { input, .. } => input.iter().map(ClassifyInput::bytes).sum(),
            Self::Embeddings { input, .. } => input.iter().map(EmbeddingInput::bytes).sum(),
            Self::Rerank { query, documents } => documents.iter().map(|document| document.len() + query.len()).sum(),
            Self::Decisions { states } => states.iter().map(StateQuestions::bytes).sum(),
        }
    }

    /// Whether anything but texts is to be read, which takes a while however few bytes it has.
    pub fn has_media(&self) -> bool {
        match self {
            Self::Embeddings { input, .. } => input.iter().any(|input| !matches!(input, EmbeddingInput::Text(_))),
            Self::Decisions { states } => {
                states.iter().any(|state| !state.images.is_empty() || !state.videos.is_empty())
            }
            Self::Classify { .. } | Self::Rerank { .. } => false,
        }
    }

    /// Images that are to be read.
    pub fn images(&self) -> usize {
        match self {
            Self::Embeddings { input, .. } => {
                input.iter().filter(|input| matches!(input, EmbeddingInput::Image(_))).count()
            }
            _ => 0,
        }
    }

    /// Inputs, documents or questions: each costs an answer.
    pub fn inputs(&self) -> usize {
        match self {
            Self::Classify { input, .. } => input.len(),
            Self::Embeddings { input, .. } => input.len(),
            Self::Rerank { documents, .. } => documents.len(),
            Self::Decisions { states } => states.iter().map(|state| state.questions.len()).sum(),
        }
    }
}

impl TaskAnswer {
    /// About how many numbers a response with the answer has, which is what writing it costs.
    pub fn numbers(&self) -> usize {
        match self {
            Self::Classify(answer) => {
                let labels = answer.labels.len();
                let of_item = |found: &Classified| {
                    let parts = found.tokens.as_ref().map_or(0, Vec::len) + found.windows.len() + found.spans.len();
                    found.probabilities.len() + parts * (2 + labels)
                };
                answer.items.iter().flatten().map(|(_, found)| of_item(found)).sum()
            }
            Self::Embeddings(answer) => answer.items.len() * answer.dimension,
            Self::Rerank(answer) => answer.items.len(),
            Self::Decisions(answer) => answer.states.iter().map(|state| state.answers.len()).sum(),
        }
    }
}

impl ClassifyInput {
    fn bytes(&self) -> usize {
        match self {
            Self::Text(text) => text.len(),
            Self::Pair(text, pair) => text.len() + pair.len(),
            Self::Grounded { context, question, answer } => context.len() + question.len() + answer.len(),
        }
    }
}

impl EmbeddingInput {
    fn bytes(&self) -> usize {
        match self {
            Self::Text(content) | Self::Image(content) => content.len(),
            Self::Audio { data, .. } => data.len(),
        }
    }
}

impl Modality {
    /// Of these inputs.
    pub fn of(input: &[EmbeddingInput]) -> Self {
        let images = input.iter().filter(|input| matches!(input, EmbeddingInput::Image(_))).count();
        match images {
            0 => Self::Text,
            _ if images == input.len() => Self::Image,
            _ => Self::Mixed,
        }
    }

    /// The word of the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Image => "image",
            Self::Mixed => "mixed",
        }
    }
}

impl Usage {
    /// Adds one answered input.
    pub fn add(&mut self, input: ReadInput) {
        self.tokens += input.tokens;
        self.is_lower_bound |= input.is_lower_bound;
    }
}
