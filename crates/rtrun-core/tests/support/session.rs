//! Running a graph without pooling: the vector of every token.

use std::collections::BTreeMap;
use std::path::Path;

use ort::session::Session;
use ort::value::Tensor;
use rtrun_core::Device;
use rtrun_core::engines::onnxruntime::{Runtime, SessionOptions};
use rtrun_core::graph::{ATTENTION_MASK, Depth, Graph, GraphModel, INPUT_IDS, TOKEN_TYPES, encoder_graph};
use rtrun_core::package::{Architecture, Package};

use super::runtime_library;

/// The graph of a package's encoder.
pub fn graph(package: &Package, layers: Option<usize>) -> Graph {
    let Architecture::Transformer(config) = &package.architecture else { panic!("{:?}", package.architecture) };
    let depth = Depth::of(layers.unwrap_or(config.layers()));
    encoder_graph(package.weights().unwrap(), config, depth).unwrap()
}

/// Opens a fixture package.
pub fn package(folder: &Path) -> Package {
    Package::open("package", folder, None).unwrap()
}

/// A session of one thread that pools as the package says.
pub fn session_options(package: &Package) -> SessionOptions {
    let Package { pooling, normalize, .. } = *package;
    SessionOptions { threads: 1, pooling, normalize, device: Device::Cpu, prepack: true }
}

/// The vectors of every token of rows that are padded to one length with the given id, without those of padding.
pub fn token_vectors(graph: &Graph, rows: &[&[i32]], padding: i32) -> Vec<Vec<Vec<f32>>> {
    let runtime = Runtime::load(&runtime_library()).unwrap();
    let GraphModel::Generated { bytes, weights_folder, .. } = &graph.model else { panic!("the graph is a file") };
    let mut session = Session::builder(runtime.environment())
        .unwrap()
        .with_intra_threads(1)
        .unwrap()
        .with_config_entry("session.model_external_initializers_file_folder_path", weights_folder.to_str().unwrap())
        .unwrap()
        .commit_from_memory(bytes)
        .unwrap();
    let tokens = rows.iter().map(|row| row.len()).max().unwrap();
    let grid = |of: fn(&[i32], usize, i32) -> i32| {
        let values: Vec<i32> = rows.iter().flat_map(|row| (0..tokens).map(|at| of(row, at, padding))).collect();
        Tensor::from_array(([rows.len(), tokens], values)).unwrap()
    };
    let mut given = BTreeMap::from([(INPUT_IDS, grid(|row, at, padding| row.get(at).copied().unwrap_or(padding)))]);
    given.insert(ATTENTION_MASK, grid(|row, at, _| i32::from(at < row.len())));
    if graph.inputs.takes_segments {
        given.insert(TOKEN_TYPES, grid(|_, _, _| 0));
    }
    let given: Vec<_> = given.into_iter().collect();
    let outputs = session.run(given).unwrap();
    let (_, values) = outputs[graph.output.name.as_str()].try_extract_tensor::<f32>().unwrap();
    let width = graph.output.width;
    let row = |(at, row): (usize, &&[i32])| {
        values[at * tokens * width..].chunks_exact(width).take(row.len()).map(<[f32]>::to_vec).collect()
    };
    rows.iter().enumerate().map(row).collect()
}

/// The largest absolute difference.
pub fn difference(one: &[f32], other: &[f32]) -> f32 {
    assert_eq!(one.len(), other.len());
    one.iter().zip(other).map(|(one, other)| (one - other).abs()).fold(0.0, f32::max)
}
