//! Loading a package of BERT-base's size: how long, of what parts, and how much memory stays.
//!
//! The package has random weights and stands in a temporary folder, 440 MB large, that is gone afterwards.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rtrun_core::engines::onnxruntime::{OnnxEncoder, Runtime, SessionOptions};
use rtrun_core::graph::{Depth, encoder_graph};
use rtrun_core::package::{Architecture, Package};
use rtrun_core::schedule::probe_sharing;
use rtrun_core::tokens::TextReader;
use rtrun_core::{BundleOptions, Device, Engine, EngineOptions, ModelOptions};
use serde_json::json;

use crate::support::{folder, library, median, milliseconds, reader, runtime, task, text, threads};

const ROUNDS: usize = 5;
const FORWARDS: usize = 200;
const LAYERS: usize = 12;
const HIDDEN: usize = 768;
const WIDE: usize = 3072;
const VOCABULARY: usize = 30_522;
const POSITIONS: usize = 512;

pub fn loading() {
    let package = tempfile::tempdir().unwrap();
    let bytes = write(package.path());
    // First, so that nothing is counted that an earlier load has left.
    memory(package.path(), bytes);
    let mut times: Vec<Duration> = (0..ROUNDS).map(|_| open(package.path()).0).collect();
    times.sort_unstable();
    println!("load, warm, p50 of {ROUNDS}: {:.0} ms", milliseconds(median(&times)));
    parts(package.path());
}

fn memory(package: &Path, weights: usize) {
    let before = resident_kb();
    let told = |when: &str| {
        let now = resident_kb();
        let percent = 100.0 * (now.saturating_sub(before) * 1024) as f64 / weights as f64;
        println!("memory {when}: {} MiB more than before, {percent:.0} % of the weights", (now - before) / 1024);
    };
    let (_, engine) = open(package);
    told("after loading");
    let (reader, runtime) = (reader(), runtime());
    told("with the reader of this benchmark");
    let lengths = [7, 128, 33, 512, 64, 11, 256, 20];
    for at in 0..FORWARDS {
        let texts = [text(&reader, lengths[at % lengths.len()], at)];
        runtime.block_on(engine.bundle(vec![task(&texts)], BundleOptions::default()));
    }
    told(&format!("after {FORWARDS} mixed forwards"));
}

fn open(package: &Path) -> (Duration, Arc<Engine>) {
    let start = Instant::now();
    let engine = Engine::open(EngineOptions {
        runtime_library: library(),
        threads: threads(),
        models: vec![ModelOptions { name: "model".to_owned(), path: package.to_owned(), ..ModelOptions::default() }],
        result_cache_entries: 0,
        load_attempts: 1,
        ..EngineOptions::default()
    })
    .unwrap();
    let states = runtime().block_on(engine.ready());
    assert!(states[0].reason.is_none(), "{states:?}");
    (start.elapsed(), engine)
}

/// Each part on its own; hashing runs beside the others when a model loads.
fn parts(folder: &Path) {
    let timed = |name: &str, start: Instant| println!("  {name}: {:.0} ms", milliseconds(start.elapsed()));
    let start = Instant::now();
    let package = Package::open("model", folder, None).unwrap();
    timed("opening the package", start);
    let start = Instant::now();
    package.digests().unwrap();
    timed("hashing the weights", start);
    let start = Instant::now();
    let reader = TextReader::new(&package.tokenizer, true).unwrap();
    timed("opening and checking the tokenizer", start);
    let Architecture::Transformer(config) = &package.architecture else { panic!("a transformer was written") };
    let graph = encoder_graph(package.weights().unwrap(), config, Depth::of(config.layers())).unwrap();
    let library = Runtime::load(&library()).unwrap();
    for prepack in [false, true] {
        let (pooling, normalize) = (package.pooling, package.normalize);
        let options = SessionOptions { threads: threads(), pooling, normalize, device: Device::Cpu, prepack };
        let start = Instant::now();
        let mut encoder = OnnxEncoder::new(&library, &graph, options).unwrap();
        timed(if prepack { "making the session" } else { "making the session without reordered weights" }, start);
        let start = Instant::now();
        probe_sharing(&mut encoder, reader.vocabulary(), package.max_tokens, 0.0).unwrap();
        timed("probing which rows may share a forward", start);
    }
}

