//! Loading one model: package, engine, self-check, owner thread; again after a while where that can help.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use tokio::sync::watch;

use super::card::GoldenStatus;
use super::golden_check::{Candidate, check_golden};
use super::loaded::LoadedModel;
use super::profile::{Exact, Profile, ProfileReport, choose};
use super::slot::{ModelStatus, Slot};
use crate::engines::onnxruntime::{OnnxEncoder, Runtime, SessionOptions};
use crate::engines::{Encoder, StaticEncoder};
use crate::error::Error;
use crate::families::Surfaces;
use crate::graph::{Graph, shipped_graph, trunk_graph};
use crate::metrics::Metrics;
use crate::options::{EngineOptions, LONGEST_LOAD_RETRY, ModelOptions};
use crate::package::{Architecture, Package};
use crate::schedule::{PackLimits, QueueLimits, ResultCache, Sharing, Worker, WorkerOptions, probe_sharing};
use crate::tokens::TextReader;

/// How far the answer of a row may move under `batching` by sharing a forward, as a part of its largest number: what
/// another order of additions does.
const ROUNDING: f32 = 1e-4;

/// Tokens of one forward on a CPU. Measured with 1 and 2 threads: sharing makes tokens of short rows up to four times
/// cheaper until a forward has 64 to 128 of them, and from 256 on each costs more again (`benches/speed/shapes.rs`).
const CPU_FORWARD_TOKENS: usize = 256;

/// Rows of one input that is read in windows, on a CPU, unless the models file or the request says otherwise.
const CPU_SCAN_ROWS: usize = 4;

/// What all models of an engine share while they load.
pub struct LoadContext {
    /// The engine's options.
    pub options: EngineOptions,
    /// The engine's metrics.
    pub metrics: Metrics,
    /// Bytes that loaded models take together.
    pub memory_bytes: AtomicU64,
    /// Becomes true when the engine closes.
    pub closing: watch::Sender<bool>,
}

/// Loads a model into its slot and tries again where that can help. Returns when the model is ready, given up, or the
/// engine closes.
pub fn load_until_ready(slot: &Slot, context: &LoadContext) {
    let options = &context.options;
    let mut wait = options.load_retry.min(LONGEST_LOAD_RETRY);
    for attempt in 1..=options.load_attempts {
        slot.set(ModelStatus::Loading, slot.state().reason);
        let start = Instant::now();
        let error = match load(slot, context) {
            Ok(model) => {
                let took = start.elapsed();
                tracing::info!(model = %slot.options.name, engine = model.engine, golden = model.golden.status, load_ms = took.as_millis(), "model is ready");
                context.metrics.model_is_ready(&model);
                slot.serve(model);
                return;
            }
            Err(error) => error,
        };
        tracing::warn!(model = %slot.options.name, attempt, error = %error, "model did not load");
        if !error.is_retryable_load() || attempt == options.load_attempts {
            slot.fail(&error);
            return;
        }
        slot.set(ModelStatus::Loading, Some(error.to_string()));
        if sleep_unless_closing(context, wait) {
            return;
        }
        wait = (wait * 2).min(LONGEST_LOAD_RETRY);
    }
}

