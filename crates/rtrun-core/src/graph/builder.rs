//! Builds one graph: nodes by name, weights by reference into the safetensors file.

use std::collections::HashMap;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use prost::Message;

use super::decision_layers::QUESTION_TYPE;
use super::interface::{
    ATTENTION_MASK, Graph, GraphModel, HeldWeight, Inputs, Integers, Output, PIXEL_VALUES, Per, TOKEN_TYPES,
};
use super::matmuls::OWN;
use super::onnx::{
    Attribute, Dimension, GraphMessage, Model, Node, OperatorSet, Shape, StringEntry, Tensor, TensorType, Type,
    ValueInfo, attribute_type, data_type,
};
use super::source::{Packing, Source};
use crate::error::Error;
use crate::matmul::PackedLinear;
use crate::package::{Dtype, TensorPlace, Weights};

/// ONNX Runtime's own operators.
pub const CONTRIB: &str = "com.microsoft";

/// `TensorProto.DataLocation.EXTERNAL`.
const EXTERNAL: i32 = 1;

/// Collects nodes and weights.
pub struct GraphBuilder<'w> {
    weights: &'w Weights,
    prefix: &'static str,
    file_name: String,
    graph: GraphMessage,
    /// Weights that the graph has already, by the name of their part of the file.
    made: HashMap<String, String>,
    held: Vec<HeldWeight>,
    memory_bytes: u64,
    /// In which precision matmuls are computed; `None` leaves them to the library.
    pub(super) packing: Option<&'w Packing>,
    /// Whether some weights are stored as bytes.
    pub(super) has_bytes: bool,
    /// The matmuls that nodes of this crate compute.
    pub(super) matmuls: Vec<Arc<PackedLinear>>,
    pixels: Option<[usize; 2]>,
}

/// Signed bytes and the scale of each of their rows.
pub type StoredBytes = (Vec<i8>, Vec<f32>);

/// One attribute of a node.
#[derive(Debug, Clone)]
pub enum Value {
    Int(i64),
    Ints(Vec<i64>),
    Float(f32),
}

/// A size of an input or output.
#[derive(Debug, Clone, Copy)]
pub enum Size {
    Free(&'static str),
    Fixed(usize),
}

impl<'w> GraphBuilder<'w> {
    /// Starts a graph over one weights file. Tensors may all carry one of the prefixes, which the name of a tensor that
    /// every such file has tells.
    pub fn new(source: Source<'w>, prefixes: &[&'static str], probe: &str) -> Result<Self, Error> {
        let Source { weights, packing } = source;
        let file_name = weights.path().file_name().and_then(|name| name.to_str());
        let file_name =
            file_name.ok_or_else(|| Error::InvalidPackage("The weights file has no UTF-8 name".to_owned()))?;
        let prefix = prefixes.iter().find(|prefix| weights.has(&format!("{prefix}{probe}"))).copied().unwrap_or("");
        let graph = GraphMessage { name: Some("rtrun".to_owned()), ..GraphMessage::default() };
        let is_bytes = |name: &String| weights.place(name).is_ok_and(|place| place.dtype == Dtype::I8);
        Ok(Self {
            weights,
            prefix,
            file_name: file_name.to_owned(),
            graph,
            made: HashMap::new(),
            held: Vec::new(),
            memory_bytes: 0,
            packing,
            has_bytes: packing.is_some() && weights.names().iter().any(is_bytes),
            matmuls: Vec::new(),
            pixels: None,
        })
    }

    /// Goes on with a generated graph, over further weights in the folder of the first. Its outputs have to be declared
    /// anew. What is added computes in 32-bit floats.
    pub fn resume(graph: &Graph, weights: &'w Weights) -> Result<Self, Error> {
        let GraphModel::Generated { bytes, weights_folder, held } = &graph.model else {
            return Err(Error::Internal("Only generated graphs are added to; this is a bug".to_owned()));
        };
        if weights.path().parent() != Some(weights_folder.as_path()) {
            let problem = "Cannot use the package: the weights of the head must lie in the folder of model.safetensors";
            return Err(Error::InvalidPackage(problem.to_owned()));
        }
        let model = Model::decode(bytes.as_slice())
            .map_err(|error| Error::Internal(format!("A generated graph cannot be read: {error}")))?;
        let mut builder = Self::new(Source { weights, packing: None }, &[""], "")?;
        builder.graph = GraphMessage { output: Vec::new(), ..model.graph.unwrap_or_default() };
        builder.held.clone_from(held);
        builder.matmuls.clone_from(&graph.matmuls);
        builder.memory_bytes = graph.memory_bytes;
        builder.pixels = graph.inputs.pixels;
        Ok(builder)
    }

