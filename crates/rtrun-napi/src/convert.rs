//! Plain objects of JavaScript and what they are in Rust.

use std::sync::Arc;
use std::time::Duration;

use napi::bindgen_prelude::Float32Array;
use napi_derive::napi;
use rtrun_core as core;
use rtrun_core::package::HeadKind;
use rtrun_core::tokens::Overflow;

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

/// One task of a bundle.
#[napi(object)]
pub struct Task {
    pub id: String,
    pub model: Option<String>,
    pub kind: String,
    pub head: Option<String>,
    pub input: Vec<String>,
    pub overflow: Option<String>,
    pub threshold: Option<f64>,
    pub max_tokens: Option<u32>,
    pub dimensions: Option<u32>,
}

/// Outcome of one task. Rows of failed items are filled with NaN.
#[napi(object)]
pub struct TaskResult {
    pub id: String,
    pub status: u32,
    pub error: Option<CodedError>,
    pub model: Option<String>,
    pub head: Option<String>,
    pub labels: Option<Vec<String>>,
    pub input_tokens: Option<u32>,
    pub probabilities: Option<Float32Array>,
    /// Per input: the label probabilities of its windows, row after row; empty where one window held it.
    pub windows: Option<Vec<Float32Array>>,
    pub spans: Option<Vec<Vec<Span>>>,
    pub vectors: Option<Float32Array>,
    /// Per input: how much of it was read; of a failed one, zeros.
    pub inputs: Option<Vec<InputUsage>>,
    pub item_errors: Option<Vec<ItemError>>,
}

/// Tokens of an input.
#[napi(object)]
pub struct InputUsage {
    pub tokens: u32,
    pub special_tokens: u32,
    pub unknown_tokens: u32,
}

/// A part of an input; places count code points.
#[napi(object)]
pub struct Span {
    pub label: String,
    pub start: u32,
    pub end: u32,
    pub probability: f64,
}

/// A code and its message.
#[napi(object)]
pub struct CodedError {
    pub code: String,
    pub message: String,
}

/// Why one input of a task has no answer.
#[napi(object)]
pub struct ItemError {
    pub index: u32,
    pub code: String,
    pub message: String,
}

/// Where a server listens.
#[napi(object)]
pub struct ServeAddress {
    pub uds: Option<String>,
    pub host: Option<String>,
    pub port: Option<u16>,
}

/// One device of this machine.
#[napi(object)]
pub struct Device {
    pub id: String,
    pub kind: String,
    pub name: Option<String>,
    pub available: bool,
    pub reason: Option<String>,
    pub cores: Option<u32>,
    pub instruction_sets: Vec<String>,
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
            faults: faults()?,
        })
    }
}

/// Panics that whoever starts the process asks for, to see that the worker stands them.
fn faults() -> Result<core::Faults, core::Error> {
    let Ok(value) = std::env::var(PANICS) else { return Ok(core::Faults::default()) };
    let every = value.parse().ok().and_then(|every| Duration::try_from_secs_f64(every).ok());
    let every = every.filter(|every| !every.is_zero());
    every.map(core::Faults::every).ok_or_else(|| {
        core::Error::InvalidOptions(format!("{PANICS} is {value:?}; it must be a number of seconds above 0"))
    })
}

/// The seconds between two panics on purpose at each place that can have one; none where it is not set.
const PANICS: &str = "RTRUN_PANIC_EVERY_SECONDS";

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

impl Task {
    /// The task of the core.
    pub fn into_core(self) -> Result<core::Task, core::Error> {
        let kind = match self.kind.as_str() {
            "classify" => core::TaskKind::Classify {
                head: self.head,
                input: self.input.into_iter().map(core::ClassifyInput::Text).collect(),
                threshold: self.threshold.map(threshold).transpose()?,
                with_tokens: false,
            },
            "embeddings" => core::TaskKind::Embeddings {
                input: self.input.into_iter().map(core::EmbeddingInput::Text).collect(),
                dimensions: self.dimensions.map(|value| value as usize),
                layer: None,
                input_type: None,
            },
            other => return Err(unknown("kind", other, "\"classify\" or \"embeddings\"")),
        };
        let overflow = match self.overflow.as_deref() {
            None => None,
            Some("truncate") => Some(Overflow::Truncate),
            Some("reject") => Some(Overflow::Reject),
            Some("window") => Some(Overflow::Window),
            Some(other) => return Err(unknown("overflow", other, "\"truncate\", \"reject\" or \"window\"")),
        };
        let max_tokens = self.max_tokens.map(|value| value as usize);
        let reading = core::ReadingOptions { overflow, max_tokens, window: None };
        Ok(core::Task { id: self.id, model: self.model, kind, reading })
    }
}

