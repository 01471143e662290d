//! The worker of the router: small local models behind one typed interface and an HTTP contract.
//!
//! [`Engine`] loads model packages and answers bundles of tasks; [`serve`] puts it behind TCP or a Unix socket.

mod answer;
mod caught;
mod engine;
mod error;
mod faults;
mod metrics;
mod named;
mod options;
mod question;
mod task;

pub mod devices;
pub mod engines;
pub mod families;
pub mod graph;
pub mod matmul;
pub mod media;
pub mod model;
pub mod package;
pub mod schedule;
pub mod serve;
pub mod tokens;

pub use answer::Pace;
pub use caught::caught;
pub use devices::{Device, DeviceReport, devices};
pub use engine::{Engine, EngineStatus};
pub use engines::onnxruntime::leave;
pub use error::{BrokenLimit, CODES, Error, InvalidMedia};
pub use faults::{FaultPlace, Faults};
pub use metrics::Metrics;
pub use options::{
    EngineOptions, LONGEST_BATCH_WINDOW, LONGEST_LOAD_RETRY, MAX_IMAGES, MAX_INPUTS, ModelOptions, default_threads,
};
pub use question::{
    Answer, AskedQuestion, Described, QUESTION_TYPES, Question, QuestionKind, Span, StateQuestions, choice_confidence,
    expected_level, score_confidence,
};
pub use task::{
    AnsweredBy, BundleAnswer, BundleOptions, Classified, ClassifyAnswer, ClassifyInput, DecisionsAnswer,
    EmbeddingInput, EmbeddingsAnswer, InputType, Modality, Phases, ReadingOptions, Relevance, RerankAnswer,
    StateAnswer, Task, TaskAnswer, TaskKind, TaskOutcome, TokenLabels, Usage, Window, WindowLabels,
};

/// The version of the worker contract that this build speaks.
pub const API_VERSION: &str = "1.0.0";