    /// Whether the graph has a weight of this name.
    pub fn has_weight(&self, name: &str) -> bool {
        let in_files = self.graph.initializer.iter().any(|tensor| tensor.name.as_deref() == Some(name));
        in_files || self.held.iter().any(|weight| weight.name == name)
    }

    /// The weights that the graph refers to.
    pub fn weights(&self) -> &'w Weights {
        self.weights
    }

    /// Whether the weights have a tensor, named without its prefix.
    pub fn has(&self, tensor: &str) -> bool {
        self.weights.has(&format!("{}{tensor}", self.prefix))
    }

    /// A weight's values, named without its prefix, for what is computed while the graph is built.
    pub fn read(&self, tensor: &str, shape: &[usize]) -> Result<Vec<f32>, Error> {
        self.weights.read_f32(&format!("{}{tensor}", self.prefix), shape)
    }

    /// The element type that a weight is stored in, named without its prefix.
    pub fn stored_type(&self, tensor: &str) -> Result<Dtype, Error> {
        Ok(self.weights.place(&format!("{}{tensor}", self.prefix))?.dtype)
    }

    /// How many rows a weight has, named without its prefix.
    pub fn rows(&self, tensor: &str) -> Result<usize, Error> {
        let name = format!("{}{tensor}", self.prefix);
        let place = self.weights.place(&name)?;
        place.shape.first().copied().ok_or_else(|| self.weights.invalid(&name, "has no sizes; it must be a matrix"))
    }

    /// The bytes of a weight that is stored as bytes with a scale for each row, and the scales; `None` of any other.
    pub fn stored_bytes(&self, tensor: &str, shape: [usize; 2]) -> Result<Option<StoredBytes>, Error> {
        let name = format!("{}{tensor}", self.prefix);
        let place = self.weights.place_of_shape(&name, &shape)?;
        if place.dtype != Dtype::I8 {
            return Ok(None);
        }
        let Some((scale, _)) = self.weights.scale_of(&name, shape[0])? else {
            return Err(self.weights.invalid(&name, format_args!("has type I8 but {name}_scale is missing")));
        };
        let bytes = self.weights.bytes(&place).iter().map(|byte| byte.cast_signed()).collect();
        Ok(Some((bytes, self.weights.read_f32(&scale, &[shape[0]])?)))
    }

    /// Declares a 32-bit integer input.
    pub fn input(&mut self, name: &str, shape: &[Size]) {
        self.graph.input.push(value_info(name, data_type::INT32, shape));
    }

    /// Declares the input of images, `[batch, 3, height, width]` bytes, in place of tokens.
    pub fn pixel_input(&mut self, [height, width]: [usize; 2]) {
        let shape = [Size::Free("batch"), Size::Fixed(3), Size::Fixed(height), Size::Fixed(width)];
        self.graph.input.push(value_info(PIXEL_VALUES, data_type::UINT8, &shape));
        self.pixels = Some([height, width]);
    }

    /// Declares a float output.
    pub fn output(&mut self, name: &str, shape: &[Size]) {
        self.graph.output.push(value_info(name, data_type::FLOAT, shape));
    }

    /// Adds a node and returns the name of its first output.
    pub fn node(&mut self, domain: &str, kind: &str, inputs: &[&str], attributes: &[(&str, Value)]) -> String {
        let name = format!("{kind}_{}", self.graph.node.len());
        self.named_node(domain, kind, inputs, attributes, &[&name])
    }

    /// Adds a node whose outputs have the given names and returns the first. An empty name leaves an optional input or
    /// output out.
    pub fn named_node(
        &mut self,
        domain: &str,
        kind: &str,
        inputs: &[&str],
        attributes: &[(&str, Value)],
        outputs: &[&str],
    ) -> String {
        self.graph.node.push(Node {
            input: inputs.iter().map(|&name| name.to_owned()).collect(),
            output: outputs.iter().map(|&name| name.to_owned()).collect(),
            name: Some(outputs[0].to_owned()),
            op_type: Some(kind.to_owned()),
            attribute: attributes.iter().map(|(name, value)| attribute(name, value)).collect(),
            domain: (!domain.is_empty()).then(|| domain.to_owned()),
        });
        outputs[0].to_owned()
    }

    /// A weight as 32-bit floats, named without its prefix and checked for its shape. Other types get the node that
    /// expands them, which the inference library computes once at load.
    pub fn weight(&mut self, name: &str, shape: &[usize]) -> Result<String, Error> {
        self.weight_rows(name, shape, 0..shape[0])
    }

    /// Some rows of a weight of the given whole shape: the graph refers to that part of the file.
    pub fn weight_rows(&mut self, name: &str, shape: &[usize], rows: Range<usize>) -> Result<String, Error> {
        let stored = format!("{}{name}", self.prefix);
        let place = self.weights.place_of_shape(&stored, shape)?;
        let part = rows_of(&place, &rows);
        let name =
            if rows == (0..shape[0]) { stored.clone() } else { format!("{stored}[{}..{}]", rows.start, rows.end) };
        if let Some(made) = self.made.get(&name) {
            return Ok(made.clone());
        }
        self.memory_bytes += 4 * part.shape.iter().product::<usize>() as u64;
        self.stored(&name, &part);
        let made = match place.dtype {
            Dtype::F32 => name.clone(),
            Dtype::F16 | Dtype::Bf16 => self.cast_to_float(&name),
            Dtype::I8 => {
                let [all, _] = shape else {
                    return Err(self.weights.invalid(&stored, "has type I8; only two-dimensional tensors may"));
                };
                let Some((_, scale)) = self.weights.scale_of(&stored, *all)? else {
                    return Err(self
                        .weights
                        .invalid(&stored, format_args!("has type I8 but {stored}_scale is missing")));
                };
                let scale_name = format!("{name}_scale");
                self.stored(&scale_name, &rows_of(&scale, &rows));
                self.node("", "DequantizeLinear", &[&name, &scale_name], &[("axis", Value::Int(0))])
            }
        };
        self.made.insert(name, made.clone());
        Ok(made)
    }

    /// A constant that the graph itself holds.
    pub fn floats(&mut self, name: &str, shape: &[usize], values: &[f32]) -> String {
        self.memory_bytes += 4 * values.len() as u64;
        self.held(name, data_type::FLOAT, shape, values.iter().flat_map(|value| value.to_le_bytes()).collect())
    }

    /// A list of 64-bit integers that the graph itself holds.
    pub fn integers(&mut self, values: &[i64]) -> String {
        let name = format!("integers_{}", self.graph.initializer.len());
        let bytes = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        self.held(&name, data_type::INT64, &[values.len()], bytes)
    }

    /// One 32-bit integer that the graph itself holds.
    pub fn small_integer(&mut self, value: i32) -> String {
        let name = format!("integer_{}", self.graph.initializer.len());
        self.held(&name, data_type::INT32, &[], value.to_le_bytes().to_vec())
    }

    /// A value as 32-bit floats.
    pub fn cast_to_float(&mut self, input: &str) -> String {
        self.node("", "Cast", &[input], &[("to", Value::Int(i64::from(data_type::FLOAT)))])
    }

    /// Adds bytes that the inference library computes at load and keeps.
    pub fn count_memory(&mut self, bytes: u64) {
        self.memory_bytes += bytes;
    }

    /// Serializes the graph, whose output has vectors of the given width.
    pub fn finish(self, output: &str, per: Per, width: usize) -> Graph {
        let has = |name: &str| self.graph.input.iter().any(|input| input.name.as_deref() == Some(name));
        let inputs = Inputs {
            takes_mask: has(ATTENTION_MASK),
            takes_segments: has(TOKEN_TYPES),
            takes_type: has(QUESTION_TYPE),
            integers: Integers::I32,
            pixels: self.pixels,
        };
        let opset = |domain: &str, version| OperatorSet { domain: Some(domain.to_owned()), version: Some(version) };
        let model = Model {
            ir_version: Some(8),
            producer_name: Some("rtrun".to_owned()),
            graph: Some(self.graph),
            opset_import: vec![opset("", 17), opset(CONTRIB, 1), opset(OWN, 1)],
        };
        let weights_folder = self.weights.path().parent().map(PathBuf::from).unwrap_or_default();
        Graph {
            model: GraphModel::Generated { bytes: model.encode_to_vec(), weights_folder, held: self.held },
            memory_bytes: self.memory_bytes,
            matmuls: self.matmuls,
            inputs,
            output: Output { name: output.to_owned(), heads: None, means: Vec::new(), per, width },
        }
    }

    fn stored(&mut self, name: &str, place: &TensorPlace) {
        if let Some(values) = &place.held {
            let start = place.offset / size_of::<f32>();
            let (values, range) = (Arc::clone(values), start..start + place.bytes / size_of::<f32>());
            self.held.push(HeldWeight { name: name.to_owned(), shape: place.shape.clone(), values, range });
        }
        let entry = |key: &str, value: String| StringEntry { key: Some(key.to_owned()), value: Some(value) };
        self.graph.initializer.push(Tensor {
            dims: dimensions(&place.shape),
            data_type: Some(match place.dtype {
                Dtype::F32 => data_type::FLOAT,
                Dtype::F16 => data_type::FLOAT16,
                Dtype::Bf16 => data_type::BFLOAT16,
                Dtype::I8 => data_type::INT8,
            }),
            name: Some(name.to_owned()),
            external_data: vec![
                entry("location", self.file_name.clone()),
                entry("offset", place.offset.to_string()),
                entry("length", place.bytes.to_string()),
            ],
            data_location: Some(EXTERNAL),
            ..Tensor::default()
        });
    }

    fn held(&mut self, name: &str, data_type: i32, shape: &[usize], bytes: Vec<u8>) -> String {
        self.graph.initializer.push(Tensor {
            dims: dimensions(shape),
            data_type: Some(data_type),
            name: Some(name.to_owned()),
            raw_data: Some(bytes.into()),
            ..Tensor::default()
        });
        name.to_owned()
    }
}

