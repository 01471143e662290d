//! Before the queue: which model answers a task, what its inputs are as rows, which results are kept already.

use std::sync::Arc;
use std::time::Instant;

use super::embed;
use super::item::{Answered, Planned};
use super::pace::{Pace, in_turns};
use super::surfaces::Reader;
use crate::engine::Engine;
use crate::error::Error;
use crate::families::Head;
use crate::faults::{FaultPlace, Faults};
use crate::model::LoadedModel;
use crate::options::{MAX_IMAGES, MAX_INPUTS};
use crate::question::StateQuestions;
use crate::schedule::{CacheKey, Reservation};
use crate::task::{Modality, ReadingOptions, Task, TaskKind};

/// A checked task and where its items are.
pub struct PreparedTask {
    pub id: String,
    pub place: Result<Place, Error>,
}

/// The items of a task at its model's work.
pub struct Place {
    /// Index of the model's work.
    pub work: usize,
    pub surface: PreparedSurface,
}

/// What the outcome needs besides the answers to its items.
pub enum PreparedSurface {
    Classify { head: Arc<Head>, threshold: Option<f32>, items: Vec<usize> },
    Embeddings { plan: embed::VectorPlan, modality: Modality, items: Vec<usize> },
    Rerank { documents: Vec<String>, items: Vec<usize> },
    Decisions { states: Vec<PreparedState> },
}

/// A state and, per question, where its answer is: the item and the place in the item's group.
pub struct PreparedState {
    pub asked: StateQuestions,
    pub places: Vec<Result<(usize, usize), Error>>,
}

/// Everything that one model has to do for a bundle. Equal items are there once.
pub struct ModelWork {
    pub model: Arc<LoadedModel>,
    pub items: Vec<ItemWork>,
    /// Why all of it is refused.
    pub refused: Option<Error>,
    /// The place that is kept for it in the queue, if it took a while to read.
    pub place: Option<Reservation>,
}

/// One item.
pub struct ItemWork {
    pub key: CacheKey,
    pub source: Result<Source, Error>,
}

/// Where the answer to an item comes from.
pub enum Source {
    Kept(Answered),
    Planned(Planned),
}

/// The tasks of a bundle that go to one model.
pub struct Batch {
    model: Arc<LoadedModel>,
    /// Each with its place in the bundle.
    tasks: Vec<(usize, TaskKind, ReadingOptions)>,
}

/// Which model answers which task. A task that no model can be asked has its error in its place.
pub fn sort(engine: &Engine, tasks: Vec<Task>) -> (Vec<PreparedTask>, Vec<Batch>) {
    let inputs: usize = tasks.iter().map(|task| task.kind.inputs()).sum();
    let images: usize = tasks.iter().map(|task| task.kind.images()).sum();
    let mut batches: Vec<Batch> = Vec::new();
    let mut sorted = Vec::with_capacity(tasks.len());
    for (index, Task { id, model, kind, reading }) in tasks.into_iter().enumerate() {
        let model = check_inputs(&kind, (inputs, images)).and_then(|()| engine.model(model.as_deref()));
        let place = model.and_then(|model| {
            match batches.iter_mut().find(|batch| Arc::ptr_eq(&batch.model, &model)) {
                Some(batch) => batch.tasks.push((index, kind, reading)),
                None => batches.push(Batch { model, tasks: vec![(index, kind, reading)] }),
            }
            Err(Error::Internal("The task was not read; this is a bug".to_owned()))
        });
        sorted.push(PreparedTask { id, place });
    }
    (sorted, batches)
}

/// The tasks of a batch that were read, by their places in the bundle, and what their model has to do for them.
pub type Prepared = (Vec<(usize, Result<PreparedSurface, Error>)>, ModelWork);

impl Batch {
    /// The tasks' places in the bundle.
    pub fn places(&self) -> Vec<usize> {
        self.tasks.iter().map(|(index, ..)| *index).collect()
    }

    /// Reads all tasks: at once if they are small, else in turns with other large requests of the model, and no longer
    /// than until the deadline.
    pub async fn prepare(self, engine: &Engine, deadline: Option<Instant>) -> Result<Prepared, Error> {
        let tokens = engine.options().max_queued_tokens;
        let faults = engine.options().faults.clone();
        let bytes: usize = self.tasks.iter().map(|(_, kind, _)| kind.bytes()).sum();
        let prepared = if bytes <= AT_ONCE_BYTES && !self.tasks.iter().any(|(_, kind, _)| kind.has_media()) {
            self.read(tokens, Pace::at_once(), faults).await
        } else {
            let model = Arc::clone(&self.model);
            let pace = Pace::in_slices().with_place(model.worker.reserve()?);
            in_turns(model.worker.turns(), deadline, self.read(tokens, pace, faults)).await?
        };
        let work = &prepared.1;
        if work.model.cache.is_on() {
            let kept = work.items.iter().filter(|item| matches!(item.source, Ok(Source::Kept(_)))).count() as u64;
            engine.metrics().cache_lookups(&work.model.name, kept, work.items.len() as u64 - kept);
        }
        Ok(prepared)
    }

    async fn read(self, tokens: usize, pace: Pace, faults: Faults) -> Prepared {
        faults.at(FaultPlace::Reading);
        let mut reader = Reader::new(self.model, tokens, pace);
        let mut surfaces = Vec::with_capacity(self.tasks.len());
        for (index, kind, reading) in self.tasks {
            surfaces.push((index, reader.read(kind, reading).await));
        }
        (surfaces, reader.into_work())
    }
}

/// Reading up to this much text takes well under a millisecond, less than handing it to another thread and back is worth.
const AT_ONCE_BYTES: usize = 32 << 10;

fn check_inputs(kind: &TaskKind, (inputs, images): (usize, usize)) -> Result<(), Error> {
    let empty = match kind {
        _ if kind.inputs() > 0 => None,
        TaskKind::Classify { .. } | TaskKind::Embeddings { .. } => Some("input is empty; give at least one text"),
        TaskKind::Rerank { .. } => Some("documents is empty; give at least one"),
        TaskKind::Decisions { .. } => Some("questions is empty; ask at least one"),
    };
    if let Some(problem) = empty {
        return Err(Error::InvalidRequest(problem.to_owned()));
    }
    if inputs > MAX_INPUTS {
        return Err(Error::InvalidRequest(format!(
            "The request has {inputs} inputs; at most {MAX_INPUTS} are allowed"
        )));
    }
    if kind.images() > 0 && images > MAX_IMAGES {
        return Err(Error::InvalidRequest(format!(
            "The request has {images} images; at most {MAX_IMAGES} are allowed"
        )));
    }
    Ok(())
}
