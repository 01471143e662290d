//! The tower that reads images: patches, layers, one vector.

use super::VECTOR;
use super::attention_pooling::attention_pooling;
use super::layers::Tower;
use crate::error::Error;
use crate::graph::builder::{GraphBuilder, Size, Value};
use crate::graph::interface::{Graph, PIXEL_VALUES, Per};
use crate::graph::source::Source;
use crate::media::Preprocessing;
use crate::package::{TowersConfig, TowersKind, Weights};

const EMBEDDINGS: &str = "vision_model.embeddings";

/// Builds the graph over the author's weights. It takes bytes and normalizes them as `preprocessing` says.
pub fn image_graph(weights: &Weights, config: &TowersConfig, preprocessing: &Preprocessing) -> Result<Graph, Error> {
    let mut builder = GraphBuilder::new(Source { weights, packing: None }, &[""], "")?;
    builder.pixel_input(preprocessing.size.into());
    builder.output(VECTOR, &[Size::Free("batch"), Size::Fixed(config.dimension())]);
    let values = normalized(&mut builder, preprocessing);
    let patches = patches(&mut builder, config, &values)?;
    let sizes = &config.vision.sizes;
    let mut tower = Tower { builder: &mut builder, sizes, is_causal: false };
    match config.kind {
        TowersKind::Clip => {
            let patches = tower.norm("vision_model.pre_layrnorm", &patches)?;
            let normed = tower.layers("vision_model.encoder.layers", &patches, "vision_model.post_layernorm")?;
            let first = builder.integers(&[0]);
            let vector = builder.node("", "Gather", &[&normed, &first], &[("axis", Value::Int(1))]);
            let axis = builder.integers(&[1]);
            let vector = builder.node("", "Squeeze", &[&vector, &axis], &[]);
            let shape = [config.dimension(), sizes.hidden_size];
            let weight = builder.weight("visual_projection.weight", &shape)?;
            builder.matmul_to(&vector, &weight, VECTOR);
        }
        TowersKind::Siglip => {
            let normed = tower.layers("vision_model.encoder.layers", &patches, "vision_model.post_layernorm")?;
            let vector = attention_pooling(&mut tower, &normed)?;
            builder.named_node("", "Identity", &[&vector], &[], &[VECTOR]);
        }
    }
    Ok(builder.finish(VECTOR, Per::Row, config.dimension()))
}

/// Bytes as the values that the author's image processor makes of them.
fn normalized(builder: &mut GraphBuilder, preprocessing: &Preprocessing) -> String {
    let (gains, offsets): (Vec<f32>, Vec<f32>) = preprocessing.gains().into_iter().unzip();
    let gains = builder.floats("gains", &[3, 1, 1], &gains);
    let offsets = builder.floats("offsets", &[3, 1, 1], &offsets);
    let values = builder.cast_to_float(PIXEL_VALUES);
    let values = builder.node("", "Mul", &[&values, &gains], &[]);
    builder.node("", "Add", &[&values, &offsets], &[])
}

/// The vectors of all patches with their positions, CLIP's class token in front.
fn patches(builder: &mut GraphBuilder, config: &TowersConfig, values: &str) -> Result<String, Error> {
    let (hidden, side) = (config.vision.sizes.hidden_size, config.vision.patch_size);
    let edge = |size: usize| i64::try_from(size).unwrap_or(i64::MAX);
    let kernel = vec![edge(side), edge(side)];
    let weight = builder.weight(&format!("{EMBEDDINGS}.patch_embedding.weight"), &[hidden, 3, side, side])?;
    let mut inputs = vec![values.to_owned(), weight];
    if config.kind == TowersKind::Siglip {
        inputs.push(builder.weight(&format!("{EMBEDDINGS}.patch_embedding.bias"), &[hidden])?);
    }
    let inputs: Vec<&str> = inputs.iter().map(String::as_str).collect();
    let attributes = [("kernel_shape", Value::Ints(kernel.clone())), ("strides", Value::Ints(kernel))];
    let maps = builder.node("", "Conv", &inputs, &attributes);
    let flat = builder.integers(&[0, 0, -1]);
    let maps = builder.node("", "Reshape", &[&maps, &flat], &[]);
    let mut vectors = builder.node("", "Transpose", &[&maps], &[("perm", Value::Ints(vec![0, 2, 1]))]);
    if config.kind == TowersKind::Clip {
        let class = builder.weight(&format!("{EMBEDDINGS}.class_embedding"), &[hidden])?;
        let class = builder.for_every_row(&class, &vectors, &[1, hidden]);
        vectors = builder.node("", "Concat", &[&class, &vectors], &[("axis", Value::Int(1))]);
    }
    let positions = [config.image_tokens(), hidden];
    let positions = builder.weight(&format!("{EMBEDDINGS}.position_embedding.weight"), &positions)?;
    Ok(builder.node("", "Add", &[&vectors, &positions], &[]))
}
