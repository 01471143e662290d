//! The package under test, its options, texts of a chosen length, and medians.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rtrun_core::engines::RowRequest;
use rtrun_core::engines::onnxruntime::{OnnxEncoder, Runtime, SessionOptions};
use rtrun_core::graph::{Depth, Packing, Reduction, encoder_graph, reduced_encoder_graph};
use rtrun_core::package::{Architecture, Package};
use rtrun_core::tokens::{Overflow, TextReader};
use rtrun_core::{Device, EmbeddingInput, Engine, EngineOptions, ModelOptions, ReadingOptions, Task, TaskKind};

/// The folder that `RTRUN_BENCH_MODEL` names, else `models/signals` of the repository.
pub fn folder() -> PathBuf {
    let default = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/signals");
    std::env::var_os("RTRUN_BENCH_MODEL").map_or_else(default, PathBuf::from)
}

pub fn library() -> PathBuf {
    let inside = "node_modules/onnxruntime-node/bin/napi-v6/linux/x64/libonnxruntime.so.1";
    let default = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(inside).canonicalize().unwrap();
    std::env::var_os("ORT_DYLIB_PATH").map_or_else(default, PathBuf::from)
}

pub fn threads() -> usize {
    std::env::var("RTRUN_BENCH_THREADS").map_or(2, |threads| threads.parse().unwrap())
}

/// An engine that keeps no results, so that every call computes.
pub fn engine() -> Arc<Engine> {
    engine_with(&["model".to_owned()])
}

/// The same with the package under several names.
pub fn engine_with(names: &[String]) -> Arc<Engine> {
    open(names.iter().map(|name| (name.clone(), folder())))
}

/// The same over another package.
pub fn engine_over(package: &Path) -> Arc<Engine> {
    open([("model".to_owned(), package.to_owned())])
}

fn open(models: impl IntoIterator<Item = (String, PathBuf)>) -> Arc<Engine> {
    let model = |(name, path)| ModelOptions { name, path, ..ModelOptions::default() };
    let engine = Engine::open(EngineOptions {
        runtime_library: library(),
        threads: threads(),
        models: models.into_iter().map(model).collect(),
        result_cache_entries: 0,
        load_attempts: 1,
        ..EngineOptions::default()
    })
    .unwrap();
    let states = runtime().block_on(engine.ready());
    assert!(states.iter().all(|state| state.reason.is_none()), "{states:?}");
    engine
}

pub fn encoder() -> OnnxEncoder {
    encoder_in(None)
}

/// The bare encoder in reduced precision.
pub fn reduced_encoder(reduction: Reduction) -> OnnxEncoder {
    encoder_in(Some(reduction))
}

fn encoder_in(reduction: Option<Reduction>) -> OnnxEncoder {
    let package = Package::open("model", &folder(), None).unwrap();
    let Architecture::Transformer(config) = &package.architecture else { panic!("the bench needs a transformer") };
    let weights = package.weights().unwrap();
    let graph = match reduction {
        Some(reduction) => {
            reduced_encoder_graph(weights, config, Depth::of(config.layers()), &Packing::new(reduction)).unwrap()
        }
        None => encoder_graph(weights, config, Depth::of(config.layers())).unwrap(),
    };
    let options = SessionOptions {
        threads: threads(),
        pooling: package.pooling,
        normalize: package.normalize,
        device: Device::Cpu,
        prepack: true,
    };
    OnnxEncoder::new(&Runtime::load(&library()).unwrap(), &graph, options).unwrap()
}

pub fn reader() -> TextReader {
    TextReader::new(&std::fs::read(folder().join("tokenizer.json")).unwrap(), true).unwrap()
}

/// A text of exactly `tokens` tokens, special ones included, that differs for every `seed`.
pub fn text(reader: &TextReader, tokens: usize, seed: usize) -> String {
    const WORDS: [&str; 8] = ["house", "water", "music", "river", "green", "people", "light", "market"];
    let word = |at: usize| WORDS[(seed * 31 + at * 7 + seed * at) % WORDS.len()];
    let mut text = format!("{} {}", seed % 10, (seed / 10) % 10);
    for at in 0..tokens {
        let longer = format!("{text} {}", word(at));
        if reader.read(&longer, 4096, Overflow::Truncate).unwrap().tokens > tokens {
            break;
        }
        text = longer;
    }
    text
}

pub fn row(reader: &TextReader, text: &str) -> RowRequest {
    RowRequest::sentence(reader.read(text, 4096, Overflow::Truncate).unwrap().ids)
}

/// An embeddings task of the engine's only model.
pub fn task(texts: &[String]) -> Task {
    let input = texts.iter().cloned().map(EmbeddingInput::Text).collect();
    let kind = TaskKind::Embeddings { input, dimensions: None, layer: None, input_type: None };
    Task { id: "t".to_owned(), model: None, kind, reading: ReadingOptions::default() }
}

pub fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap()
}

/// Runs contestants in turn and returns their times, sorted.
pub fn interleaved<const N: usize>(rounds: usize, mut contestants: [&mut dyn FnMut(); N]) -> [Vec<Duration>; N] {
    let mut times = [const { Vec::new() }; N];
    for round in 0..rounds + 3 {
        for (contestant, times) in contestants.iter_mut().zip(&mut times) {
            let start = Instant::now();
            contestant();
            // The first rounds warm caches and threads up.
            if round >= 3 {
                times.push(start.elapsed());
            }
        }
    }
    for times in &mut times {
        times.sort_unstable();
    }
    times
}

pub fn median(times: &[Duration]) -> Duration {
    times[times.len() / 2]
}

pub fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// From opening the engine to its readiness, hash check and self-check included.
pub fn load() {
    for _ in 0..5 {
        let start = Instant::now();
        let engine = engine();
        println!("load {:.0} ms", milliseconds(start.elapsed()));
        drop(engine);
    }
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let resident = status.lines().find(|line| line.starts_with("VmRSS")).unwrap();
    println!("{resident} after five loads");
}
