//! The inputs of one model's tasks, one after the other: each is taken from the kept results or becomes rows.

use std::collections::HashMap;
use std::sync::Arc;

use super::limits::{limits, no_windows};
use super::media::{Content, check_states, read_contents};
use super::pace::Pace;
use super::prepare::{ItemWork, ModelWork, PreparedState, PreparedSurface, Source};
use super::read::{Limits, Reading};
use super::{classify, decide, embed, item::Planned, rerank};
use crate::engines::Wanted;
use crate::error::Error;
use crate::families::{DecisionLayout, Head};
use crate::media::MediaKind;
use crate::model::LoadedModel;
use crate::question::{Question, StateQuestions};
use crate::schedule::{Allowance, CacheKey};
use crate::task::{ClassifyInput, EmbeddingInput, InputType, Modality, ReadingOptions, TaskKind};

/// Reads the tasks of one model.
pub struct Reader {
    model: Arc<LoadedModel>,
    items: Vec<ItemWork>,
    /// Equal items are there once.
    known: HashMap<CacheKey, usize>,
    /// What the bundle may still ask of the model.
    allowance: Allowance,
    /// Why all of it is refused.
    refused: Option<Error>,
    pace: Pace,
}

impl Reader {
    /// Of a model that takes `tokens` tokens at a time.
    pub fn new(model: Arc<LoadedModel>, tokens: usize, pace: Pace) -> Self {
        let (items, known) = (Vec::new(), HashMap::new());
        Self { model, items, known, allowance: Allowance::new(tokens), refused: None, pace }
    }

    /// What the model has to do for the tasks that were read.
    pub fn into_work(self) -> ModelWork {
        let Self { model, items, refused, pace, .. } = self;
        ModelWork { model, items, refused, place: pace.into_place() }
    }

    /// Reads a task.
    pub async fn read(&mut self, kind: TaskKind, reading: ReadingOptions) -> Result<PreparedSurface, Error> {
        let model = &*Arc::clone(&self.model);
        let overflow = reading.overflow.unwrap_or_else(|| kind.default_overflow());
        match kind {
            TaskKind::Classify { head, input, threshold, with_tokens } => {
                let head = Arc::clone(model.head(head.as_deref())?);
                let options = classify::TokenOptions { threshold, with_tokens };
                self.classify(&head, &input, options, limits(model, reading, overflow, head.window)?).await
            }
            TaskKind::Embeddings { input, dimensions, layer, input_type } => {
                no_windows("embeddings", reading, overflow)?;
                let plan = embed::vector_plan(model, dimensions, layer, input_type)?;
                self.embed(&input, plan, input_type, limits(model, reading, overflow, None)?).await
            }
            TaskKind::Rerank { query, documents } => {
                no_windows("rerank", reading, overflow)?;
                let Some(head) = &model.surfaces.rerank else {
                    return Err(Error::UnsupportedSurface(format!("Model {:?} does not rerank", model.name)));
                };
                let limits = limits(model, reading, overflow, None)?;
                Ok(self.rerank(head, &query, documents, limits).await)
            }
            TaskKind::Decisions { states } => {
                if reading.window.is_some() {
                    let problem = "options.window is for classify; a model that answers questions has its own windows";
                    return Err(Error::InvalidRequest(problem.to_owned()));
                }
                check_states(model, &states)?;
                let Some(layout) = &model.surfaces.decisions else {
                    return Err(Error::UnsupportedSurface(format!("Model {:?} answers no questions", model.name)));
                };
                let limits = limits(model, reading, overflow, None)?;
                Ok(self.decide(layout.as_ref(), states, limits).await)
            }
        }
    }

    async fn classify(
        &mut self,
        head: &Arc<Head>,
        input: &[ClassifyInput],
        options: classify::TokenOptions,
        limits: Limits,
    ) -> Result<PreparedSurface, Error> {
        for (index, input) in input.iter().enumerate() {
            classify::check_input(head, input)
                .map_err(|error| Error::InvalidRequest(format!("input[{index}]: {error}")))?;
        }
        if options.with_tokens && head.scheme.is_none() {
            let problem = format!("return_tokens is for heads that label tokens; head {:?} does not", head.name);
            return Err(Error::InvalidRequest(problem));
        }
        let model = &*Arc::clone(&self.model);
        let reading = Reading {
            with_places: head.scheme.is_some(),
            has_windows: true,
            wanted_of_windows: head.wanted_of_windows(),
            ..self.reading(model, limits, head.wanted())
        };
        let threshold = options.threshold;
        // A threshold changes what is kept of token heads only.
        let options =
            if head.scheme.is_some() { options } else { classify::TokenOptions { threshold: None, ..options } };
        let keys = model.cache.prefix(&[format!("classify {} {limits:?} {options:?}", head.name).as_bytes()]);
        let mut items = Vec::with_capacity(input.len());
        for input in input {
            let parts: [&str; 5] = match input {
                ClassifyInput::Text(text) => [text, "", "text", "", ""],
                ClassifyInput::Pair(text, pair) => [text, pair, "pair", "", ""],
                ClassifyInput::Grounded { context, question, answer } => [answer, "", "grounded", context, question],
            };
            let key = keys.key(&parts.map(str::as_bytes));
            self.pass().await;
            items.push(
                self.item(key, |allowance| classify::plan(head, Reading { allowance, ..reading }, input, options)),
            );
        }
        Ok(PreparedSurface::Classify { head: Arc::clone(head), threshold, items })
    }

