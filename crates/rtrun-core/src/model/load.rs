//! Loading one model: package, engine, self-check, owner thread; again after a while where that can help.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use tokio::sync::watch;

use super::golden_check::{Candidate, check_golden};
use super::loaded::LoadedModel;
use super::slot::{ModelStatus, Slot};
use crate::engines::onnxruntime::{OnnxEncoder, Runtime, SessionOptions};
use crate::engines::{Encoder, StaticEncoder, TowersEncoder};
use crate::error::Error;
use crate::families::Surfaces;
use crate::graph::{Graph, image_graph, shipped_graph, text_graph, trunk_graph};
use crate::media::{ImageLimits, ImageReader};
use crate::metrics::Metrics;
use crate::options::{EngineOptions, LONGEST_LOAD_RETRY};
use crate::package::{Architecture, Package, Towers};
use crate::schedule::{PackLimits, QueueLimits, ResultCache, Sharing, Worker, WorkerOptions, probe_sharing};
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
    let memory_bytes = encoder.memory_bytes();
    reserve_memory(slot, context, memory_bytes)?;
    let reserved = Reserved { context, bytes: memory_bytes };
    slot.set(ModelStatus::Warming, None);
    let surfaces = Surfaces::open(&package, encoder.dimension())?;
    let images = image_reader(&package);
    let candidate = Candidate { package: &package, surfaces: &surfaces, reader: &reader, images: images.as_ref() };
    let golden = check_golden(&candidate, encoder.as_mut())?;
    let forward = if is_static {
        PackLimits { tokens: options.max_batch_tokens, sharing: Sharing::Free }
    } else {
        let sharing = probe_sharing(encoder.as_mut(), reader.vocabulary(), package.max_tokens)?;
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
        images,
        worker,
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
        Architecture::Towers(towers) => {
            let Towers { config, preprocessing, padding } = towers.as_ref();
            check_vocabulary(package, reader, config.text.vocab_size)?;
            if let Some(padding) = padding.filter(|padding| padding.id as usize >= config.text.vocab_size) {
                let problem = format!("pads with {}; config.json has {} tokens", padding.id, config.text.vocab_size);
                return Err(package.files.invalid("tokenizer_config.json", problem));
            }
            let weights = package.weights()?;
            let (texts, engine) = onnx_encoder(package, &text_graph(weights, config)?, options)?;
            let (images, _) = onnx_encoder(package, &image_graph(weights, config, preprocessing)?, options)?;
            let pixels = 3 * preprocessing.size.0 * preprocessing.size.1;
            Ok((Box::new(TowersEncoder::new(texts, images, (pixels, config.image_tokens()))?), engine))
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

/// What reads the images of a package whose model takes any.
fn image_reader(package: &Package) -> Option<ImageReader> {
    match &package.architecture {
        Architecture::Towers(towers) => {
            let tokens = towers.config.image_tokens();
            Some(ImageReader::new(towers.preprocessing.clone(), ImageLimits::default(), tokens))
        }
        _ => None,
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
