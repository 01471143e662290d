//! Before the queue: which model answers a task, what its inputs are as rows, which results are kept already.

use std::collections::HashMap;
use std::sync::Arc;

use super::item::{Answered, Planned};
use super::media::{Content, check_states, read_contents};
use super::read::{Limits, Reading};
use super::{classify, decide, embed, rerank};
use crate::engine::Engine;
use crate::engines::Wanted;
use crate::error::Error;
use crate::families::{DecisionLayout, Head};
use crate::media::MediaKind;
use crate::model::LoadedModel;
use crate::options::{MAX_IMAGES, MAX_INPUTS};
use crate::question::{Question, StateQuestions};
use crate::schedule::{Allowance, CacheKey};
use crate::task::{ClassifyInput, EmbeddingInput, InputType, Modality, ReadingOptions, Task, TaskKind, Window};
use crate::tokens::Overflow;

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
    /// What the bundle may still ask of the model.
    pub allowance: Allowance,
    /// Why all of it is refused.
    pub refused: Option<Error>,
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

/// Checks and reads all tasks. A task that cannot be served has its error in its place.
pub fn prepare(engine: &Engine, tasks: Vec<Task>) -> (Vec<PreparedTask>, Vec<ModelWork>) {
    let tokens = engine.options().max_queued_tokens;
    let mut works = Works { works: Vec::new(), items: HashMap::new(), tokens };
    let inputs: usize = tasks.iter().map(|task| task.kind.inputs()).sum();
    let images: usize = tasks.iter().map(|task| task.kind.images()).sum();
    let prepared: Vec<PreparedTask> = tasks
        .into_iter()
        .map(|Task { id, model, kind, reading }| {
            let place = check_inputs(&kind, (inputs, images))
                .and_then(|()| engine.model(model.as_deref()))
                .and_then(|model| works.place(&model, kind, reading));
            PreparedTask { id, place }
        })
        .collect();
    let works = works.works;
    for work in works.iter().filter(|work| work.model.cache.is_on()) {
        let kept = work.items.iter().filter(|item| matches!(item.source, Ok(Source::Kept(_)))).count() as u64;
        engine.metrics().cache_lookups(&work.model.name, kept, work.items.len() as u64 - kept);
    }
    (prepared, works)
}

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

struct Works {
    works: Vec<ModelWork>,
    /// Per model and key the index of the item.
    items: HashMap<(usize, CacheKey), usize>,
    /// The most tokens of one model.
    tokens: usize,
}

impl Works {
    fn place(&mut self, model: &Arc<LoadedModel>, kind: TaskKind, reading: ReadingOptions) -> Result<Place, Error> {
        let overflow = reading.overflow.unwrap_or_else(|| kind.default_overflow());
        match kind {
            TaskKind::Classify { head, input, threshold, with_tokens } => {
                let head = Arc::clone(model.head(head.as_deref())?);
                let options = classify::TokenOptions { threshold, with_tokens };
                self.classify(model, &head, &input, options, limits(model, reading, overflow, head.window)?)
            }
            TaskKind::Embeddings { input, dimensions, layer, input_type } => {
                no_windows("embeddings", reading, overflow)?;
                let plan = embed::vector_plan(model, dimensions, layer, input_type)?;
                self.embed(model, &input, plan, input_type, limits(model, reading, overflow, None)?)
            }
            TaskKind::Rerank { query, documents } => {
                no_windows("rerank", reading, overflow)?;
                let Some(head) = &model.surfaces.rerank else {
                    return Err(Error::UnsupportedSurface(format!("Model {:?} does not rerank", model.name)));
                };
                Ok(self.rerank(model, &Arc::clone(head), &query, documents, limits(model, reading, overflow, None)?))
            }
            TaskKind::Decisions { states } => {
                if reading.window.is_some() {
                    let problem = "options.window is for classify; a model that answers questions has its own windows";
                    return Err(Error::InvalidRequest(problem.to_owned()));
                }
                check_states(model, &states)?;
                let Some(layout) = model.surfaces.decisions.clone() else {
                    return Err(Error::UnsupportedSurface(format!("Model {:?} answers no questions", model.name)));
                };
                let limits = limits(model, reading, overflow, None)?;
                Ok(self.decide(model, layout.as_ref(), states, limits))
            }
        }
    }