impl From<core::TaskOutcome> for TaskResult {
    fn from(outcome: core::TaskOutcome) -> Self {
        let empty = |status, error| Self {
            id: outcome.id,
            status,
            error,
            model: None,
            head: None,
            labels: None,
            input_tokens: None,
            probabilities: None,
            windows: None,
            spans: None,
            vectors: None,
            inputs: None,
            item_errors: None,
        };
        match outcome.result {
            Err(error) => {
                let coded = CodedError { code: error.code().to_owned(), message: error.to_string() };
                empty(error.status().into(), Some(coded))
            }
            Ok(core::TaskAnswer::Classify(answer)) if answer.kind == HeadKind::Token => {
                let (_, item_errors) = rows(&answer.items, 0, |_| &[]);
                Self {
                    model: Some(answer.model.name),
                    head: Some(answer.head),
                    labels: Some(answer.labels),
                    input_tokens: count(answer.usage.tokens),
                    spans: Some(answer.items.iter().map(spans).collect()),
                    inputs: Some(answer.items.iter().map(input).collect()),
                    item_errors,
                    ..empty(200, None)
                }
            }
            Ok(core::TaskAnswer::Classify(answer)) => {
                let (values, item_errors) = rows(&answer.items, answer.labels.len(), |item| &item.probabilities);
                Self {
                    model: Some(answer.model.name),
                    head: Some(answer.head),
                    labels: Some(answer.labels),
                    input_tokens: count(answer.usage.tokens),
                    probabilities: Some(Float32Array::new(values)),
                    windows: Some(answer.items.iter().map(windows).collect()),
                    inputs: Some(answer.items.iter().map(input).collect()),
                    item_errors,
                    ..empty(200, None)
                }
            }
            Ok(core::TaskAnswer::Embeddings(answer)) => {
                let (values, item_errors) = rows(&answer.items, answer.dimension, |vector| vector);
                Self {
                    model: Some(answer.model.name),
                    input_tokens: count(answer.usage.tokens),
                    vectors: Some(Float32Array::new(values)),
                    inputs: Some(answer.items.iter().map(input).collect()),
                    item_errors,
                    ..empty(200, None)
                }
            }
            Ok(core::TaskAnswer::Rerank(_) | core::TaskAnswer::Decisions(_)) => {
                let error = core::Error::Internal("No such task can be asked here; this is a bug".to_owned());
                let coded = CodedError { code: error.code().to_owned(), message: error.to_string() };
                empty(error.status().into(), Some(coded))
            }
        }
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

impl From<core::DeviceReport> for Device {
    fn from(device: core::DeviceReport) -> Self {
        Self {
            id: device.id,
            kind: device.kind.to_owned(),
            name: device.name,
            available: device.available,
            reason: device.reason,
            cores: device.cores.and_then(count),
            instruction_sets: device.instruction_sets.into_iter().map(str::to_owned).collect(),
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

fn unknown(key: &str, value: &str, known: &str) -> core::Error {
    core::Error::InvalidRequest(format!("{key} {value:?} is not supported yet; use {known}"))
}

fn threshold(value: f64) -> Result<f32, core::Error> {
    if (0.0..=1.0).contains(&value) {
        #[allow(clippy::cast_possible_truncation, reason = "a probability needs no more digits")]
        return Ok(value as f32);
    }
    Err(core::Error::InvalidRequest(format!("threshold is {value}; it must be between 0 and 1")))
}

fn windows(item: &Result<(core::families::ReadInput, Arc<core::Classified>), core::Error>) -> Float32Array {
    let found = item.as_ref().map_or(&[][..], |(_, classified)| &classified.windows);
    Float32Array::new(found.iter().flat_map(|window| window.probabilities.iter().copied()).collect())
}

fn spans(item: &Result<(core::families::ReadInput, Arc<core::Classified>), core::Error>) -> Vec<Span> {
    let Ok((_, found)) = item else { return Vec::new() };
    let convert = |span: &core::Span| Span {
        label: span.label.clone(),
        start: place(span.start),
        end: place(span.end),
        probability: f64::from(span.probability),
    };
    found.spans.iter().map(convert).collect()
}

fn input<V>(item: &Result<(core::families::ReadInput, V), core::Error>) -> InputUsage {
    let number = |of: fn(&core::families::ReadInput) -> usize| item.as_ref().map_or(0, |(read, _)| place(of(read)));
    InputUsage {
        tokens: number(|read| read.tokens),
        special_tokens: number(|read| read.special_tokens),
        unknown_tokens: number(|read| read.unknown_tokens),
    }
}

fn place(value: usize) -> u32 {
    count(value).unwrap_or(u32::MAX)
}

type Items<V> = [Result<(core::families::ReadInput, V), core::Error>];

fn rows<V>(items: &Items<V>, width: usize, values: impl Fn(&V) -> &[f32]) -> (Vec<f32>, Option<Vec<ItemError>>) {
    let mut flat = Vec::with_capacity(items.len() * width);
    let mut errors = Vec::new();
    for (index, item) in items.iter().enumerate() {
        match item {
            Ok((_, row)) => flat.extend_from_slice(values(row)),
            Err(error) => {
                flat.resize(flat.len() + width, f32::NAN);
                let index = count(index).unwrap_or(u32::MAX);
                errors.push(ItemError { index, code: error.code().to_owned(), message: error.to_string() });
            }
        }
    }
    (flat, (!errors.is_empty()).then_some(errors))
}

fn count(value: usize) -> Option<u32> {
    u32::try_from(value).ok()
}
