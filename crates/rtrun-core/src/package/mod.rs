//! Model packages: open a folder, check its hashes, learn what it is. Nothing in a package is ever executed.

mod files;
mod golden;
mod hub;
mod manifest;
mod open;
mod recognize;
mod settings;
mod shipped;
mod towers;
mod trunks;
mod weights;

pub use files::PackageFiles;
pub use golden::{Golden, GoldenClassify, GoldenEmbedding, GoldenImage};
pub use hub::{Pooling, StaticConfig};
pub use open::{Architecture, Package, Towers};
pub use recognize::FamilyKind;
pub use settings::{ClassifierSettings, HeadKind, HeadSettings, WindowSettings};
pub use shipped::ShippedGraph;
pub use towers::{RowPadding, TextTower, TowerSizes, TowersConfig, TowersKind, VisionTower};
pub use trunks::{
    Activation, BertConfig, DebertaConfig, DistilBertConfig, ModernBertConfig, MpnetConfig, Reach, RobertaConfig,
    TrunkConfig,
};
pub use weights::{Dtype, TensorPlace, Weights};
