//! A graph that a repository ships: its inputs and its output, found and checked before a session is made of it.

use std::fs::File;
use std::path::Path;

use bytes::Bytes;
use prost::Message;

use super::encoder::HIDDEN;
use super::interface::{ATTENTION_MASK, Graph, GraphModel, INPUT_IDS, Inputs, Integers, Output, Per, TOKEN_TYPES};
use super::onnx::{GraphMessage, Model, ValueInfo, data_type};
use crate::error::Error;
use crate::package::{FileBytes, PackageFiles, ShippedGraph};

/// The names that exporters give token vectors. Without one of them, the first output with such vectors counts.
const TOKEN_OUTPUTS: &[&str] = &[HIDDEN, "token_embeddings"];

/// The name that exporters give what a classification model answers.
const CLASSIFIER_OUTPUTS: &[&str] = &["logits"];

/// Describes a shipped graph. `labels` is the number of labels of a classification model, whose head is part of the
/// graph: its output is then as wide. Weights outside the graph must be files of the package.
pub fn shipped_graph(files: &PackageFiles, shipped: &ShippedGraph, labels: Option<usize>) -> Result<Graph, Error> {
    let invalid = |problem: String| files.invalid(&shipped.file, problem);
    let content = FileBytes::open(&shipped.path).map_err(|error| invalid(format!("cannot be read: {error}")))?;
    let file_bytes = content.len() as u64;
    // The bytes of weights inside the file stay where they are.
    let model =
        Model::decode(Bytes::from_owner(content)).map_err(|error| invalid(format!("is not an ONNX model: {error}")))?;
    let graph = model.graph.ok_or_else(|| invalid("has no graph".to_owned()))?;
    let outside = outside_bytes(files, shipped, &graph)?;
    let inputs = inputs(&graph).map_err(invalid)?;
    let output = match labels {
        Some(labels) => output(&graph, CLASSIFIER_OUTPUTS, labels),
        None => output(&graph, TOKEN_OUTPUTS, shipped.hidden_size),
    };
    let output = output.map_err(invalid)?;
    if labels.is_none() && output.per == Per::Row {
        let name = &output.name;
        return Err(invalid(format!("output {name:?} has one vector for a row; vectors of tokens are needed")));
    }
    let model = GraphModel::File(shipped.path.clone());
    Ok(Graph { model, memory_bytes: file_bytes + outside, matmuls: Vec::new(), inputs, output })
}

fn inputs(graph: &GraphMessage) -> Result<Inputs, String> {
    // Old exporters list weights among the inputs.
    let is_weight = |name: &str| graph.initializer.iter().any(|tensor| tensor.name.as_deref() == Some(name));
    let given: Vec<&ValueInfo> =
        graph.input.iter().filter(|input| !is_weight(input.name.as_deref().unwrap_or_default())).collect();
    let known = [INPUT_IDS, ATTENTION_MASK, TOKEN_TYPES];
    let name = |input: &ValueInfo| input.name.clone().unwrap_or_default();
    if let Some(other) = given.iter().map(|input| name(input)).find(|name| !known.contains(&name.as_str())) {
        return Err(format!("input {other:?} is not supported yet; {} are", known.join(", ")));
    }
    let has = |wanted: &str| given.iter().any(|input| input.name.as_deref() == Some(wanted));
    if !has(INPUT_IDS) {
        return Err(format!("has no input {INPUT_IDS:?}"));
    }
    let types: Vec<i32> = given.iter().map(|input| element_type(input)).collect();
    let integers = match types.as_slice() {
        types if types.iter().all(|kind| *kind == data_type::INT64) => Integers::I64,
        types if types.iter().all(|kind| *kind == data_type::INT32) => Integers::I32,
        _ => return Err("inputs must all be 64-bit or all 32-bit integers".to_owned()),
    };
    let (takes_mask, takes_segments) = (has(ATTENTION_MASK), has(TOKEN_TYPES));
    Ok(Inputs { takes_mask, takes_segments, takes_type: false, integers, pixels: None })
}

fn output(graph: &GraphMessage, names: &[&str], width: usize) -> Result<Output, String> {
    let floats: Vec<&ValueInfo> =
        graph.output.iter().filter(|output| element_type(output) == data_type::FLOAT).collect();
    let known = names.iter().find_map(|name| floats.iter().find(|output| output.name.as_deref() == Some(name)));
    let by_rank = || floats.iter().find(|output| rank(output) == 3);
    let output = known.or_else(by_rank).ok_or("has no output with a vector of 32-bit floats for each token")?;
    let name = output.name.clone().unwrap_or_default();
    let per = match rank(output) {
        2 => Per::Row,
        3 => Per::Token,
        other => return Err(format!("output {name:?} has {other} dimensions; 2 or 3 are supported")),
    };
    // A size that the graph leaves open is what the configuration says.
    if let Some(found) = last_size(output).filter(|found| *found != width) {
        return Err(format!("output {name:?} is {found} wide; config.json says {width}"));
    }
    Ok(Output { name, heads: None, means: Vec::new(), per, width })
}

/// Bytes of the weights outside the graph, each of whose files must be one of the package.
fn outside_bytes(files: &PackageFiles, shipped: &ShippedGraph, graph: &GraphMessage) -> Result<u64, Error> {
    let folder = Path::new(&shipped.file).parent().unwrap_or(Path::new(""));
    let entries = graph.initializer.iter().flat_map(|tensor| &tensor.external_data);
    let mut names: Vec<&str> = entries
        .filter(|entry| entry.key.as_deref() == Some("location"))
        .filter_map(|entry| entry.value.as_deref())
        .collect();
    names.sort_unstable();
    names.dedup();
    let mut bytes = 0;
    for name in names {
        let file = folder.join(name).to_string_lossy().into_owned();
        let path = files.require(&file)?;
        // The library looks beside the real graph file.
        if path.parent() != shipped.path.parent() {
            return Err(files.invalid(&file, format_args!("must lie in the folder of {}", shipped.file)));
        }
        let opened = File::open(&path).and_then(|opened| Ok((opened.metadata()?.len(), opened)));
        let (length, opened) = opened.map_err(|error| files.invalid(&file, format_args!("cannot be read: {error}")))?;
        files.watch(&file, &path, opened)?;
        bytes += length;
    }
    Ok(bytes)
}

fn element_type(value: &ValueInfo) -> i32 {
    tensor_type(value).and_then(|kind| kind.elem_type).unwrap_or(0)
}

fn rank(value: &ValueInfo) -> usize {
    tensor_type(value).and_then(|kind| kind.shape.as_ref()).map_or(0, |shape| shape.dim.len())
}

fn last_size(value: &ValueInfo) -> Option<usize> {
    let size = tensor_type(value)?.shape.as_ref()?.dim.last()?.dim_value?;
    size.try_into().ok().filter(|size| *size > 0)
}

fn tensor_type(value: &ValueInfo) -> Option<&super::onnx::TensorType> {
    value.r#type.as_ref()?.tensor_type.as_ref()
}
