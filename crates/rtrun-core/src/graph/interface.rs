//! What an engine needs to know of a graph to run it.

use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use crate::matmul::PackedLinear;

/// Token ids, `[batch, tokens]`.
pub const INPUT_IDS: &str = "input_ids";
/// 1 for a token, 0 for padding, `[batch, tokens]`.
pub const ATTENTION_MASK: &str = "attention_mask";
/// Segment of every token, `[batch, tokens]`.
pub const TOKEN_TYPES: &str = "token_type_ids";
/// Bytes of images, `[batch, 3, height, width]`, which the graph itself normalizes.
pub const PIXEL_VALUES: &str = "pixel_values";

/// A graph, its inputs and its outputs. Padding is always on the right.
#[derive(Debug)]
pub struct Graph {
    /// The ONNX model.
    pub model: GraphModel,
    /// Bytes the weights take once they are 32-bit floats.
    pub memory_bytes: u64,
    /// What the nodes of this crate's own operator compute; empty where the library computes everything.
    pub matmuls: Vec<Arc<PackedLinear>>,
    /// What the graph is given.
    pub inputs: Inputs,
    /// What the graph answers.
    pub output: Output,
}

/// Where the ONNX model is.
#[derive(Debug, Clone)]
pub enum GraphModel {
    /// A generated model.
    Generated {
        /// The serialized model without its weights.
        bytes: Vec<u8>,
        /// The folder that its weights file lies in.
        weights_folder: PathBuf,
        /// Weights that are in no file, by the names that the model has for them.
        held: Vec<HeldWeight>,
    },
    /// A file; weights that are not in it lie beside it.
    File(PathBuf),
}

/// A weight that is in no file.
#[derive(Debug, Clone)]
pub struct HeldWeight {
    /// Its name in the model.
    pub name: String,
    /// Sizes, outermost first.
    pub shape: Vec<usize>,
    /// The floats that it is part of.
    pub values: Arc<[f32]>,
    /// Which of them are its own.
    pub range: Range<usize>,
}

/// The inputs of a graph: [`INPUT_IDS`] and what goes with them, each `[batch, tokens]`, or [`PIXEL_VALUES`] alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Inputs {
    /// Whether the graph takes [`ATTENTION_MASK`]. Without it, only rows of one length share a forward.
    pub takes_mask: bool,
    /// Whether the graph takes [`TOKEN_TYPES`].
    pub takes_segments: bool,
    /// Whether the graph takes what each row asks, `[batch, 1]`; see [`super::QUESTION_TYPE`].
    pub takes_type: bool,
    /// The element type of every input of tokens.
    pub integers: Integers,
    /// Height and width of the images, of a graph that reads these in place of tokens.
    pub pixels: Option<[usize; 2]>,
}

/// Element types of inputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Integers {
    /// 32 bits.
    I32,
    /// 64 bits.
    I64,
}

/// The outputs of a graph: 32-bit floats.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Output {
    /// The name of the one that the sentence vector is made of.
    pub name: String,
    /// The name of the one that heads read single tokens of, where it is another: `[batch, tokens, width]`.
    pub heads: Option<String>,
    /// The names of those whose means heads over whole texts read before that of [`Output::heads`].
    pub means: Vec<String>,
    /// Whether tokens or rows have a vector each in the first.
    pub per: Per,
    /// Length of one vector.
    pub width: usize,
}

/// What has a vector of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Per {
    /// Every token: the output is `[batch, tokens, width]`.
    Token,
    /// Every row: the output is `[batch, width]`.
    Row,
}
