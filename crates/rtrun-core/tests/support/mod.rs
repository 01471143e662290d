//! What the tests share: fixture packages, the inference library, engines over them.

pub mod arithmetic;
pub mod client;
pub mod contract;
pub mod decisions;
mod library;
pub mod mutation;
mod place;
pub mod random;
pub mod session;
pub mod skip;
pub mod weights;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rtrun_core::model::ProfileReport;
use rtrun_core::{
    BundleOptions, ClassifyInput, EmbeddingInput, Engine, EngineOptions, Error, ModelOptions, ReadingOptions, Task,
    TaskAnswer, TaskKind,
};
use tempfile::TempDir;

pub use library::runtime_library;
pub use place::core_folder;

/// The folder of a fixture package.
pub fn fixture(name: &str) -> PathBuf {
    core_folder().join("tests/fixtures").join(name)
}

/// The bytes of a fixture image.
pub fn image_file(name: &str) -> Vec<u8> {
    std::fs::read(fixture("images").join(name)).unwrap()
}

/// A fixture image as a data URL.
pub fn image_url(name: &str) -> String {
    let kind = name.rsplit('.').next().unwrap().replace("jpg", "jpeg");
    format!("data:image/{kind};base64,{}", STANDARD.encode(image_file(name)))
}

/// A copy of a fixture package to damage. Its manifest is left out, so that damage is found where it lies.
pub fn copy_without_manifest(name: &str) -> TempDir {
    let copy = copy(name);
    let _ = std::fs::remove_file(copy.path().join("manifest.json"));
    copy
}

/// A copy of a fixture package.
pub fn copy(name: &str) -> TempDir {
    let copy = tempfile::tempdir().unwrap();
    copy_folder(&fixture(name), copy.path());
    copy
}

fn copy_folder(from: &Path, to: &Path) {
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            std::fs::create_dir(&target).unwrap();
            copy_folder(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// Options that serve the given packages under the given names.
pub fn options(models: &[(&str, &Path)]) -> EngineOptions {
    let model = |(name, path): &(&str, &Path)| ModelOptions {
        name: (*name).to_owned(),
        path: (*path).to_owned(),
        ..ModelOptions::default()
    };
    EngineOptions {
        runtime_library: runtime_library(),
        threads: 2,
        models: models.iter().map(model).collect(),
        load_attempts: 1,
        ..EngineOptions::default()
    }
}

/// An engine that serves fixture packages under their own names.
pub fn engine(names: &[&str]) -> Arc<Engine> {
    let folders: Vec<PathBuf> = names.iter().map(|name| fixture(name)).collect();
    let models: Vec<(&str, &Path)> = names.iter().copied().zip(folders.iter().map(PathBuf::as_path)).collect();
    open_ready(options(&models))
}

/// An engine all of whose models are ready.
pub fn open_ready(options: EngineOptions) -> Arc<Engine> {
    let engine = Engine::open(options).unwrap();
    let states = block_on(engine.ready());
    assert!(states.iter().all(|state| state.reason.is_none()), "{states:?}");
    engine
}

/// Why the one model of these options was given up.
pub fn load_failure(options: EngineOptions) -> String {
    let engine = Engine::open(options).unwrap();
    block_on(engine.ready()).remove(0).reason.expect("the model must not load")
}

/// What became of the profile of the only model.
pub fn profile_report(options: EngineOptions) -> ProfileReport {
    open_ready(options).model(None).unwrap().profile.clone()
}

/// Runs a future on a runtime of its own.
pub fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
        tokio::time::timeout(Duration::from_mins(3), future).await.expect("no test waits for three minutes")
    })
}

/// A task of the engine's only model.
pub fn task(kind: TaskKind) -> Task {
    Task { id: "task".to_owned(), model: None, kind, reading: ReadingOptions::default() }
}

/// An embeddings task of the engine's only model.
pub fn embed_task(input: &[&str]) -> Task {
    let input = input.iter().map(|text| EmbeddingInput::Text((*text).to_owned())).collect();
    task(TaskKind::Embeddings { input, dimensions: None, layer: None, input_type: None })
}

/// A classify task of the engine's only model.
pub fn classify_task(head: &str, input: &[&str]) -> Task {
    let input = input.iter().map(|text| ClassifyInput::Text((*text).to_owned())).collect();
    task(TaskKind::Classify { head: Some(head.to_owned()), input, threshold: None, with_tokens: false })
}

/// The answer to one task.
pub fn answer(engine: &Arc<Engine>, task: Task) -> Result<TaskAnswer, Error> {
    block_on(engine.bundle(vec![task], BundleOptions::default())).outcomes.remove(0).result
}

/// The vectors of texts from an engine's only model.
pub fn embed(engine: &Arc<Engine>, input: &[&str]) -> Vec<Vec<f32>> {
    match answer(engine, embed_task(input)) {
        Ok(TaskAnswer::Embeddings(answer)) => answer.items.into_iter().map(|item| item.unwrap().1.to_vec()).collect(),
        other => panic!("{other:?}"),
    }
}

/// The probabilities of texts from a head of an engine's only model.
pub fn classify(engine: &Arc<Engine>, head: &str, input: &[&str]) -> Vec<Vec<f32>> {
    match answer(engine, classify_task(head, input)) {
        Ok(TaskAnswer::Classify(answer)) => {
            answer.items.into_iter().map(|item| item.unwrap().1.probabilities.clone()).collect()
        }
        other => panic!("{other:?}"),
    }
}

/// The value of a metric, by its name and labels; 0 if it is not there.
pub fn counter(metrics: &str, name: &str) -> u64 {
    let found = metrics.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    found.map_or(0, |count| count.parse().unwrap())
}

/// How many forwards a model has run.
pub fn forwards(metrics: &str, model: &str) -> u64 {
    counter(metrics, &format!("rtrun_forward_duration_seconds_count{{model=\"{model}\"}}"))
}
