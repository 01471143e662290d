//! Loading one model: package, engine, self-check, owner thread; again after a while where that can help.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::AtomicU64;
use std::time::{Duration, Instant};

use tokio::sync::watch;

use super::back_lane::{RowLimits, back_lane};
use super::blueprint::Blueprint;
use super::golden_check::Candidate;
use super::loaded::LoadedModel;
use super::memory::Reservation;
use super::place::{PlaceRequest, Placed, place};
use super::slot::{ModelStatus, Slot};
use crate::devices::Device;
use crate::error::Error;
use crate::families::Surfaces;
use crate::media::{ImageLimits, ImageReader};
use crate::metrics::Metrics;
use crate::options::{EngineOptions, LONGEST_LOAD_RETRY};
use crate::package::{Architecture, FamilyKind, Package, PackageFiles, PackageFolder};
use crate::schedule::{Lanes, QueueLimits, ResultCache, Worker, WorkerOptions};
use crate::tokens::TextReader;

/// The profile that every model has.
const EXACT: &str = "exact";

/// The profile of models that read a state once for all its questions. They compute the same under `exact`.
const SHARED_CONTEXT: &str = "shared_context";

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
        let error = match load_or_error(slot, context) {
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

/// Loads. A panic becomes an error: without a thread that loads it, a model would be said to load for ever.
fn load_or_error(slot: &Slot, context: &LoadContext) -> Result<LoadedModel, Error> {
    catch_unwind(AssertUnwindSafe(|| load(slot, context))).unwrap_or_else(|_| {
        let name = &slot.options.name;
        Err(Error::InvalidPackage(format!(
            "Cannot load model {name:?}: a panic while its package was read; a package as its author published it never leads to that"
        )))
    })
}

fn load(slot: &Slot, context: &LoadContext) -> Result<LoadedModel, Error> {
    let (asked, options) = (&slot.options, &context.options);
    let package = Package::open_at(PackageFolder {
        name: &asked.name,
        folder: &asked.path,
        base: asked.base_path.as_deref(),
        family: asked.family.as_deref(),
    })?;
    let profile = profile(asked.profile.as_deref(), package.family, &asked.name)?;
    let is_static = matches!(package.architecture, Architecture::Static(_));
    let reader = TextReader::new(&package.tokenizer, !is_static)
        .map_err(|problem| package.files.invalid("tokenizer.json", problem))?;
    let blueprint = Blueprint::of(&package, &reader)?;
    let reserved = Reservation::new(slot, context, blueprint.memory_bytes())?;
    let surfaces = Surfaces::open(&package, &reader, blueprint.dimension())?;
    let images = image_reader(&package);
    let request = PlaceRequest {
        library: &options.runtime_library,
        threads: options.threads,
        choice: asked.device_choice().map_err(Error::InvalidOptions)?,
        max_batch_tokens: options.max_batch_tokens,
        warming: &|| slot.set(ModelStatus::Warming, None),
    };
    let candidate = Candidate { package: &package, surfaces: &surfaces, reader: &reader, images: images.as_ref() };
    // Hashing the weights and making the session both read them once, for about as long.
    let (digests, placed) = std::thread::scope(|scope| {
        let digests = scope.spawn(|| package.digests());
        let placed = place(&candidate, blueprint, &request);
        (digests.join(), placed)
    });
    let Placed { mut encoder, probe, engine, device, golden, forward } = placed?;
    let digests = digests.map_err(|_| Error::Internal("Hashing the weights failed".to_owned()))??;
    let row_limits = RowLimits { vocabulary: reader.vocabulary(), tokens: package.max_tokens };
    let has_lanes = !is_static && device == Device::Cpu;
    let back = if has_lanes { back_lane(encoder.as_mut(), probe, row_limits) } else { None };
    let lanes = back.as_ref().map_or(Lanes::One, |back| back.lanes);
    tracing::debug!(model = %asked.name, ?lanes, "long rows run");
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
        images,
        worker,
        lanes,
        cache: ResultCache::new(options.result_cache_entries, profile, &digests.model),
        max_tokens: package.max_tokens,
        max_scan_tokens: asked.max_scan_tokens.unwrap_or(device.scan_rows() * package.max_tokens),
        profile,
        engine,
        device: device.to_string(),
        threads: if is_static { 1 } else { options.threads },
        revision: asked.revision.clone(),
        digests,
        manifest_sha256: package.files.manifest_sha256().map(str::to_owned),
        base_manifest_sha256: package.files.base().and_then(PackageFiles::manifest_sha256).map(str::to_owned),
        licence: package.licence,
        golden,
        memory_bytes,
    })
}

/// What reads the images of a package whose model takes any.
fn image_reader(package: &Package) -> Option<ImageReader> {
    let Architecture::Towers(towers) = &package.architecture else { return None };
    let tokens = towers.config.image_tokens();
    Some(ImageReader::new(towers.preprocessing.clone(), ImageLimits::default(), tokens))
}

/// The profile that was asked for, if the family has it.
fn profile(asked: Option<&str>, family: FamilyKind, model: &str) -> Result<&'static str, Error> {
    match (asked, family) {
        (Some(SHARED_CONTEXT), FamilyKind::PackedDecisions) => Ok(SHARED_CONTEXT),
        (Some(SHARED_CONTEXT), family) => Err(Error::InvalidOptions(format!(
            "Cannot load model {model:?} with the profile {SHARED_CONTEXT:?}: its family {:?} reads a state anew for every question; use {EXACT:?}, or a model of the family \"packed_decisions\"",
            family.as_str()
        ))),
        _ => Ok(EXACT),
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
