//! Builds one graph: nodes by name, weights by reference into the safetensors file.

use std::path::PathBuf;

use prost::Message;

use super::onnx::{
    Attribute, Dimension, GraphMessage, Model, Node, OperatorSet, Shape, StringEntry, Tensor, TensorType, Type,
    ValueInfo, attribute_type, data_type,
};
use crate::error::Error;
use crate::package::{Dtype, TensorPlace, Weights};

/// ONNX Runtime's own operators.
pub const CONTRIB: &str = "com.microsoft";

/// `TensorProto.DataLocation.EXTERNAL`.
const EXTERNAL: i32 = 1;

/// A serialized graph and the folder that its weights file lies in.
#[derive(Debug)]
pub struct Graph {
    /// The ONNX model without its weights.
    pub model: Vec<u8>,
    /// Where the inference library finds the weights file.
    pub weights_folder: PathBuf,
    /// Bytes the weights take once they are 32-bit floats.
    pub memory_bytes: u64,
    /// Whether the graph has the input [`super::QUESTION_TYPE`].
    pub takes_type: bool,
}

/// Collects nodes and weights.
pub struct GraphBuilder<'w> {
    weights: &'w Weights,
    file_name: String,
    graph: GraphMessage,
    memory_bytes: u64,
}

/// One attribute of a node.
#[derive(Debug, Clone, Copy)]
pub enum Value {
    Int(i64),
    Float(f32),
}

/// A size of an input or output.
#[derive(Debug, Clone, Copy)]
pub enum Size {
    Free(&'static str),
    Fixed(usize),
}

impl<'w> GraphBuilder<'w> {
    /// Starts a graph over one weights file.
    pub fn new(weights: &'w Weights) -> Result<Self, Error> {
        let file_name = weights.path().file_name().and_then(|name| name.to_str());
        let file_name =
            file_name.ok_or_else(|| Error::InvalidPackage("The weights file has no UTF-8 name".to_owned()))?;
        let graph = GraphMessage { name: Some("rtrun".to_owned()), ..GraphMessage::default() };
        Ok(Self { weights, file_name: file_name.to_owned(), graph, memory_bytes: 0 })
    }

    /// Goes on with a finished graph, over further weights in the folder of the first. Its outputs have to be declared
    /// anew.
    pub fn resume(graph: &Graph, weights: &'w Weights) -> Result<Self, Error> {
        if weights.path().parent() != Some(graph.weights_folder.as_path()) {
            let problem = "Cannot use the package: the weights of the head must lie in the folder of model.safetensors";
            return Err(Error::InvalidPackage(problem.to_owned()));
        }
        let model = Model::decode(graph.model.as_slice())
            .map_err(|error| Error::Internal(format!("A generated graph cannot be read: {error}")))?;
        let mut builder = Self::new(weights)?;
        builder.graph = GraphMessage { output: Vec::new(), ..model.graph.unwrap_or_default() };
        builder.memory_bytes = graph.memory_bytes;
        Ok(builder)
    }

    /// Whether the graph has a weight of this name.
    pub fn has_weight(&self, name: &str) -> bool {
        self.graph.initializer.iter().any(|tensor| tensor.name.as_deref() == Some(name))
    }

    /// The weights that the graph refers to.
    pub fn weights(&self) -> &'w Weights {
        self.weights
    }

    /// Declares a 32-bit integer input.
    pub fn input(&mut self, name: &str, shape: &[Size]) {
        self.graph.input.push(value_info(name, data_type::INT32, shape));
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

    /// Adds a node whose outputs have the given names and returns the first.
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
            attribute: attributes.iter().map(|&(name, value)| attribute(name, value)).collect(),
            domain: (!domain.is_empty()).then(|| domain.to_owned()),
        });
        outputs[0].to_owned()
    }

    /// A weight as 32-bit floats, checked for its shape. Other types get the node that expands them, which the
    /// inference library computes once at load.
    pub fn weight(&mut self, name: &str, shape: &[usize]) -> Result<String, Error> {
        let place = self.weights.place_of_shape(name, shape)?;
        self.memory_bytes += 4 * shape.iter().product::<usize>() as u64;
        self.initializer(name, &place);
        match place.dtype {
            Dtype::F32 => Ok(name.to_owned()),
            Dtype::F16 | Dtype::Bf16 => {
                let to = Value::Int(i64::from(data_type::FLOAT));
                Ok(self.node("", "Cast", &[name], &[("to", to)]))
            }
            Dtype::I8 => {
                let [rows, _] = shape else {
                    return Err(self.weights.invalid(name, "has type I8; only two-dimensional tensors may"));
                };
                let Some((scale, scale_place)) = self.weights.scale_of(name, *rows)? else {
                    return Err(self.weights.invalid(name, format_args!("has type I8 but {name}_scale is missing")));
                };
                self.initializer(&scale, &scale_place);
                Ok(self.node("", "DequantizeLinear", &[name, &scale], &[("axis", Value::Int(0))]))
            }
        }
    }

    /// Serializes the graph.
    pub fn finish(self) -> Graph {
        let opset = |domain: &str, version| OperatorSet { domain: Some(domain.to_owned()), version: Some(version) };
        let model = Model {
            ir_version: Some(8),
            producer_name: Some("rtrun".to_owned()),
            graph: Some(self.graph),
            opset_import: vec![opset("", 17), opset(CONTRIB, 1)],
        };
        let folder = self.weights.path().parent().map(PathBuf::from).unwrap_or_default();
        Graph {
            model: model.encode_to_vec(),
            weights_folder: folder,
            memory_bytes: self.memory_bytes,
            takes_type: false,
        }
    }

    fn initializer(&mut self, name: &str, place: &TensorPlace) {
        let entry = |key: &str, value: String| StringEntry { key: Some(key.to_owned()), value: Some(value) };
        self.graph.initializer.push(Tensor {
            dims: place.shape.iter().map(|&size| size.try_into().unwrap_or(i64::MAX)).collect(),
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
        });
    }
}

fn attribute(name: &str, value: Value) -> Attribute {
    let name = Some(name.to_owned());
    match value {
        Value::Int(i) => Attribute { name, i: Some(i), r#type: Some(attribute_type::INT), ..Attribute::default() },
        Value::Float(f) => Attribute { name, f: Some(f), r#type: Some(attribute_type::FLOAT), ..Attribute::default() },
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
