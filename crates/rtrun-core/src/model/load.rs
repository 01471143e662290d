//! Loading one model: package, engine, self-check, owner thread; again after a while where that can help.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::{Duration, Instant};

use tokio::sync::watch;

use super::back_lane::{RowLimits, back_lane};
use super::golden_check::{Candidate, check_golden};
use super::loaded::LoadedModel;
use super::memory::Reservation;
use super::slot::{ModelStatus, Slot};
use crate::engines::onnxruntime::{OnnxEncoder, Runtime, SessionOptions};
use crate::engines::{Encoder, StaticEncoder};
use crate::error::Error;
use crate::families::Surfaces;
use crate::graph::{Graph, shipped_graph, trunk_graph};
use crate::metrics::Metrics;
use crate::options::{EngineOptions, LONGEST_LOAD_RETRY};
use crate::package::{Architecture, Package};
use crate::schedule::{Lanes, PackLimits, QueueLimits, ResultCache, Sharing, Worker, WorkerOptions, probe_sharing};
use crate::tokens::TextReader;

/// The one profile there is.
const PROFILE: &str = "exact";

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
    let package = Package::open(&asked.name, &asked.path, asked.family.as_deref())?;
    let is_static = matches!(package.architecture, Architecture::Static(_));
    let reader = TextReader::new(&package.tokenizer, !is_static)
        .map_err(|problem| package.files.invalid("tokenizer.json", problem))?;
    let (mut encoder, engine) = encoder(&package, &reader, options)?;
    let mut reserved = Reservation::new(slot, context, encoder.memory_bytes())?;
    slot.set(ModelStatus::Warming, None);
    let surfaces = Surfaces::open(&package, encoder.dimension())?;
    let golden =
        check_golden(&Candidate { package: &package, surfaces: &surfaces, reader: &reader }, encoder.as_mut())?;
    let forward = if is_static {
        PackLimits { tokens: options.max_batch_tokens, sharing: Sharing::Free }
    } else {
        let sharing = probe_sharing(encoder.as_mut(), reader.vocabulary(), package.max_tokens)?;
        PackLimits { tokens: options.max_batch_tokens.min(CPU_FORWARD_TOKENS), sharing }
    };
    let row_limits = RowLimits { vocabulary: reader.vocabulary(), tokens: package.max_tokens };
    let back = if is_static { None } else { back_lane(encoder.as_mut(), row_limits, &mut reserved) };
    let lanes = back.as_ref().map_or(Lanes::One, |back| back.lanes);
    tracing::debug!(model = %asked.name, sharing = ?forward.sharing, ?lanes, "rows may share a forward");
    let limits = QueueLimits {
        groups: options.max_queue,
        tokens: options.max_queued_tokens,
        forward,
        window: options.batch_window,
    };
    let observer = context.metrics.forward_observer(&asked.name);
    let name = format!("rtrun {}", asked.name);
    let worker = Worker::start(encoder, WorkerOptions { name, limits, back, observer })?;
    let memory_bytes = reserved.keep();
    Ok(LoadedModel {
        name: asked.name.clone(),
        kind: package.family,
        surfaces,
        reader,
        worker,
        lanes,
        cache: ResultCache::new(options.result_cache_entries, PROFILE, &package.model_sha256),
        max_tokens: package.max_tokens,
        max_scan_tokens: asked.max_scan_tokens.unwrap_or(CPU_SCAN_ROWS * package.max_tokens),
        profile: PROFILE,
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
