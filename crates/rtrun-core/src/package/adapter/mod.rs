//! Adapters: a small package of changes to the weights of a base package.

mod config;
mod merge;

pub use config::AdapterConfig;
pub use merge::merge;

/// The file that makes a package an adapter.
pub const ADAPTER_CONFIG: &str = "adapter_config.json";
/// The changes.
pub const ADAPTER_WEIGHTS: &str = "adapter_model.safetensors";
