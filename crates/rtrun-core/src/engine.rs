//! The engine: loads models in the background and answers bundles of tasks. Everything belongs to it.

use std::sync::atomic::AtomicU64;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::watch;

use crate::answer;
use crate::error::{Error, shown};
use crate::faults::FaultPlace;
use crate::metrics::Metrics;
use crate::model::{LoadContext, LoadedModel, ModelCard, ModelState, ModelStatus, Slot, supervise, watch_files};
use crate::options::EngineOptions;
use crate::task::{BundleAnswer, BundleOptions, Task};

/// Serves the models it was opened with until it is closed or dropped.
pub struct Engine {
    slots: Vec<Arc<Slot>>,
    context: Arc<LoadContext>,
    /// Watches the files of the models until it is dropped.
    watch: Mutex<Option<Sender<()>>>,
}

/// The state of all models as one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EngineStatus {
    /// No model has begun to load.
    Starting,
    /// Some model loads.
    Loading,
    /// Some model is checked, none loads.
    Warming,
    /// Every model serves.
    Ready,
    /// Some models serve and some were given up.
    Degraded,
    /// Every model was given up.
    Failed,
}

impl Engine {
    /// Checks the options and starts to load every model on a thread of its own, which stays to load it again.
    pub fn open(options: EngineOptions) -> Result<Arc<Self>, Error> {
        options.check()?;
        let names: Vec<String> = options.models.iter().map(|model| model.name.clone()).collect();
        let slots: Vec<Arc<Slot>> = options.models.iter().cloned().map(Slot::new).map(Arc::new).collect();
        let context = Arc::new(LoadContext {
            options,
            metrics: Metrics::new(&names),
            memory_bytes: AtomicU64::new(0),
            closing: watch::Sender::new(false),
        });
        for slot in &slots {
            let (slot, context) = (Arc::clone(slot), Arc::clone(&context));
            std::thread::Builder::new()
                .name("rtrun model".to_owned())
                .spawn(move || supervise(&slot, &context))
                .map_err(|error| Error::Internal(format!("Cannot start a thread to load a model: {error}")))?;
        }
        let (watch, end) = channel();
        let (watched, shared) = (slots.clone(), Arc::clone(&context));
        std::thread::Builder::new()
            .name("rtrun files".to_owned())
            .spawn(move || watch_files(&watched, &shared, &end))
            .map_err(|error| Error::Internal(format!("Cannot start a thread to watch the packages: {error}")))?;
        Ok(Arc::new(Self { slots, context, watch: Mutex::new(Some(watch)) }))
    }

    /// Waits until every model is ready or has failed for good.
    pub async fn ready(&self) -> Vec<ModelState> {
        let mut states = Vec::with_capacity(self.slots.len());
        for slot in &self.slots {
            states.push(slot.settled().await);
        }
        states
    }

    /// The state of every model now.
    pub fn states(&self) -> Vec<ModelState> {
        self.slots.iter().map(|slot| slot.state()).collect()
    }

    /// The state of all models as one word.
    pub fn status(&self) -> EngineStatus {
        let states = self.states();
        let has = |status| states.iter().any(|state| state.status == status);
        if states.iter().all(|state| state.status == ModelStatus::Starting) {
            EngineStatus::Starting
        } else if has(ModelStatus::Loading) || has(ModelStatus::Starting) {
            EngineStatus::Loading
        } else if has(ModelStatus::Warming) {
            EngineStatus::Warming
        } else if !has(ModelStatus::Failed) {
            EngineStatus::Ready
        } else if has(ModelStatus::Ready) {
            EngineStatus::Degraded
        } else {
            EngineStatus::Failed
        }
    }

    /// What every model says about itself.
    pub fn describe(&self) -> Vec<ModelCard> {
        self.slots.iter().map(|slot| ModelCard::of(slot)).collect()
    }

    /// What the model of that name says about itself, whether it is ready or not.
    pub fn card(&self, name: &str) -> Result<ModelCard, Error> {
        self.slot(name).map(ModelCard::of)
    }

    /// Answers tasks, possibly of several models. Needs a tokio runtime with a timer.
    pub async fn bundle(self: &Arc<Self>, tasks: Vec<Task>, options: BundleOptions) -> BundleAnswer {
        self.options().faults.at(FaultPlace::Caller);
        answer::bundle(self, tasks, options).await
    }

    /// Checks what holds for a bundle as a whole: the number of its tasks, and that their ids differ.
    pub fn check_bundle(&self, ids: &[String]) -> Result<(), Error> {
        let limit = self.options().max_bundle_tasks;
        if ids.is_empty() || ids.len() > limit {
            return Err(Error::InvalidRequest(format!("tasks has {} entries; 1 to {limit} are allowed", ids.len())));
        }
        match ids.iter().enumerate().find(|(index, id)| ids[..*index].contains(id)) {
            Some((_, id)) => Err(Error::InvalidRequest(format!("Two tasks have the id {}", shown(id)))),
            None => Ok(()),
        }
    }

    /// The options the engine was opened with.
    pub fn options(&self) -> &EngineOptions {
        &self.context.options
    }

    /// The engine's metrics.
    pub fn metrics(&self) -> &Metrics {
        &self.context.metrics
    }

    /// The text exposition of the metrics, gauges brought up to date.
    pub fn exposition(&self) -> String {
        for slot in &self.slots {
            if let Ok(model) = slot.loaded() {
                self.context.metrics.queue_depth(&model.name, model.worker.depth());
            }
        }
        self.context.metrics.exposition()
    }

    /// The serving model of that name; the name may be left out where one model is served.
    pub fn model(&self, name: Option<&str>) -> Result<Arc<LoadedModel>, Error> {
        match (name, self.slots.as_slice()) {
            (Some(name), _) => self.slot(name)?.loaded(),
            (None, [slot]) => slot.loaded(),
            (None, _) => Err(Error::InvalidRequest(format!("model is missing; name one of {}", self.names()))),
        }
    }

    fn slot(&self, name: &str) -> Result<&Slot, Error> {
        self.slots.iter().map(Arc::as_ref).find(|slot| slot.options.name == name).ok_or_else(|| {
            let names = self.names();
            Error::ModelNotFound(format!("Model {} is not served; the models are {names}", shown(name)))
        })
    }

    fn names(&self) -> String {
        self.slots.iter().map(|slot| format!("{:?}", slot.options.name)).collect::<Vec<_>>().join(", ")
    }

    /// Takes no more tasks, lets running ones end until `grace` is over, then stops them. Blocks; models that are still
    /// loading stop at their next step.
    pub fn close(&self, grace: Duration) {
        self.context.closing.send_replace(true);
        drop(self.watch.lock().unwrap_or_else(PoisonError::into_inner).take());
        let end = std::time::Instant::now() + grace;
        for slot in &self.slots {
            if let Some(model) = slot.close() {
                model.worker.close(end.saturating_duration_since(std::time::Instant::now()));
            }
        }
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.close(Duration::ZERO);
    }
}

impl EngineStatus {
    /// The word of the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Starting => "starting",
            Self::Loading => "loading",
            Self::Warming => "warming",
            Self::Ready => "ready",
            Self::Degraded => "degraded",
            Self::Failed => "failed",
        }
    }
}