    fn classify(
        &mut self,
        model: &Arc<LoadedModel>,
        head: &Arc<Head>,
        input: &[ClassifyInput],
        options: classify::TokenOptions,
        limits: Limits,
    ) -> Result<Place, Error> {
        for (index, input) in input.iter().enumerate() {
            classify::check_input(head, input)
                .map_err(|error| Error::InvalidRequest(format!("input[{index}]: {error}")))?;
        }
        if options.with_tokens && head.scheme.is_none() {
            let problem = format!("return_tokens is for heads that label tokens; head {:?} does not", head.name);
            return Err(Error::InvalidRequest(problem));
        }
        let work = self.work(model);
        let reading = Reading {
            reader: &model.reader,
            limits,
            allowance: self.works[work].allowance,
            wanted: head.wanted(),
            with_places: head.scheme.is_some(),
            has_windows: true,
        };
        let threshold = options.threshold;
        // A threshold changes what is kept of token heads only.
        let options =
            if head.scheme.is_some() { options } else { classify::TokenOptions { threshold: None, ..options } };
        let conditions = format!("classify {} {limits:?} {options:?}", head.name);
        let items = input.iter().map(|input| {
            let texts: [&str; 3] = match input {
                ClassifyInput::Text(text) => [text, "", "text"],
                ClassifyInput::Pair(text, pair) => [text, pair, "pair"],
                ClassifyInput::Grounded { answer, .. } => [answer, "", "grounded"],
            };
            let more: [&str; 2] = match input {
                ClassifyInput::Grounded { context, question, .. } => [context, question],
                _ => ["", ""],
            };
            let parts: Vec<&[u8]> =
                [conditions.as_str()].into_iter().chain(texts).chain(more).map(str::as_bytes).collect();
            self.item(work, &parts, |allowance| classify::plan(head, Reading { allowance, ..reading }, input, options))
        });
        let items = items.collect();
        let surface = PreparedSurface::Classify { head: Arc::clone(head), threshold, items };
        Ok(Place { work, surface })
    }

    fn embed(
        &mut self,
        model: &Arc<LoadedModel>,
        input: &[EmbeddingInput],
        plan: embed::VectorPlan,
        input_type: Option<InputType>,
        limits: Limits,
    ) -> Result<Place, Error> {
        let work = self.work(model);
        let image_conditions = format!("image {}", plan.dimension);
        let is_kept = |url: &str| {
            let key = model.cache.key(&[image_conditions.as_bytes(), url.as_bytes()]);
            model.cache.get(&key).is_some()
        };
        let contents = read_contents(model, input, is_kept)?;
        let reading = Reading {
            reader: &model.reader,
            limits,
            allowance: self.works[work].allowance,
            wanted: Wanted::SENTENCE,
            with_places: false,
            has_windows: false,
        };
        let conditions = format!("embed {} {} {input_type:?} {limits:?}", plan.dimension, plan.exit);
        let items = contents.into_iter().map(|content| match content {
            Content::Text(text) => self.item(work, &[conditions.as_bytes(), text.as_bytes()], |allowance| {
                embed::plan(Reading { allowance, ..reading }, &plan, text)
            }),
            Content::Image { url, reader, picture } => {
                self.item(work, &[image_conditions.as_bytes(), url.as_bytes()], |_| {
                    // A vector that was kept a moment ago may have made room for another since.
                    let picture = picture.map_or_else(|| reader.read(url), Ok);
                    let picture = picture.map_err(|fault| fault.at(MediaKind::Image, "an image", &model.name))?;
                    Ok(embed::plan_image(&plan, picture))
                })
            }
        });
        let items = items.collect();
        Ok(Place { work, surface: PreparedSurface::Embeddings { plan, modality: Modality::of(input), items } })
    }

