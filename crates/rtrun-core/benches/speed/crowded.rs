//! Short questions while documents are read: the 99th percentile beside each kind of document against that of an idle
//! engine.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use rtrun_core::{BundleOptions, Engine};

use crate::support::{engine_over, folder, milliseconds, runtime, task};

/// How long each crowd is watched.
const WATCHED: Duration = Duration::from_secs(20);

/// Clients that read documents, each the next one as soon as it has its answer.
const READERS: usize = 4;

const WORDS: [&str; 8] = ["house", "water", "music", "river", "green", "people", "light", "market"];

pub fn crowded() {
    let package = long_package();
    let engine = engine_over(&package);
    let runtime = runtime();
    let crowds: [(&str, usize, usize); 4] =
        [("idle", 0, 0), ("1 row of 8,190 tokens", 1, 8190), ("32 rows of 256 tokens", 32, 256), ("idle", 0, 0)];
    let mut idle = None;
    for (name, rows, tokens) in crowds {
        let is_over = Arc::new(AtomicBool::new(false));
        let documents = Arc::new(AtomicUsize::new(0));
        let readers: Vec<_> = (0..if rows == 0 { 0 } else { READERS })
            .map(|reader| {
                let (engine, is_over) = (Arc::clone(&engine), Arc::clone(&is_over));
                let documents = Arc::clone(&documents);
                runtime.spawn(async move {
                    while !is_over.load(Ordering::SeqCst) {
                        let seed = reader + READERS * documents.load(Ordering::SeqCst);
                        let texts: Vec<String> = (0..rows).map(|row| words(tokens - 2, seed * 64 + row)).collect();
                        read(&engine, &texts).await;
                        documents.fetch_add(1, Ordering::SeqCst);
                    }
                })
            })
            .collect();
        let times = runtime.block_on(ask(Arc::clone(&engine)));
        is_over.store(true, Ordering::SeqCst);
        let start = Instant::now();
        runtime.block_on(async {
            for reader in readers {
                reader.await.unwrap();
            }
        });
        let [p50, p99] = [50, 99].map(|part| milliseconds(times[times.len() * part / 100]));
        let idle = *idle.get_or_insert(p99);
        println!(
            "{name}: {} questions, p50 {p50:.2} ms, p99 {p99:.2} ms, {:.2} of the first idle p99; {} documents, the last {:.1} s after the questions",
            times.len(),
            p99 / idle,
            documents.load(Ordering::SeqCst),
            start.elapsed().as_secs_f64()
        );
    }
}

/// Asks questions of 16 tokens with a little time between, and returns how long each took, sorted.
async fn ask(engine: Arc<Engine>) -> Vec<Duration> {
    let (start, mut times) = (Instant::now(), Vec::new());
    while start.elapsed() < WATCHED {
        let question = [words(14, 1_000_000 + times.len())];
        let asked = Instant::now();
        read(&engine, &question).await;
        times.push(asked.elapsed());
        tokio::time::sleep(Duration::from_millis(times.len() as u64 * 7 % 10)).await;
    }
    times.sort_unstable();
    times
}

async fn read(engine: &Arc<Engine>, texts: &[String]) {
    let answer = engine.bundle(vec![task(texts)], BundleOptions::default()).await;
    assert!(answer.outcomes[0].result.is_ok(), "{:?}", answer.outcomes[0].result);
}

/// A text of so many words of one token each, different for every seed.
fn words(count: usize, seed: usize) -> String {
    let word = |at: usize| WORDS[(seed >> (at % 20)).wrapping_add(at * 7) % WORDS.len()];
    (0..count).map(word).collect::<Vec<_>>().join(" ")
}

/// A package of the sizes of a small BERT with random weights and 8,192 positions, written once.
fn long_package() -> PathBuf {
    let package = std::env::temp_dir().join("rtrun-bench-long");
    if !package.join("model.safetensors").is_file() {
        std::fs::create_dir_all(&package).unwrap();
        crate::long_package::write(&package, Path::new(&folder()).join("tokenizer.json").as_path());
    }
    package
}