    async fn embed(
        &mut self,
        input: &[EmbeddingInput],
        plan: embed::VectorPlan,
        input_type: Option<InputType>,
        limits: Limits,
    ) -> Result<PreparedSurface, Error> {
        let model = &*Arc::clone(&self.model);
        let images = model.cache.prefix(&[format!("image {}", plan.dimension).as_bytes()]);
        let texts = format!("embed {} {} {input_type:?} {limits:?}", plan.dimension, plan.exit);
        let texts = model.cache.prefix(&[texts.as_bytes()]);
        let is_kept = |url: &str| model.cache.get(&images.key(&[url.as_bytes()])).is_some();
        let contents = read_contents(model, input, is_kept, &mut self.pace).await?;
        let reading = self.reading(model, limits, Wanted::SENTENCE);
        let mut items = Vec::with_capacity(input.len());
        for content in contents {
            self.pass().await;
            items.push(match content {
                Content::Text(text) => self.item(texts.key(&[text.as_bytes()]), |allowance| {
                    embed::plan(Reading { allowance, ..reading }, &plan, text)
                }),
                Content::Image { url, reader, picture } => self.item(images.key(&[url.as_bytes()]), |_| {
                    // A vector that was kept a moment ago may have made room for another since.
                    let picture = picture.map_or_else(|| reader.read(url), Ok);
                    let picture = picture.map_err(|fault| fault.at(MediaKind::Image, "an image", &model.name))?;
                    Ok(embed::plan_image(&plan, picture))
                }),
            });
        }
        Ok(PreparedSurface::Embeddings { plan, modality: Modality::of(input), items })
    }

    async fn rerank(
        &mut self,
        head: &Arc<Head>,
        query: &str,
        documents: Vec<String>,
        limits: Limits,
    ) -> PreparedSurface {
        let model = &*Arc::clone(&self.model);
        let reading = self.reading(model, limits, head.wanted());
        // The query is digested and read once for all documents.
        let keys = model.cache.prefix(&[format!("rerank {limits:?}").as_bytes(), query.as_bytes()]);
        let mut first = None;
        let mut items = Vec::with_capacity(documents.len());
        for document in &documents {
            self.pass().await;
            items.push(self.item(keys.key(&[document.as_bytes()]), |allowance| {
                let first = first.get_or_insert_with(|| reading.first(query));
                let first = first.as_ref().map_err(Clone::clone)?;
                rerank::plan(head, Reading { allowance, ..reading }, first, document)
            }));
        }
        PreparedSurface::Rerank { documents, items }
    }

    async fn decide(
        &mut self,
        layout: &dyn DecisionLayout,
        states: Vec<StateQuestions>,
        limits: Limits,
    ) -> PreparedSurface {
        let model = &*Arc::clone(&self.model);
        let conditions = format!("decide {limits:?}");
        let mut prepared = Vec::with_capacity(states.len());
        for mut asked in states {
            for asked in &mut asked.questions {
                if let Ok(question) = &asked.question
                    && let Err(error) = decide::check_question(layout, &model.name, question)
                {
                    asked.question = Err(error);
                }
            }
            let places = self.questions(layout, &asked, &conditions, limits).await;
            prepared.push(PreparedState { asked, places });
        }
        PreparedSurface::Decisions { states: prepared }
    }

    /// Per question of a state its item and its place there.
    async fn questions(
        &mut self,
        layout: &dyn DecisionLayout,
        asked: &StateQuestions,
        conditions: &str,
        limits: Limits,
    ) -> Vec<Result<(usize, usize), Error>> {
        let model = &*Arc::clone(&self.model);
        let valid: Vec<(usize, &Question)> = asked
            .questions
            .iter()
            .enumerate()
            .filter_map(|(index, asked)| Some((index, asked.question.as_ref().ok()?)))
            .collect();
        let questions: Vec<&Question> = valid.iter().map(|(_, question)| *question).collect();
        let error = |question: &Result<Question, Error>| question.as_ref().map(|_| (0, 0)).map_err(Clone::clone);
        let mut places: Vec<_> = asked.questions.iter().map(|asked| error(&asked.question)).collect();
        // The state is digested and read once for all questions.
        let keys = model.cache.prefix(&[conditions.as_bytes(), asked.state.as_bytes()]);
        let mut read = decide::reading(model, limits, self.allowance, &asked.state);
        for group in layout.groups(&read, &questions) {
            let together: Vec<&Question> = group.iter().map(|index| questions[*index]).collect();
            let written: Vec<String> = together.iter().map(|question| decide::canonical(question)).collect();
            let parts: Vec<&[u8]> = written.iter().map(String::as_bytes).collect();
            self.pass().await;
            let item = self.item(keys.key(&parts), |allowance| {
                read.allowance = allowance;
                decide::plan(layout, &read, &together)
            });
            for (at, index) in group.into_iter().enumerate() {
                places[valid[index].0] = Ok((item, at));
            }
        }
        places
    }

    /// How one text is read whole, without places.
    fn reading<'m>(&self, model: &'m LoadedModel, limits: Limits, wanted: Wanted) -> Reading<'m> {
        let allowance = self.allowance;
        Reading {
            reader: &model.reader,
            limits,
            allowance,
            wanted,
            wanted_of_windows: Wanted::NONE,
            with_places: false,
            has_windows: false,
        }
    }

    /// Gives way to others. What the queue has no room for is refused as a whole.
    async fn pass(&mut self) {
        if self.refused.is_none() {
            self.refused = self.pace.pass(self.allowance.taken()).await.err();
        }
    }

    /// The item of this key, read only if it is neither in the bundle nor kept.
    fn item(&mut self, key: CacheKey, plan: impl FnOnce(Allowance) -> Result<Planned, Error>) -> usize {
        let Self { model, items, known, allowance, refused, .. } = self;
        *known.entry(key).or_insert_with(|| {
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
