//! What an engine is opened with: defaults, limits and the check of every value.

use std::path::PathBuf;
use std::time::Duration;

use crate::devices::DeviceChoice;
use crate::error::Error;
use crate::faults::Faults;
use crate::model::Profile;
use crate::named::named;
use crate::package::FamilyKind;

/// Options of a whole engine. [`EngineOptions::default`] has the documented default of every limit and no model.
#[derive(Debug, Clone)]
pub struct EngineOptions {
    /// Path of `libonnxruntime`; opened when the first model needs it, so static models run without it.
    pub runtime_library: PathBuf,
    /// Threads of one forward on the CPU.
    pub threads: usize,
    /// The models to load.
    pub models: Vec<ModelOptions>,
    /// Unanswered requests of one model from which on new ones are refused.
    pub max_queue: usize,
    /// Unanswered tokens of one model from which on new requests are refused.
    pub max_queued_tokens: usize,
    /// Tokens of one forward, padding included. The engine may choose fewer.
    pub max_batch_tokens: usize,
    /// Bytes of one HTTP request body.
    pub max_request_bytes: usize,
    /// Tasks of one bundle.
    pub max_bundle_tasks: usize,
    /// How long a row that arrived at a busy model may wait for others to share its forward.
    pub batch_window: Duration,
    /// Rows whose answer is kept for one model; 0 keeps none.
    pub result_cache_entries: usize,
    /// The folder that verdicts on `max_speed` are kept in; without one, every load compares again.
    pub verdicts: Option<PathBuf>,
    /// How often loading a model is tried.
    pub load_attempts: u32,
    /// The first wait between two tries; it doubles up to [`LONGEST_LOAD_RETRY`].
    pub load_retry: Duration,
    /// Memory that all models together may take for their weights, in bytes.
    pub memory_budget_bytes: Option<u64>,
    /// Panics on purpose, for tests; none unless the host puts some here.
    pub faults: Faults,
}

/// Options of one model.
#[derive(Debug, Clone, Default)]
pub struct ModelOptions {
    /// The name that requests use.
    pub name: String,
    /// The package folder.
    pub path: PathBuf,
    /// The folder of the base package, if the package is an adapter.
    pub base_path: Option<PathBuf>,
    /// The family, where it shall not follow from the package.
    pub family: Option<String>,
    /// `auto`, `cpu`, `cuda` or `cuda:<number>`.
    pub device: Option<String>,
    /// `exact`, `batching` or `max_speed`; or `shared_context` for models that read a state once for all its questions.
    pub profile: Option<String>,
    /// `auto` or `onnxruntime`.
    pub engine: Option<String>,
    /// The revision of the package, as the card tells it.
    pub revision: Option<String>,
    /// The most tokens of an input that is read in windows, unless a request says otherwise.
    pub max_scan_tokens: Option<usize>,
    /// Memory that the weights of this model may take, in bytes.
    pub memory_budget_bytes: Option<u64>,
}

/// The longest wait between two tries to load a model.
pub const LONGEST_LOAD_RETRY: Duration = Duration::from_mins(5);

/// The longest time that a row may wait for company. Whatever is slower than this loses more by waiting than a shared
/// forward can win.
pub const LONGEST_BATCH_WINDOW: Duration = Duration::from_secs(1);

/// Inputs of one request, all its tasks together. Each input costs an answer, so the byte limit of a request alone
/// would let eight megabytes of empty strings ask for gigabytes.
pub const MAX_INPUTS: usize = 2048;

/// Images of one request, all its tasks together. A few bytes can be an image of a megapixel, so neither the byte limit of
/// a request nor the number of its inputs bounds the memory that images take while they wait.
pub const MAX_IMAGES: usize = 256;

const ENGINES: [&str; 2] = ["auto", "onnxruntime"];

impl Default for EngineOptions {
    fn default() -> Self {
        Self {
            runtime_library: PathBuf::new(),
            threads: default_threads(),
            models: Vec::new(),
            max_queue: 256,
            max_queued_tokens: 4_194_304,
            max_batch_tokens: 65_536,
            max_request_bytes: 8_388_608,
            max_bundle_tasks: 64,
            batch_window: Duration::from_millis(2),
            result_cache_entries: 16_384,
            verdicts: None,
            load_attempts: 5,
            load_retry: Duration::from_secs(5),
            memory_budget_bytes: None,
            faults: Faults::default(),
        }
    }
}

impl EngineOptions {
    /// Checks every value and names all that are wrong in one error.
    pub fn check(&self) -> Result<(), Error> {
        let mut problems = Vec::new();
        for (name, value) in [
            ("threads", self.threads),
            ("max_queue", self.max_queue),
            ("max_queued_tokens", self.max_queued_tokens),
            ("max_batch_tokens", self.max_batch_tokens),
            ("max_request_bytes", self.max_request_bytes),
            ("max_bundle_tasks", self.max_bundle_tasks),
            ("load_attempts", self.load_attempts as usize),
        ] {
            if value == 0 {
                problems.push(format!("{name} is 0; it must be at least 1"));
            }
        }
        if self.threads > 1024 {
            problems.push(format!("threads is {}; it must be at most 1024", self.threads));
        }
        if self.batch_window > LONGEST_BATCH_WINDOW {
            let (given, longest) = (self.batch_window.as_millis(), LONGEST_BATCH_WINDOW.as_millis());
            problems.push(format!("batch_window is {given} ms; it must be at most {longest} ms"));
        }
        if self.models.is_empty() {
            problems.push("models is empty; name at least one model".to_owned());
        }
        for (index, model) in self.models.iter().enumerate() {
            if model.name.is_empty() {
                problems.push(format!("models[{index}].name is empty"));
            }
            if self.models[..index].iter().any(|other| other.name == model.name) {
                problems.push(format!("models[{index}].name {:?} is used twice", model.name));
            }
            if let Err(problem) = model.device_choice() {
                problems.push(format!("models[{index}].device {problem}"));
            }
            let choices = [
                ("family", model.family_choice().err()),
                ("profile", model.profile_choice().err()),
                ("engine", model.engine_problem()),
            ];
            for (key, problem) in choices {
                problems.extend(problem.map(|problem| format!("models[{index}].{key} {problem}")));
            }
        }
        if problems.is_empty() { Ok(()) } else { Err(Error::InvalidOptions(problems.join("; "))) }
    }
}

impl ModelOptions {
    /// Where the model shall compute. The error is what is wrong with the option.
    pub fn device_choice(&self) -> Result<DeviceChoice, String> {
        self.device.as_deref().map_or(Ok(DeviceChoice::default()), str::parse)
    }

    /// The family that the package shall have; `None` where it follows from the package. The error is what is wrong with
    /// the option.
    pub fn family_choice(&self) -> Result<Option<FamilyKind>, String> {
        self.family.as_deref().map(str::parse).transpose()
    }

    /// The numerical profile. The error is what is wrong with the option.
    pub fn profile_choice(&self) -> Result<Profile, String> {
        self.profile.as_deref().map_or(Ok(Profile::Exact), str::parse)
    }

    fn engine_problem(&self) -> Option<String> {
        named(ENGINES, |engine| engine, self.engine.as_deref()?).err()
    }
}

/// Half of the processors, at least 1 and at most 16: the rest belongs to the process that feeds the engine.
pub fn default_threads() -> usize {
    let processors = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    (processors / 2).clamp(1, 16)
}
