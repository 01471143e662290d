//! What the sessions of one graph are made from, and what they share.

use std::sync::Arc;
use std::thread::JoinHandle;

use ort::environment::ThreadManager;
use ort::ep::CUDA;
use ort::session::Session;
use ort::session::builder::{GraphOptimizationLevel, SessionBuilder};
use ort::value::Tensor;

use super::environment::{Runtime, first_line};
use super::exit;
use super::norms::with_own_norms;
use super::operators::operators;
use super::session::SessionOptions;
use super::shared_weights::SharedWeights;
use crate::devices::Device;
use crate::engines::priority::give_way;
use crate::graph::{Graph, GraphModel, HeldWeight, Inputs, Output};
use crate::matmul::PackedLinear;

/// A graph, its weights, and the number of threads that compute it.
pub struct Source {
    runtime: Runtime,
    model: GraphModel,
    options: SessionOptions,
    /// What the graph is given.
    pub inputs: Inputs,
    /// What it answers.
    pub output: Output,
    /// Bytes of the weights in memory.
    pub memory_bytes: u64,
    /// Matmuls in reduced precision, whose weights all sessions read.
    matmuls: Vec<Arc<PackedLinear>>,
    /// `None` where every session has to have its own.
    weights: Option<SharedWeights>,
}

/// Who computes in a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Threads {
    /// Threads like all others.
    Normal,
    /// Threads that give way.
    GiveWay,
}

impl Source {
    /// Takes a graph whose weights file has been checked before.
    pub fn new(runtime: &Runtime, graph: &Graph, options: SessionOptions) -> Self {
        let weights = match &graph.model {
            GraphModel::Generated { bytes, weights_folder, held }
                if held.is_empty() && options.prepack && options.device == Device::Cpu =>
            {
                SharedWeights::open(bytes, weights_folder)
            }
            _ => None,
        };
        let model = match graph.model.clone() {
            GraphModel::Generated { bytes, weights_folder, held } if options.device == Device::Cpu => {
                GraphModel::Generated { bytes: with_own_norms(bytes), weights_folder, held }
            }
            other => other,
        };
        Self {
            runtime: runtime.clone(),
            model,
            options,
            inputs: graph.inputs,
            output: graph.output.clone(),
            memory_bytes: graph.memory_bytes,
            matmuls: graph.matmuls.clone(),
            weights,
        }
    }

    /// Whether one more session needs no memory for its weights.
    pub fn shares_weights(&self) -> bool {
        self.weights.is_some()
    }

    /// Makes a session.
    ///
    /// # Safety
    /// The session is dropped before this source is, or never: it reads the weights of the source.
    #[allow(unsafe_code)]
    #[allow(clippy::result_large_err, reason = "the builder of the library carries itself in its errors")]
    pub unsafe fn session(&self, threads: Threads) -> Result<Session, String> {
        let text = |error: &dyn std::fmt::Display| first_line(&error.to_string());
        let level = match &self.model {
            // Made of fused operators already: the basic level folds the expanded weights and no more is needed.
            GraphModel::Generated { .. } => GraphOptimizationLevel::Level1,
            GraphModel::File(_) => GraphOptimizationLevel::Level2,
        };
        let mut builder = Session::builder(self.runtime.environment())
            .map_err(|error| text(&error))?
            .with_intra_threads(self.options.threads)
            .and_then(|builder| builder.with_inter_threads(1))
            .and_then(|builder| builder.with_optimization_level(level))
            // Lengths differ from forward to forward, so a remembered plan would only hold memory.
            .and_then(|builder| builder.with_memory_pattern(false))
            // Threads that spin between forwards starve whoever feeds the session (measured 3 to 4 times slower on 2
            // cores).
            .and_then(|builder| builder.with_config_entry("session.intra_op.allow_spinning", "0"))
            // Keeps the library from treating stored I8 weights as a quantized graph, so that they are expanded at load.
            .and_then(|builder| builder.with_config_entry("session.disable_quant_qdq", "1"))
            .and_then(|builder| {
                let disabled = if self.options.prepack { "0" } else { "1" };
                builder.with_config_entry("session.disable_prepacking", disabled)
            })
            .map_err(|error| text(&error))?;
        if let Device::Cuda(number) = self.options.device {
            // The short floats of its tensor cores would answer visibly differently from the CPU.
            let provider = CUDA::default().with_device_id(number.cast_signed()).with_tf32(false).build();
            builder = builder.with_execution_providers([provider.error_on_failure()]).map_err(|error| text(&error))?;
        }
        if threads == Threads::GiveWay {
            builder = builder.with_thread_manager(GivingWay).map_err(|error| text(&error))?;
        }
        let operators = operators(&self.matmuls).map_err(|error| text(&error))?;
        builder = builder.with_operators(operators).map_err(|error| text(&error))?;
        if let Some(weights) = &self.weights {
            // SAFETY: the caller keeps this source, and the weights with it, for longer than the session.
            builder = unsafe { weights.lend(builder) }.map_err(|error| text(&error))?;
        }
        if let GraphModel::Generated { weights_folder, held, .. } = &self.model {
            builder = hold(builder, held)
                .map_err(|error| text(&error))?
                .with_config_entry(WEIGHTS_FOLDER, weights_folder.to_string_lossy())
                .map_err(|error| text(&error))?;
        }
        let loading = exit::loading(builder.canceler());
        let session = match &self.model {
            GraphModel::File(path) => builder.commit_from_file(path),
            GraphModel::Generated { bytes, .. } => builder.commit_from_memory(bytes),
        };
        drop(loading);
        let session = session.map_err(|error| text(&error));
        if let Some(weights) = &self.weights {
            weights.release_pages();
        }
        session
    }
}

impl Drop for Source {
    fn drop(&mut self) {
        let inside = exit::enter();
        let weights = self.weights.take();
        if inside.is_none() {
            // The library is being destroyed; releasing the weights would use it.
            std::mem::forget(weights);
        }
    }
}

/// Gives a session the weights that stand in no file; it copies them.
#[allow(clippy::result_large_err, reason = "the builder of the library carries itself in its errors")]
fn hold(mut builder: SessionBuilder, held: &[HeldWeight]) -> ort::Result<SessionBuilder> {
    for weight in held {
        let values = (weight.shape.as_slice(), weight.values[weight.range.clone()].to_vec());
        let value = Tensor::from_array(values)?.into_dyn();
        builder = builder
            .with_external_initializer(&weight.name, value)
            .map_err(|error| ort::Error::new(error.to_string()))?;
    }
    Ok(builder)
}

/// Where the library finds the weights of a graph that is in memory.
const WEIGHTS_FOLDER: &str = "session.model_external_initializers_file_folder_path";

/// Starts the threads of a session so that they give way.
struct GivingWay;

impl ThreadManager for GivingWay {
    type Thread = JoinHandle<()>;

    fn create(&self, work: impl FnOnce() + Send + 'static) -> ort::Result<Self::Thread> {
        let thread = std::thread::Builder::new().name("rtrun back".to_owned()).spawn(|| {
            give_way();
            work();
        });
        thread.map_err(|error| ort::Error::new(format!("cannot start a thread: {error}")))
    }

    fn join(thread: Self::Thread) -> ort::Result<()> {
        thread.join().map_err(|_| ort::Error::new("a thread of the session panicked"))
    }
}
