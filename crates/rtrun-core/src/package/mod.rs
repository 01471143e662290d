//! Model packages: open a folder, check its hashes, learn what it is. Nothing in a package is ever executed.

mod adapter;
mod decisions;
mod digests;
mod encoders;
mod file_bytes;
mod files;
mod golden;
mod golden_decisions;
mod heads;
mod hub;
mod manifest;
mod missing;
mod open;
mod recognize;
mod settings;
mod shipped;
mod towers;
mod vectors;
mod weights;
mod witness;

pub use decisions::{
    Abstention, Calibration, CalibrationSettings, DecisionSettings, Decisions, MarkerHeadSettings, MarkerSettings,
    Markers, PackedHeadSettings, PackedSettings, QuestionSettings, QuestionType, SpanSettings, StatementSettings,
};
pub use digests::{AdapterDigests, Digests};
pub use encoders::{
    Activation, BertConfig, DebertaConfig, DistilBertConfig, ElectraConfig, EncoderConfig, ModernBertConfig,
    MpnetConfig, Reach, RobertaConfig,
};
pub use file_bytes::FileBytes;
pub use files::PackageFiles;
pub use golden::{Golden, GoldenClassify, GoldenEmbedding, GoldenImage};
pub use golden_decisions::{GoldenDecisions, GoldenOption, GoldenQuestion, GoldenSpan};
pub use hub::{Pooling, StaticConfig};
pub use open::{Architecture, Package, PackageFolder, Towers};
pub use recognize::FamilyKind;
pub use settings::{ClassifierSettings, HeadKind, HeadReads, HeadSettings, Scores, WindowSettings};
pub use shipped::ShippedGraph;
pub use towers::{RowPadding, TextTower, TowerSizes, TowersConfig, TowersKind, VisionTower};
pub use vectors::VectorForms;
pub use weights::{Dtype, Merged, TensorPlace, Weights};
pub use witness::Witness;