    fn rerank(
        &mut self,
        model: &Arc<LoadedModel>,
        head: &Arc<Head>,
        query: &str,
        documents: Vec<String>,
        limits: Limits,
    ) -> Place {
        let work = self.work(model);
        let reading = Reading {
            reader: &model.reader,
            limits,
            allowance: self.works[work].allowance,
            wanted: head.wanted(),
            with_places: false,
            has_windows: false,
        };
        let conditions = format!("rerank {limits:?}");
        let items = documents.iter().map(|document| {
            let parts = [conditions.as_bytes(), query.as_bytes(), document.as_bytes()];
            self.item(work, &parts, |allowance| rerank::plan(head, Reading { allowance, ..reading }, query, document))
        });
        let items = items.collect();
        Place { work, surface: PreparedSurface::Rerank { documents, items } }
    }

    fn decide(
        &mut self,
        model: &Arc<LoadedModel>,
        layout: &dyn DecisionLayout,
        states: Vec<StateQuestions>,
        limits: Limits,
    ) -> Place {
        let work = self.work(model);
        let conditions = format!("decide {limits:?}");
        let mut prepared = Vec::with_capacity(states.len());
        for mut asked in states {
            for asked in &mut asked.questions {
                if let Ok(question) = &asked.question {
                    let checked = decide::check_question(layout, &model.name, question);
                    if let Err(error) = checked {
                        asked.question = Err(error);
                    }
                }
            }
            let valid: Vec<(usize, &Question)> = asked
                .questions
                .iter()
                .enumerate()
                .filter_map(|(index, asked)| Some((index, asked.question.as_ref().ok()?)))
                .collect();
            let questions: Vec<&Question> = valid.iter().map(|(_, question)| *question).collect();
            let mut places: Vec<Result<(usize, usize), Error>> = asked
                .questions
                .iter()
                .map(|asked| asked.question.as_ref().map(|_| (0, 0)).map_err(Clone::clone))
                .collect();
            let read = decide::reading(model, limits, self.works[work].allowance, &asked.state);
            for group in layout.groups(&read, &questions) {
                let together: Vec<&Question> = group.iter().map(|index| questions[*index]).collect();
                let written: Vec<String> = together.iter().map(|question| decide::canonical(question)).collect();
                let parts: Vec<&[u8]> = [conditions.as_str(), asked.state.as_str()]
                    .into_iter()
                    .chain(written.iter().map(String::as_str))
                    .map(str::as_bytes)
                    .collect();
                let item = self.item(work, &parts, |allowance| {
                    decide::plan(model, layout, limits, allowance, (&asked.state, &together))
                });
                for (at, index) in group.into_iter().enumerate() {
                    places[valid[index].0] = Ok((item, at));
                }
            }
            prepared.push(PreparedState { asked, places });
        }
        Place { work, surface: PreparedSurface::Decisions { states: prepared } }
    }

    fn work(&mut self, model: &Arc<LoadedModel>) -> usize {
        let known = self.works.iter().position(|work| Arc::ptr_eq(&work.model, model));
        known.unwrap_or_else(|| {
            let allowance = Allowance::new(self.tokens);
            self.works.push(ModelWork { model: Arc::clone(model), items: Vec::new(), allowance, refused: None });
            self.works.len() - 1
        })
    }

