//! The place of one model in an engine: its state, and the loaded model once there is one.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

use super::loaded::LoadedModel;
use crate::error::Error;
use crate::options::ModelOptions;

/// Where a model is on its way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModelStatus {
    /// Loading has not begun.
    Starting,
    /// Being loaded, or waiting for the next try.
    Loading,
    /// Loaded; its answers are being checked.
    Warming,
    /// Serving.
    Ready,
    /// Given up for good.
    Failed,
}

/// What the slot holds. Nothing leaves `Closed`, however late a load ends.
enum Place {
    Empty,
    Serving(Arc<LoadedModel>),
    Closed,
}

/// What is known about a model from outside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelState {
    /// The name that requests use.
    pub name: String,
    /// Where it is.
    pub status: ModelStatus,
    /// Why it is not ready, once a try has failed.
    pub reason: Option<String>,
    /// Whether it was given up because its answers differ from the recorded ones.
    pub has_failed_self_check: bool,
}

/// One model of an engine.
pub struct Slot {
    /// What was asked for.
    pub options: ModelOptions,
    state: watch::Sender<ModelState>,
    place: Mutex<Place>,
}

impl ModelStatus {
    /// The word of the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Starting => "starting",
            Self::Loading => "loading",
            Self::Warming => "warming",
            Self::Ready => "ready",
            Self::Failed => "failed",
        }
    }

    /// Whether the status changes no more by itself.
    pub fn is_final(self) -> bool {
        matches!(self, Self::Ready | Self::Failed)
    }
}

impl Slot {
    /// A model that is not loaded yet.
    pub fn new(options: ModelOptions) -> Self {
        let name = options.name.clone();
        let state = ModelState { name, status: ModelStatus::Starting, reason: None, has_failed_self_check: false };
        Self { options, state: watch::Sender::new(state), place: Mutex::new(Place::Empty) }
    }

    /// The state now.
    pub fn state(&self) -> ModelState {
        self.state.borrow().clone()
    }

    /// Waits until the model is ready or given up.
    pub async fn settled(&self) -> ModelState {
        let mut states = self.state.subscribe();
        match states.wait_for(|state| state.status.is_final()).await {
            Ok(state) => state.clone(),
            Err(_) => self.state(),
        }
    }

    /// The model, if it serves.
    pub fn loaded(&self) -> Result<Arc<LoadedModel>, Error> {
        if let Place::Serving(model) = &*self.place() {
            return Ok(Arc::clone(model));
        }
        let state = self.state();
        let reason = state.reason.map_or(String::new(), |reason| format!(": {reason}"));
        Err(Error::NotReady(format!("Model {:?} is {}{reason}", state.name, state.status.as_str())))
    }

    /// Moves to a status that serves nothing.
    pub fn set(&self, status: ModelStatus, reason: Option<String>) {
        if !matches!(*self.place(), Place::Closed) {
            self.tell(status, reason);
        }
    }

    /// Gives the model up.
    pub fn fail(&self, error: &Error) {
        if !matches!(*self.place(), Place::Closed) {
            let has_failed_self_check = matches!(error, Error::SelfCheckFailed(_));
            let (name, reason) = (self.options.name.clone(), Some(error.to_string()));
            self.state.send_replace(ModelState { name, status: ModelStatus::Failed, reason, has_failed_self_check });
        }
    }

    /// Starts serving, unless the slot was closed meanwhile.
    pub fn serve(&self, model: LoadedModel) {
        let mut place = self.place();
        if !matches!(*place, Place::Closed) {
            *place = Place::Serving(Arc::new(model));
            self.tell(ModelStatus::Ready, None);
        }
    }

    /// Gives a serving model up and returns it, if there was one.
    pub fn give_up(&self, error: &Error) -> Option<Arc<LoadedModel>> {
        let mut place = self.place();
        let Place::Serving(_) = &*place else { return None };
        self.tell(ModelStatus::Failed, Some(error.to_string()));
        match std::mem::replace(&mut *place, Place::Empty) {
            Place::Serving(model) => Some(model),
            Place::Empty | Place::Closed => None,
        }
    }

    /// Stops serving for good and returns the model, if there was one.
    pub fn close(&self) -> Option<Arc<LoadedModel>> {
        let mut place = self.place();
        self.tell(ModelStatus::Failed, Some("the engine was closed".to_owned()));
        match std::mem::replace(&mut *place, Place::Closed) {
            Place::Serving(model) => Some(model),
            Place::Empty | Place::Closed => None,
        }
    }

    fn place(&self) -> MutexGuard<'_, Place> {
        self.place.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tell(&self, status: ModelStatus, reason: Option<String>) {
        let name = self.options.name.clone();
        self.state.send_replace(ModelState { name, status, reason, has_failed_self_check: false });
    }
}
