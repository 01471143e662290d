//! Plain objects of JavaScript and what they are in Rust.

use std::time::Duration;

use napi_derive::napi;
use rtrun_core as core;

/// Options of [`crate::engine::Engine::open`].
#[napi(object)]
pub struct EngineOptions {
    pub runtime_library: String,
    pub threads: Option<u32>,
    pub log_level: Option<String>,
    /// Bound before any model is loaded; `serve` without an address serves it.
    pub listen: Option<ServeAddress>,
    pub models: Vec<ModelOptions>,
    pub max_queue: Option<u32>,
    pub max_queued_tokens: Option<u32>,
    pub max_batch_tokens: Option<u32>,
    pub max_request_bytes: Option<u32>,
    pub max_bundle_tasks: Option<u32>,
    pub batch_window_ms: Option<f64>,
    pub result_cache_entries: Option<u32>,
    /// The folder that verdicts on `max_speed` are kept in.
    pub verdicts: Option<String>,
    pub load_attempts: Option<u32>,
    pub load_retry_seconds: Option<f64>,
    pub memory_budget_gib: Option<f64>,
    /// Panics on purpose, once in so many seconds at each place that can have one.
    pub panic_every_seconds: Option<f64>,
}

/// Options of one model.
#[napi(object)]
pub struct ModelOptions {
    pub name: String,
    pub path: String,
    pub base_path: Option<String>,
    pub family: Option<String>,
    pub device: Option<String>,
    pub profile: Option<String>,
    pub engine: Option<String>,
    pub memory_budget_gib: Option<f64>,
    pub revision: Option<String>,
    pub max_scan_tokens: Option<u32>,
}

/// State of one model.
#[napi(object)]
pub struct ModelState {
    pub id: String,
    pub status: String,
    pub reason: Option<String>,
}

/// Where a server listens.
#[napi(object)]
pub struct ServeAddress {
    pub uds: Option<String>,
    pub host: Option<String>,
    pub port: Option<u16>,
}

impl EngineOptions {
    /// The options of the core; absent ones keep its defaults.
    pub fn into_core(self) -> Result<core::EngineOptions, core::Error> {
        let base = core::EngineOptions::default();
        let number = |value: Option<u32>, default: usize| value.map_or(default, |value| value as usize);
        Ok(core::EngineOptions {
            runtime_library: self.runtime_library.into(),
            threads: number(self.threads, base.threads),
            models: self.models.into_iter().map(ModelOptions::into_core).collect::<Result<_, _>>()?,
            max_queue: number(self.max_queue, base.max_queue),
            max_queued_tokens: number(self.max_queued_tokens, base.max_queued_tokens),
            max_batch_tokens: number(self.max_batch_tokens, base.max_batch_tokens),
            max_request_bytes: number(self.max_request_bytes, base.max_request_bytes),
            max_bundle_tasks: number(self.max_bundle_tasks, base.max_bundle_tasks),
            batch_window: seconds("batchWindowMs", self.batch_window_ms, 1e-3)?.unwrap_or(base.batch_window),
            result_cache_entries: number(self.result_cache_entries, base.result_cache_entries),
            verdicts: self.verdicts.map(Into::into),
            load_attempts: self.load_attempts.unwrap_or(base.load_attempts),
            load_retry: seconds("loadRetrySeconds", self.load_retry_seconds, 1.0)?.unwrap_or(base.load_retry),
            memory_budget_bytes: gibibytes(self.memory_budget_gib)?,
            faults: seconds("panicEverySeconds", self.panic_every_seconds, 1.0)?
                .map_or_else(core::Faults::default, core::Faults::every),
        })
    }
}

impl ModelOptions {
    fn into_core(self) -> Result<core::ModelOptions, core::Error> {
        let Self { name, path, base_path, family, device, profile, engine, .. } = self;
        let memory_budget_bytes = gibibytes(self.memory_budget_gib)?;
        Ok(core::ModelOptions {
            name,
            path: path.into(),
            base_path: base_path.map(Into::into),
            family,
            device,
            profile,
            engine,
            memory_budget_bytes,
            revision: self.revision,
            max_scan_tokens: self.max_scan_tokens.map(|tokens| tokens as usize),
        })
    }
}

impl From<core::model::ModelState> for ModelState {
    fn from(state: core::model::ModelState) -> Self {
        Self { id: state.name, status: state.status.as_str().to_owned(), reason: state.reason }
    }
}

impl From<ServeAddress> for core::serve::ServeOptions {
    fn from(ServeAddress { uds, host, port }: ServeAddress) -> Self {
        Self { uds: uds.map(Into::into), host, port, ..Self::default() }
    }
}

impl From<&core::serve::Address> for ServeAddress {
    fn from(address: &core::serve::Address) -> Self {
        match address {
            core::serve::Address::Unix(path) => Self { uds: Some(path.display().to_string()), host: None, port: None },
            core::serve::Address::Tcp(address) => {
                Self { uds: None, host: Some(address.ip().to_string()), port: Some(address.port()) }
            }
        }
    }
}

/// A duration given in units of `unit` seconds.
pub fn seconds(name: &str, value: Option<f64>, unit: f64) -> Result<Option<Duration>, core::Error> {
    let Some(value) = value else { return Ok(None) };
    let wrong = |_| core::Error::InvalidOptions(format!("{name} is {value}; it must be a number of at least 0"));
    Duration::try_from_secs_f64(value * unit).map(Some).map_err(wrong)
}

fn gibibytes(value: Option<f64>) -> Result<Option<u64>, core::Error> {
    match value {
        None => Ok(None),
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "the cast saturates, and 2^64 bytes are no limit"
        )]
        Some(value) if value > 0.0 => Ok(Some((value * f64::from(1 << 30)) as u64)),
        Some(value) => Err(core::Error::InvalidOptions(format!("memoryBudgetGib is {value}; it must be above 0"))),
    }
}