fn load(slot: &Slot, context: &LoadContext) -> Result<LoadedModel, Error> {
    let (asked, options) = (&slot.options, &context.options);
    let profile = asked.profile.as_deref().and_then(Profile::of).unwrap_or(Profile::Exact);
    let opened = Opened::begin(asked, options)?;
    reserve_memory(slot, context, opened.encoder.memory_bytes())?;
    let mut reserved = Reserved { context, bytes: opened.encoder.memory_bytes() };
    slot.set(ModelStatus::Warming, None);
    let OpenPackage { package, reader, surfaces, mut encoder, engine, golden, profile } =
        opened.check(options, profile)?;
    let memory_bytes = encoder.memory_bytes();
    reserved.shrink(memory_bytes);
    let is_static = matches!(package.architecture, Architecture::Static(_));
    let forward = if is_static {
        PackLimits { tokens: options.max_batch_tokens, sharing: Sharing::Free }
    } else {
        let closeness = if profile.served == Profile::Batching.as_str() { ROUNDING } else { 0.0 };
        let sharing = probe_sharing(encoder.as_mut(), reader.vocabulary(), package.max_tokens, closeness)?;
        PackLimits { tokens: options.max_batch_tokens.min(CPU_FORWARD_TOKENS), sharing }
    };
    tracing::debug!(model = %asked.name, sharing = ?forward.sharing, "rows may share a forward");
    let limits = QueueLimits {
        groups: options.max_queue,
        tokens: options.max_queued_tokens,
        forward,
        window: options.batch_window,
    };
    let observer = context.metrics.forward_observer(&asked.name);
    let worker = Worker::start(encoder, WorkerOptions { name: format!("rtrun {}", asked.name), limits, observer })?;
    reserved.keep();
    Ok(LoadedModel {
        name: asked.name.clone(),
        kind: package.family,
        surfaces,
        reader,
        worker,
        cache: ResultCache::new(options.result_cache_entries, &profile.conditions(), &package.model_sha256),
        max_tokens: package.max_tokens,
        max_scan_tokens: asked.max_scan_tokens.unwrap_or(CPU_SCAN_ROWS * package.max_tokens),
        profile,
        engine,
        device: "cpu".to_owned(),
        threads: if is_static { 1 } else { options.threads },
        revision: asked.revision.clone(),
        model_sha256: package.model_sha256,
        manifest_sha256: package.files.manifest_sha256().map(str::to_owned),
        licence: package.licence,
        golden,
        memory_bytes,
    })
}

/// A package whose answers have been checked, with the encoder of its profile.
pub struct OpenPackage {
    pub package: Package,
    pub reader: TextReader,
    pub surfaces: Surfaces,
    pub encoder: Box<dyn Encoder>,
    pub engine: &'static str,
    pub golden: GoldenStatus,
    pub profile: ProfileReport,
}

/// Opens and checks a package as a load does, without serving it.
pub fn open_package(asked: &ModelOptions, options: &EngineOptions, profile: Profile) -> Result<OpenPackage, Error> {
    Opened::begin(asked, options)?.check(options, profile)
}

/// A package with the encoder of `exact`, not checked yet.
struct Opened {
    package: Package,
    reader: TextReader,
    encoder: Box<dyn Encoder>,
    engine: &'static str,
}

impl Opened {
    fn begin(asked: &ModelOptions, options: &EngineOptions) -> Result<Self, Error> {
        let package = Package::open(&asked.name, &asked.path, asked.family.as_deref())?;
        let is_static = matches!(package.architecture, Architecture::Static(_));
        let reader = TextReader::new(&package.tokenizer, !is_static)
            .map_err(|problem| package.files.invalid("tokenizer.json", problem))?;
        let (encoder, engine) = encoder(&package, &reader, options)?;
        Ok(Self { package, reader, encoder, engine })
    }

    /// Checks the recorded answers on the encoder of `exact`, then takes the one of the profile.
    fn check(self, options: &EngineOptions, profile: Profile) -> Result<OpenPackage, Error> {
        let Self { package, reader, mut encoder, engine } = self;
        let surfaces = Surfaces::open(&package, encoder.dimension())?;
        let candidate = Candidate { package: &package, surfaces: &surfaces, reader: &reader };
        let golden = check_golden(&candidate, encoder.as_mut())?;
        let mut report = ProfileReport::full(profile);
        if profile == Profile::MaxSpeed {
            let verdicts = options.verdicts.as_deref();
            let exact = Exact { package: &package, surfaces: &surfaces, reader: &reader, verdicts };
            let open = |graph: &Graph| onnx_encoder(&package, graph, options).map(|(encoder, _)| encoder);
            let chosen = choose(&exact, encoder.as_mut(), &open)?;
            encoder = chosen.encoder.unwrap_or(encoder);
            report = chosen.report;
            if let Some(reason) = &report.reason {
                tracing::warn!(model = %package.name, reason, "max_speed is not served");
            }
        }
        Ok(OpenPackage { package, reader, surfaces, encoder, engine, golden, profile: report })
    }
}

