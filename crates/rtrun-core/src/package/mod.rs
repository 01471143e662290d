//! Model packages: open a folder, check its hashes, learn what it is. Nothing in a package is ever executed.

mod decisions;
mod files;
mod golden;
mod golden_decisions;
mod hub;
mod manifest;
mod open;
mod settings;
mod weights;

pub use decisions::{
    Calibration, CalibrationSettings, DecisionSettings, Decisions, MarkerHeadSettings, MarkerSettings, Markers,
    PackedHeadSettings, PackedSettings, QuestionSettings, QuestionType, SpanSettings,
};
pub use files::PackageFiles;
pub use golden::{Golden, GoldenClassify, GoldenEmbedding};
pub use golden_decisions::{GoldenDecisions, GoldenOption, GoldenQuestion, GoldenSpan};
pub use hub::{BertConfig, Pooling, StaticConfig};
pub use open::{Architecture, FamilyKind, Package};
pub use settings::{HeadKind, HeadSettings, WindowSettings};
pub use weights::{Dtype, TensorPlace, Weights};
