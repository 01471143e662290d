//! Stored types other than 32-bit floats are expanded once, when the session is made.

mod encoders;
mod heads_layer;

use rtrun_core::engines::onnxruntime::{OnnxEncoder, Runtime};
use rtrun_core::engines::{Encoder, RowRequest};
use rtrun_core::graph::{Depth, GraphModel, encoder_graph};
use rtrun_core::package::{Architecture, Package};

use crate::support::session::session_options;
use crate::support::weights::{Stored, rewrite};
use crate::support::{embed, fixture, open_ready, options, runtime_library};

#[test]
fn expanded_int8_weights_answer_exactly_as_the_floats_they_stand_for() {
    let expanded = crate::support::copy_without_manifest("heads-int8");
    rewrite(&expanded.path().join("model.safetensors"), |tensors| {
        let stored = tensors.clone();
        tensors.retain(|name, _| !name.ends_with("_scale"));
        for (name, tensor) in tensors.iter_mut().filter(|(_, tensor)| tensor.dtype == safetensors::Dtype::I8) {
            let scale = floats(&stored[&format!("{name}_scale")].bytes);
            let width = tensor.shape[1];
            let bytes = tensor.bytes.iter().enumerate();
            let values = bytes.map(|(at, byte)| f32::from(byte.cast_signed()) * scale[at / width]);
            let bytes = values.flat_map(f32::to_le_bytes).collect();
            *tensor = Stored { dtype: safetensors::Dtype::F32, shape: tensor.shape.clone(), bytes };
        }
    });
    let texts = ["hello world", "", "a longer text, with punctuation and 中文"];
    let from_floats = embed(&open_ready(options(&[("model", expanded.path())])), &texts);
    let from_bytes = embed(&open_ready(options(&[("model", &fixture("heads-int8"))])), &texts);
    assert_eq!(from_floats, from_bytes);
}

#[test]
fn weights_may_stand_at_any_byte_of_their_file() {
    let moved = crate::support::copy_without_manifest("embeddings");
    let file = moved.path().join("model.safetensors");
    let bytes = std::fs::read(&file).unwrap();
    let (length, rest) = bytes.split_first_chunk::<8>().unwrap();
    let (header, weights) = rest.split_at(usize::try_from(u64::from_le_bytes(*length)).unwrap());
    let (header, length) = (header.trim_ascii_end(), header.trim_ascii_end().len().next_multiple_of(4) + 1);
    let spaces = vec![b' '; length - header.len()];
    std::fs::write(&file, [&(length as u64).to_le_bytes(), header, &spaces, weights].concat()).unwrap();
    let texts = ["hello world", "a longer text, with punctuation"];
    let answered = embed(&open_ready(options(&[("model", moved.path())])), &texts);
    assert_eq!(answered, embed(&open_ready(options(&[("model", &fixture("embeddings"))])), &texts));
}

#[test]
fn a_graph_refers_to_its_weights_and_holds_none() {
    let package = Package::open("embeddings", &fixture("embeddings"), None).unwrap();
    let Architecture::Transformer(config) = &package.architecture else { panic!() };
    let weights = package.weights().unwrap();
    let graph = encoder_graph(weights, config, Depth::of(config.layers())).unwrap();
    let GraphModel::Generated { bytes, .. } = &graph.model else { panic!() };
    assert!(bytes.len() < 16_384, "{} bytes", bytes.len());
    assert_eq!(graph.memory_bytes, weights.stored_bytes());
    let runtime = Runtime::load(&runtime_library()).unwrap();
    let options = session_options(&package);
    let mut encoder = OnnxEncoder::new(&runtime, &graph, options).unwrap();
    let rows = [RowRequest::sentence([2, 3]), RowRequest::sentence([2, 40, 3])];
    let outputs = encoder.encode(&rows).unwrap();
    assert_eq!(outputs.iter().map(|output| output.sentence.as_ref().unwrap().len()).collect::<Vec<_>>(), [64, 64]);
}

fn floats(bytes: &[u8]) -> Vec<f32> {
    bytes.as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect()
}