/// The place of some rows of a tensor.
fn rows_of(place: &TensorPlace, rows: &Range<usize>) -> TensorPlace {
    let row = place.bytes / place.shape[0].max(1);
    let shape = [&[rows.len()], &place.shape[1..]].concat();
    TensorPlace { shape, offset: place.offset + rows.start * row, bytes: rows.len() * row, ..place.clone() }
}

fn dimensions(shape: &[usize]) -> Vec<i64> {
    shape.iter().map(|&size| size.try_into().unwrap_or(i64::MAX)).collect()
}

fn attribute(name: &str, value: &Value) -> Attribute {
    let name = Some(name.to_owned());
    match value {
        Value::Int(i) => Attribute { name, i: Some(*i), r#type: Some(attribute_type::INT), ..Attribute::default() },
        Value::Ints(ints) => {
            Attribute { name, ints: ints.clone(), r#type: Some(attribute_type::INTS), ..Attribute::default() }
        }
        Value::Float(f) => Attribute { name, f: Some(*f), r#type: Some(attribute_type::FLOAT), ..Attribute::default() },
    }
}

fn value_info(name: &str, elem_type: i32, shape: &[Size]) -> ValueInfo {
    let dimension = |size: &Size| match *size {
        Size::Free(name) => Dimension { dim_value: None, dim_param: Some(name.to_owned()) },
        Size::Fixed(size) => Dimension { dim_value: size.try_into().ok(), dim_param: None },
    };
    let shape = Shape { dim: shape.iter().map(dimension).collect() };
    let tensor_type = TensorType { elem_type: Some(elem_type), shape: Some(shape) };
    ValueInfo { name: Some(name.to_owned()), r#type: Some(Type { tensor_type: Some(tensor_type) }) }
}
