//! Loading one model: package, engine, self-check, owner thread; again after a while where that can help.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use tokio::sync::watch;

use super::heap::return_free_pages;
use super::loaded::LoadedModel;
use super::memory::Reservation;
use super::open::{Opened, Ready};
use super::place::Placed;
use super::profile::reducible;
use super::slot::{ModelStatus, Slot};
use crate::error::Error;
use crate::metrics::Metrics;
use crate::options::{EngineOptions, LONGEST_LOAD_RETRY};
use crate::package::{Architecture, PackageFiles};
use crate::schedule::{Lanes, QueueLimits, ResultCache, Worker, WorkerOptions};

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

impl LoadContext {
    /// Memory of a model that serves no longer belongs to others.
    pub fn give_back(&self, bytes: u64) {
        self.memory_bytes.fetch_sub(bytes, Ordering::SeqCst);
    }
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
                return_free_pages();
                return;
            }
            Err(error) => error,
        };
        if *context.closing.borrow() || matches!(error, Error::NotReady(_)) {
            // Nobody waits for the model any longer, and it is not its fault.
            tracing::info!(model = %slot.options.name, "loading was broken off");
            return;
        }
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
    let opened = Opened::begin(asked)?;
    let mut reserved = Reservation::new(slot, context, opened.memory_bytes())?;
    let ready = opened.place(asked, options, &|| slot.set(ModelStatus::Warming, None))?;
    let Ready { package, reader, surfaces, images, placed, back, digests, profile } = ready;
    let Placed { encoder, engine, device, golden, forward, .. } = placed;
    reserved.shrink(encoder.memory_bytes());
    reserved.grow(back.as_ref().map_or(0, |back| back.memory_bytes));
    let back = back.map(|back| back.lane);
    let is_static = matches!(package.architecture, Architecture::Static(_));
    let lanes = back.as_ref().map_or(Lanes::One, |back| back.lanes);
    tracing::debug!(model = %asked.name, ?lanes, "long rows run");
    let limits = QueueLimits {
        groups: options.max_queue,
        tokens: options.max_queued_tokens,
        forward,
        window: options.batch_window,
    };
    let sha256 = |files: &PackageFiles| files.manifest_sha256().map(str::to_owned);
    let (manifest_sha256, base_manifest_sha256) = (sha256(&package.files), package.files.base().and_then(sha256));
    let files = package.files.into_watched()?;
    let observer = context.metrics.forward_observer(&asked.name, &options.faults);
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
        cache: ResultCache::new(options.result_cache_entries, &profile.conditions(), &digests.model),
        max_tokens: package.max_tokens,
        max_scan_tokens: asked
            .max_scan_tokens
            .or(package.max_scan_tokens)
            .unwrap_or(device.scan_rows() * package.max_tokens),
        scan_cap: asked.max_scan_tokens.unwrap_or(usize::MAX).min(options.max_queued_tokens),
        profile,
        can_be_reduced: reducible(&package.architecture, device).is_ok(),
        engine,
        device: device.to_string(),
        threads: if is_static { 1 } else { options.threads },
        revision: asked.revision.clone(),
        digests,
        manifest_sha256,
        base_manifest_sha256,
        licence: package.licence,
        scores: package.scores,
        golden,
        memory_bytes,
        files,
    })
}

/// Whether the engine began to close meanwhile.
pub(super) fn sleep_unless_closing(context: &LoadContext, wait: Duration) -> bool {
    let end = Instant::now() + wait;
    while Instant::now() < end {
        if *context.closing.borrow() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(20).min(end.saturating_duration_since(Instant::now())));
    }
    *context.closing.borrow()
}
