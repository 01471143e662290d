//! Before the queue: which model answers a task, what its texts are as rows, which results are kept already.

use std::collections::HashMap;
use std::sync::Arc;

use crate::engine::Engine;
use crate::error::Error;
use crate::model::LoadedModel;
use crate::options::MAX_INPUTS;
use crate::schedule::{CacheKey, CachedRow};
use crate::task::{Task, TaskKind};
use crate::tokens::{Overflow, Reading};

/// A checked task and where its rows are.
pub struct PreparedTask {
    pub id: String,
    pub kind: TaskKind,
    /// Index of its model's work, and per input the index of its text there.
    pub place: Result<(usize, Vec<usize>), Error>,
}

/// Everything that one model has to do for a bundle. Equal texts are there once.
pub struct ModelWork {
    pub model: Arc<LoadedModel>,
    pub texts: Vec<TextWork>,
}

/// One text that is read under one budget.
pub struct TextWork {
    pub key: Option<CacheKey>,
    pub source: Result<Source, Error>,
}

/// Where the vector of a text comes from.
pub enum Source {
    Kept(CachedRow),
    Read(Reading),
}

/// Checks and reads all tasks. A task that cannot be served has its error in its place.
pub fn prepare(engine: &Engine, tasks: Vec<Task>) -> (Vec<PreparedTask>, Vec<ModelWork>) {
    let mut works = Works { works: Vec::new(), texts: HashMap::new() };
    let inputs: usize = tasks.iter().map(|task| task.input.len()).sum();
    let prepared = tasks.into_iter().map(|task| {
        let place = works.place(engine, &task, inputs);
        PreparedTask { id: task.id, kind: task.kind, place }
    });
    let prepared = prepared.collect();
    let works = works.works;
    for work in &works {
        let kept = work.texts.iter().filter(|text| matches!(text.source, Ok(Source::Kept(_)))).count() as u64;
        if work.model.cache.is_on() {
            engine.metrics().cache_lookups(&work.model.name, kept, work.texts.len() as u64 - kept);
        }
    }
    (prepared, works)
}

struct Works {
    works: Vec<ModelWork>,
    /// Per model, text, budget and overflow: the index of the text.
    texts: HashMap<(usize, String, usize, Overflow), usize>,
}

impl Works {
    fn place(&mut self, engine: &Engine, task: &Task, inputs: usize) -> Result<(usize, Vec<usize>), Error> {
        if let TaskKind::NotYet { surface } = task.kind {
            return Err(Error::UnsupportedSurface(format!("{surface} is not supported yet")));
        }
        if task.input.is_empty() {
            return Err(Error::InvalidRequest("input is empty; give at least one text".to_owned()));
        }
        if inputs > MAX_INPUTS {
            return Err(Error::InvalidRequest(format!(
                "The request has {inputs} inputs; at most {MAX_INPUTS} are allowed"
            )));
        }
        let model = engine.model(task.model.as_deref())?;
        let budget = check(&model, task)?;
        let overflow = task.overflow.unwrap_or_else(|| task.kind.default_overflow());
        let work = self.work(model);
        let rows = task.input.iter().map(|text| self.text(work, text, budget, overflow)).collect();
        Ok((work, rows))
    }

    fn work(&mut self, model: Arc<LoadedModel>) -> usize {
        let known = self.works.iter().position(|work| Arc::ptr_eq(&work.model, &model));
        known.unwrap_or_else(|| {
            self.works.push(ModelWork { model, texts: Vec::new() });
            self.works.len() - 1
        })
    }

    fn text(&mut self, work: usize, text: &str, budget: usize, overflow: Overflow) -> usize {
        let same = (work, text.to_owned(), budget, overflow);
        if let Some(index) = self.texts.get(&same) {
            return *index;
        }
        let work = &mut self.works[work];
        let model = &work.model;
        let key = model.cache.is_on().then(|| model.cache.key(text, budget, overflow));
        let source = match key.and_then(|key| model.cache.get(&key)) {
            Some(kept) => Ok(Source::Kept(kept)),
            None => model.reader.read(text, budget, overflow).map(Source::Read),
        };
        work.texts.push(TextWork { key, source });
        let index = work.texts.len() - 1;
        self.texts.insert(same, index);
        index
    }
}

/// Checks a task against its model and returns its budget.
fn check(model: &LoadedModel, task: &Task) -> Result<usize, Error> {
    match &task.kind {
        TaskKind::Classify { head } => drop(model.head(head.as_deref())?),
        TaskKind::Embeddings { dimensions } => {
            let Some(card) = model.family.embedding() else {
                return Err(Error::UnsupportedSurface(format!("Model {:?} does not serve embeddings", model.name)));
            };
            if let Some(dimensions) = dimensions.filter(|dimensions| *dimensions != card.dimension) {
                return Err(Error::InvalidRequest(format!(
                    "dimensions is {dimensions}; model {:?} has vectors of {} only",
                    model.name, card.dimension
                )));
            }
        }
        TaskKind::NotYet { .. } => {}
    }
    let least = model.reader.special_tokens() + 1;
    match task.max_tokens {
        Some(tokens) if tokens < least => {
            Err(Error::InvalidRequest(format!("max_tokens is {tokens}; model {:?} needs at least {least}", model.name)))
        }
        Some(tokens) => Ok(tokens.min(model.max_tokens)),
        None => Ok(model.max_tokens),
    }
}