type EncoderAndName = (Box<dyn Encoder>, &'static str);

fn encoder(package: &Package, reader: &TextReader, options: &EngineOptions) -> Result<EncoderAndName, Error> {
    match &package.architecture {
        Architecture::Transformer(config) => {
            check_vocabulary(package, reader, config.vocabulary())?;
            onnx_encoder(package, &trunk_graph(package.weights()?, config, None)?, options)
        }
        Architecture::ShippedOnnx(shipped) => {
            check_vocabulary(package, reader, shipped.vocabulary)?;
            let labels = package.classifier.as_ref().map(|(labels, _)| labels.len());
            onnx_encoder(package, &shipped_graph(&package.files, shipped, labels)?, options)
        }
        Architecture::Static(_) => {
            let unknown = unknown_token(&package.tokenizer).and_then(|token| reader.token_id(&token));
            let encoder = StaticEncoder::new(Arc::clone(package.weights()?), package.normalize, unknown)?;
            if reader.vocabulary() > encoder.vocabulary() {
                let problem =
                    format!("has {} tokens; the table has {} rows", reader.vocabulary(), encoder.vocabulary());
                return Err(package.files.invalid("tokenizer.json", problem));
            }
            Ok((Box::new(encoder), "static"))
        }
    }
}

fn onnx_encoder(package: &Package, graph: &Graph, options: &EngineOptions) -> Result<EncoderAndName, Error> {
    let runtime = Runtime::load(&options.runtime_library)?;
    let session = SessionOptions { threads: options.threads, pooling: package.pooling, normalize: package.normalize };
    Ok((Box::new(OnnxEncoder::new(&runtime, graph, session)?), "onnxruntime"))
}

fn check_vocabulary(package: &Package, reader: &TextReader, vocabulary: usize) -> Result<(), Error> {
    if reader.vocabulary() <= vocabulary {
        return Ok(());
    }
    let problem = format!("has {} tokens; config.json says {vocabulary}", reader.vocabulary());
    Err(package.files.invalid("tokenizer.json", problem))
}

/// The token that stands for what the vocabulary does not have.
fn unknown_token(tokenizer: &[u8]) -> Option<String> {
    let json: serde_json::Value = serde_json::from_slice(tokenizer).ok()?;
    json["model"]["unk_token"].as_str().map(str::to_owned)
}

fn reserve_memory(slot: &Slot, context: &LoadContext, bytes: u64) -> Result<(), Error> {
    let name = &slot.options.name;
    let over = |whose: &str, budget: u64, needed: u64| {
        let mib = |bytes: u64| bytes.div_ceil(1 << 20);
        Error::InvalidOptions(format!(
            "Cannot load model {name:?}: its weights bring the memory of {whose} to {} MiB; the budget is {} MiB",
            mib(needed),
            mib(budget)
        ))
    };
    if let Some(budget) = slot.options.memory_budget_bytes.filter(|budget| bytes > *budget) {
        return Err(over("the model", budget, bytes));
    }
    let before = context.memory_bytes.fetch_add(bytes, Ordering::SeqCst);
    if let Some(budget) = context.options.memory_budget_bytes.filter(|budget| before + bytes > *budget) {
        context.memory_bytes.fetch_sub(bytes, Ordering::SeqCst);
        return Err(over("all models", budget, before + bytes));
    }
    Ok(())
}

/// Memory that is given back unless the model starts to serve.
struct Reserved<'c> {
    context: &'c LoadContext,
    bytes: u64,
}

impl Reserved<'_> {
    /// Gives back what is beyond `bytes`, if anything is.
    fn shrink(&mut self, bytes: u64) {
        let beyond = self.bytes.saturating_sub(bytes);
        self.context.memory_bytes.fetch_sub(beyond, Ordering::SeqCst);
        self.bytes -= beyond;
    }

    fn keep(mut self) {
        self.bytes = 0;
    }
}

impl Drop for Reserved<'_> {
    fn drop(&mut self) {
        self.context.memory_bytes.fetch_sub(self.bytes, Ordering::SeqCst);
    }
}

/// Whether the engine began to close meanwhile.
fn sleep_unless_closing(context: &LoadContext, wait: Duration) -> bool {
    let end = Instant::now() + wait;
    while Instant::now() < end {
        if *context.closing.borrow() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(20).min(end.saturating_duration_since(Instant::now())));
    }
    *context.closing.borrow()
}
