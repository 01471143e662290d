//! The crate's own operators, as the library comes to know them.

use std::sync::Arc;

use ort::environment::Environment;
use ort::operator::OperatorDomain;
use ort::session::Session;
use prost::Message;

use super::matmuls::MatmulOperator;
use super::norms::NormOperator;
use crate::graph::OWN;
use crate::graph::onnx::{
    Dimension, GraphMessage, Model, Node, OperatorSet, Shape, TensorType, Type, ValueInfo, data_type,
};
use crate::matmul::PackedLinear;

/// What sessions over graphs with these matmuls are given.
pub fn operators(matmuls: &[Arc<PackedLinear>]) -> ort::Result<OperatorDomain> {
    OperatorDomain::new(OWN)?.add(MatmulOperator { matmuls: matmuls.to_vec() })?.add(NormOperator)
}

/// Makes the domain known by a session that does nothing. The library notes a domain once per process, but looks and
/// writes apart: of two first sessions made at the same time, one would find it there and fail.
pub fn make_known(environment: &Environment) -> ort::Result<()> {
    let mut builder = Session::builder(environment)?.with_intra_threads(1)?.with_operators(operators(&[])?)?;
    drop(builder.commit_from_memory(&copying().encode_to_vec())?);
    Ok(())
}

/// One number in, the same out.
fn copying() -> Model {
    let tensor_type = TensorType {
        elem_type: Some(data_type::FLOAT),
        shape: Some(Shape { dim: vec![Dimension { dim_value: Some(1), dim_param: None }] }),
    };
    let number = |name: &str| ValueInfo {
        name: Some(name.to_owned()),
        r#type: Some(Type { tensor_type: Some(tensor_type.clone()) }),
    };
    let node = Node {
        input: vec!["in".to_owned()],
        output: vec!["out".to_owned()],
        op_type: Some("Identity".to_owned()),
        ..Node::default()
    };
    Model {
        ir_version: Some(8),
        graph: Some(GraphMessage {
            node: vec![node],
            name: Some("nothing".to_owned()),
            input: vec![number("in")],
            output: vec![number("out")],
            ..GraphMessage::default()
        }),
        opset_import: vec![OperatorSet { domain: None, version: Some(17) }],
        ..Model::default()
    }
}