fn resident_kb() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

/// Writes the package and returns the bytes of its weights.
fn write(package: &Path) -> usize {
    std::fs::copy(folder().join("tokenizer.json"), package.join("tokenizer.json")).unwrap();
    let config = json!({
        "architectures": ["BertModel"], "model_type": "bert", "hidden_size": HIDDEN, "num_hidden_layers": LAYERS,
        "num_attention_heads": 12, "intermediate_size": WIDE, "vocab_size": VOCABULARY,
        "max_position_embeddings": POSITIONS, "type_vocab_size": 2
    });
    std::fs::write(package.join("config.json"), config.to_string()).unwrap();
    let tensors = tensors();
    let mut header = serde_json::Map::new();
    let mut end = 0;
    for (name, shape) in &tensors {
        let start = end;
        end += 4 * shape.iter().product::<usize>();
        header.insert(name.clone(), json!({ "dtype": "F32", "shape": shape, "data_offsets": [start, end] }));
    }
    let mut header = serde_json::to_vec(&header).unwrap();
    header.resize(header.len().next_multiple_of(8), b' ');
    let mut file = BufWriter::with_capacity(1 << 20, File::create(package.join("model.safetensors")).unwrap());
    file.write_all(&(header.len() as u64).to_le_bytes()).unwrap();
    file.write_all(&header).unwrap();
    let mut state = 0x2545_f491_u32;
    for (name, shape) in &tensors {
        let (middle, spread) = if name.ends_with("Norm.weight") { (1.0, 0.0) } else { (0.0, 0.04) };
        for _ in 0..shape.iter().product::<usize>() {
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            let value = middle + spread * (f64::from(state) / f64::from(u32::MAX) - 0.5);
            #[allow(clippy::cast_possible_truncation, reason = "random weights need no more")]
            file.write_all(&(value as f32).to_le_bytes()).unwrap();
        }
    }
    file.flush().unwrap();
    end
}

fn tensors() -> Vec<(String, Vec<usize>)> {
    let mut tensors = vec![
        ("embeddings.word_embeddings.weight".to_owned(), vec![VOCABULARY, HIDDEN]),
        ("embeddings.position_embeddings.weight".to_owned(), vec![POSITIONS, HIDDEN]),
        ("embeddings.token_type_embeddings.weight".to_owned(), vec![2, HIDDEN]),
    ];
    let mut norm = |module: &str| {
        for part in ["weight", "bias"] {
            tensors.push((format!("{module}.{part}"), vec![HIDDEN]));
        }
    };
    norm("embeddings.LayerNorm");
    for layer in 0..LAYERS {
        norm(&format!("encoder.layer.{layer}.attention.output.LayerNorm"));
        norm(&format!("encoder.layer.{layer}.output.LayerNorm"));
    }
    for layer in 0..LAYERS {
        for (module, outputs, inputs) in [
            ("attention.self.query", HIDDEN, HIDDEN),
            ("attention.self.key", HIDDEN, HIDDEN),
            ("attention.self.value", HIDDEN, HIDDEN),
            ("attention.output.dense", HIDDEN, HIDDEN),
            ("intermediate.dense", WIDE, HIDDEN),
            ("output.dense", HIDDEN, WIDE),
        ] {
            let module = format!("encoder.layer.{layer}.{module}");
            tensors.push((format!("{module}.weight"), vec![outputs, inputs]));
            tensors.push((format!("{module}.bias"), vec![outputs]));
        }
    }
    tensors
}
