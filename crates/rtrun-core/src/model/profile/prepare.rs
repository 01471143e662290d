//! Comparing ahead of time, so that the first load of a model is as fast as every other.

use std::path::PathBuf;

use super::report::ProfileReport;
use crate::error::Error;
use crate::model::open::Opened;
use crate::options::{EngineOptions, ModelOptions};

/// What to prepare.
#[derive(Debug, Clone)]
pub struct PrepareOptions {
    /// Path of `libonnxruntime`.
    pub runtime_library: PathBuf,
    /// The package and its profile, as an engine would be opened with.
    pub model: ModelOptions,
    /// The folder that verdicts are kept in: the one that engines are opened with.
    pub verdicts: PathBuf,
    /// Threads of one forward.
    pub threads: usize,
}

/// Checks a package, compares its answers under the profile with those of `exact`, keeps the verdict and tells it. Blocks
/// for as long as some hundred forwards of the model take, unless the verdict is kept already.
pub fn prepare_profile(options: PrepareOptions) -> Result<ProfileReport, Error> {
    let PrepareOptions { runtime_library, model, verdicts, threads } = options;
    let options = EngineOptions {
        runtime_library,
        threads,
        models: vec![model.clone()],
        verdicts: Some(verdicts),
        ..EngineOptions::default()
    };
    options.check()?;
    Opened::begin(&model)?.place(&model, &options, &|| ()).map(|ready| ready.profile)
}
