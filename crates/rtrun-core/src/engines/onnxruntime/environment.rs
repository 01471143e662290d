//! The inference library: loaded once per process, when the first model needs it.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use ort::environment::Environment;
use ort::logging::LogLevel;

use super::exit;
use super::operators::make_known;
use crate::error::Error;

/// The library and its environment, of which a process can have only one. A failure is not kept, so a wrong path can be
/// put right without a new process.
static LOADED: Mutex<Option<Runtime>> = Mutex::new(None);

/// The library reads this variable of the process when it is opened. Whoever starts the process sets it, because changing
/// the environment races with other threads that read it.
const NO_TELEMETRY: &str = "ORT_DISABLE_TELEMETRY";

/// A loaded inference library.
#[derive(Debug, Clone)]
pub struct Runtime {
    environment: Environment,
    library: PathBuf,
}

impl Runtime {
    /// Loads the library, or returns the one that is loaded.
    pub fn load(library: &Path) -> Result<Self, Error> {
        let mut loaded = LOADED.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(runtime) = &*loaded {
            return Ok(runtime.clone());
        }
        let failed = |problem: String| {
            let path = library.display();
            Error::Unavailable(format!(
                "Cannot load the inference library {path}: {problem}; it must be a libonnxruntime of version 1.24 or newer"
            ))
        };
        if library.as_os_str().is_empty() {
            return Err(Error::Unavailable(
                "Cannot load the inference library: no path is given; set runtime_library to a libonnxruntime"
                    .to_owned(),
            ));
        }
        if !library.is_absolute() {
            return Err(failed("the path must be absolute".to_owned()));
        }
        if !library.is_file() {
            return Err(failed("there is no such file".to_owned()));
        }
        if std::env::var_os(NO_TELEMETRY).is_none_or(|value| value != "1") {
            return Err(Error::Unavailable(format!(
                "Cannot load the inference library: it would report its use to its maker; start the process with {NO_TELEMETRY}=1"
            )));
        }
        let _inside = exit::enter().ok_or_else(exit::leaving)?;
        let builder = ort::init_from(library).map_err(|error| failed(first_line(&error.to_string())))?;
        let environment = builder
            .with_name("rtrun")
            .with_telemetry(false)
            .with_logger(Arc::new(|level, _, _, place, message| log(level, place, message)))
            .build()
            .map_err(|error| failed(first_line(&error.to_string())))?;
        environment.set_log_level(LogLevel::Warning);
        make_known(&environment).map_err(|error| failed(first_line(&error.to_string())))?;
        exit::register();
        let runtime = Self { environment, library: library.to_owned() };
        *loaded = Some(runtime.clone());
        Ok(runtime)
    }

    /// The environment that sessions are made in.
    pub fn environment(&self) -> &Environment {
        &self.environment
    }

    /// The path the library was loaded from.
    pub fn library(&self) -> &Path {
        &self.library
    }
}

/// The library's own words, which name nodes and never texts. A failed forward is told by its caller too.
fn log(level: LogLevel, place: &str, message: &str) {
    let message = first_line(message);
    match level {
        // What is broken off on purpose is no fault.
        LogLevel::Error | LogLevel::Fatal if !exit::is_leaving() => tracing::warn!(place, message, "onnxruntime"),
        _ => tracing::debug!(place, message, "onnxruntime"),
    }
}

/// The library's messages run over many lines; the first says what happened.
pub(super) fn first_line(message: &str) -> String {
    message.lines().next().unwrap_or_default().trim().to_owned()
}
