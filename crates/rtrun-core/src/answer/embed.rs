//! The sentence vector of a text.

use std::future::ready;
use std::sync::Arc;

use super::item::{ItemAnswer, Planned};
use super::read::Reading;
use crate::engines::{Picture, Row, RowRequest, RowVector, Wanted, normalize};
use crate::error::Error;
use crate::families::{EmbeddingCard, Finish, ReadInput};
use crate::model::LoadedModel;
use crate::package::RowPadding;
use crate::task::InputType;

/// What a vector shall be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VectorPlan {
    /// Its length.
    pub dimension: usize,
    /// Whether it is shorter than the model's own.
    pub is_cut: bool,
    /// Whether it has length 1.
    pub normalized: bool,
    /// The exit that it leaves by.
    pub exit: u16,
    /// That exit's layer, `None` for the last one.
    pub layer: Option<usize>,
    /// What is put in front of every text.
    pub prompt: String,
    /// The padding that the model knows its texts with.
    pub padding: Option<RowPadding>,
}

/// Checks what is wished against what the model declares.
pub fn vector_plan(
    model: &LoadedModel,
    dimensions: Option<usize>,
    layer: Option<usize>,
    input_type: Option<InputType>,
) -> Result<VectorPlan, Error> {
    let Some(card) = &model.surfaces.embedding else {
        return Err(Error::UnsupportedSurface(format!("Model {:?} does not serve embeddings", model.name)));
    };
    let dimension = dimensions.unwrap_or(card.dimension);
    if !card.dimensions.contains(&dimension) {
        let all = listed(&card.dimensions);
        return Err(Error::InvalidRequest(format!(
            "dimensions is {dimension}; model {:?} has vectors of {all} only",
            model.name
        )));
    }
    let exit = match layer {
        None => 0,
        Some(layer) => exit_of(model, card, layer)?,
    };
    Ok(VectorPlan {
        dimension,
        is_cut: dimension < card.dimension,
        normalized: card.normalized,
        exit,
        layer: layer.filter(|_| exit > 0),
        prompt: prompt(card, input_type),
        padding: card.padding,
    })
}

/// The row of a text and how it becomes a vector.
pub fn plan(reading: Reading<'_>, wished: &VectorPlan, text: &str) -> Result<Planned, Error> {
    let mut read = if wished.prompt.is_empty() {
        reading.text(text)?
    } else {
        reading.text(&[wished.prompt.as_str(), text].concat())?
    };
    for request in &mut read.rows {
        request.row.exit = wished.exit;
        if let Some(padding) = wished.padding {
            request.row = Row { exit: wished.exit, ..Row::plain(padding.pad(&request.row.ids)) };
        }
    }
    Ok(Planned { rows: read.rows, input: read.input, finish: finish(wished) })
}

/// The row of an image and how it becomes a vector.
pub fn plan_image(wished: &VectorPlan, picture: Arc<Picture>) -> Planned {
    let tokens = picture.tokens();
    let input = ReadInput {
        tokens,
        special_tokens: 0,
        unknown_tokens: 0,
        processed_tokens: tokens,
        truncated: false,
        is_lower_bound: false,
        windows: 1,
    };
    let rows = vec![RowRequest { row: Row::picture(picture), wanted: Wanted::SENTENCE }];
    Planned { rows, input, finish: finish(wished) }
}

/// From the output of a row to its vector.
fn finish(wished: &VectorPlan) -> Finish<Result<ItemAnswer, Error>> {
    let cut_to = wished.is_cut.then_some((wished.dimension, wished.normalized));
    Box::new(move |outputs, _| {
        let vector = outputs.first().and_then(|output| output.sentence.clone());
        let vector = vector.ok_or_else(|| Error::Internal("A row lost its vector; this is a bug".to_owned()));
        let vector = vector.map(|vector| match cut_to {
            None => vector,
            Some((dimension, normalized)) => cut(&vector, dimension, normalized),
        });
        Box::pin(ready(vector.map(ItemAnswer::Vector)))
    })
}

/// A Matryoshka vector: its first numbers, of length 1 again where the whole one is.
fn cut(vector: &RowVector, dimension: usize, normalized: bool) -> RowVector {
    let mut short = vector[..dimension].to_vec();
    if normalized {
        normalize(&mut short);
    }
    short.into()
}

fn exit_of(model: &LoadedModel, card: &EmbeddingCard, layer: usize) -> Result<u16, Error> {
    let exit = card.layers.iter().position(|declared| *declared == layer);
    let exit = exit.map(|exit| if layer == card.depth { 0 } else { exit + 1 });
    match exit.and_then(|exit| u16::try_from(exit).ok()) {
        Some(exit) => Ok(exit),
        None if card.layers.is_empty() => Err(Error::InvalidRequest(format!(
            "layer is {layer}; model {:?} declares no layers to leave by, so leave it out",
            model.name
        ))),
        None => Err(Error::InvalidRequest(format!(
            "layer is {layer}; model {:?} declares {} only",
            model.name,
            listed(&card.layers)
        ))),
    }
}

/// A model without prompts reads queries and documents alike.
fn prompt(card: &EmbeddingCard, input_type: Option<InputType>) -> String {
    let names: &[&str] = match input_type {
        None => return card.default_prompt.clone(),
        Some(InputType::Query) => &["query"],
        Some(InputType::Document) => &["document", "passage"],
    };
    names.iter().find_map(|name| card.prompts.get(*name)).unwrap_or(&card.default_prompt).clone()
}

fn listed(numbers: &[usize]) -> String {
    numbers.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")
}