    /// The item of these parts, read only if it is neither in the bundle nor kept.
    fn item(&mut self, work: usize, parts: &[&[u8]], plan: impl FnOnce(Allowance) -> Result<Planned, Error>) -> usize {
        let ModelWork { model, items, allowance, refused } = &mut self.works[work];
        let key = model.cache.key(parts);
        *self.items.entry((work, key)).or_insert_with(|| {
            let source = match (&*refused, model.cache.get(&key)) {
                (Some(error), _) => Err(error.clone()),
                (None, Some(kept)) => Ok(Source::Kept(kept)),
                (None, None) => plan(*allowance).and_then(|planned| {
                    allowance.take(planned.rows.len(), planned.tokens())?;
                    Ok(Source::Planned(planned))
                }),
            };
            if let Err(error @ Error::RequestTooLarge(_)) = &source {
                *refused = Some(error.clone());
            }
            items.push(ItemWork { key, source });
            items.len() - 1
        })
    }
}

fn no_windows(surface: &str, reading: ReadingOptions, overflow: Overflow) -> Result<(), Error> {
    if reading.window.is_some() || overflow == Overflow::Window {
        let problem = format!("{surface} reads no windows; set options.overflow to \"truncate\" or \"reject\"");
        return Err(Error::InvalidRequest(problem));
    }
    Ok(())
}

/// Checks the reading options against the model.
fn limits(
    model: &LoadedModel,
    reading: ReadingOptions,
    overflow: Overflow,
    recommended: Option<(usize, usize)>,
) -> Result<Limits, Error> {
    let least = model.reader.special_tokens() + 1;
    if let Some(tokens) = reading.max_tokens.filter(|tokens| *tokens < least) {
        return Err(Error::InvalidRequest(format!(
            "max_tokens is {tokens}; model {:?} needs at least {least}",
            model.name
        )));
    }
    let row = model.max_tokens;
    if overflow != Overflow::Window {
        if reading.window.is_some() {
            let problem = "options.window needs options.overflow to be \"window\"";
            return Err(Error::InvalidRequest(problem.to_owned()));
        }
        // Cut to fewer tokens than asked for, an input says so; refused for fewer, it would only seem to be too long.
        if let Some(tokens) = reading.max_tokens.filter(|tokens| *tokens > row && overflow == Overflow::Reject) {
            return Err(Error::InvalidRequest(format!(
                "max_tokens is {tokens}; model {:?} reads at most {row} at once, so nothing longer is accepted whole",
                model.name
            )));
        }
        let row_tokens = reading.max_tokens.map_or(row, |tokens| tokens.min(row));
        return Ok(Limits { row_tokens, scan_tokens: row_tokens, can_raise: false, overlap: 0, overflow });
    }
    let asked = reading.window.map(|window| check_window(model, window)).transpose()?;
    let window = asked.or(recommended.map(|(tokens, overlap)| Window { tokens, overlap }));
    let Window { tokens, overlap } = window.unwrap_or(Window { tokens: row, overlap: row / 8 });
    let row_tokens = tokens.min(row);
    if overlap.saturating_add(least) > row_tokens {
        return Err(Error::InvalidRequest(format!(
            "window has {tokens} tokens and an overlap of {overlap}; model {:?} needs windows of at least {} tokens for that",
            model.name,
            overlap.saturating_add(least),
        )));
    }
    let scan_tokens = reading.max_tokens.unwrap_or(model.max_scan_tokens).min(model.scan_cap);
    Ok(Limits { row_tokens, scan_tokens, can_raise: scan_tokens < model.scan_cap, overlap, overflow })
}

/// A window is one row, and sharing most of it would read the text many times.
fn check_window(model: &LoadedModel, window: Window) -> Result<Window, Error> {
    let Window { tokens, overlap } = window;
    let row = model.max_tokens;
    let problem = match () {
        () if tokens > row => format!("tokens is {tokens}; model {:?} reads at most {row} at once", model.name),
        () if overlap > tokens / 2 => {
            format!("overlap is {overlap}; windows of {tokens} tokens may share at most half, {}", tokens / 2)
        }
        () => return Ok(window),
    };
    Err(Error::InvalidRequest(format!("options.window.{problem}")))
}
