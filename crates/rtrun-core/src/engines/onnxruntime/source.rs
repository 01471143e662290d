//! What the sessions of one graph are made from, and what they share.

use std::path::PathBuf;
use std::thread::JoinHandle;

use ort::environment::ThreadManager;
use ort::session::Session;
use ort::session::builder::GraphOptimizationLevel;

use super::environment::{Runtime, first_line};
use super::shared_weights::SharedWeights;
use crate::engines::priority::give_way;
use crate::graph::Graph;

/// A graph, its weights, and the number of threads that compute it.
pub struct Source {
    runtime: Runtime,
    model: Vec<u8>,
    folder: PathBuf,
    threads: usize,
    /// Bytes of the weights in memory.
    pub memory_bytes: u64,
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
    pub fn new(runtime: &Runtime, graph: &Graph, threads: usize) -> Self {
        let weights = SharedWeights::open(&graph.model, &graph.weights_folder);
        Self {
            runtime: runtime.clone(),
            model: graph.model.clone(),
            folder: graph.weights_folder.clone(),
            threads,
            memory_bytes: graph.memory_bytes,
            weights,
        }
    }

    /// Bytes that one more session takes: none where the weights are shared.
    pub fn bytes_of_another(&self) -> u64 {
        if self.weights.is_some() { 0 } else { self.memory_bytes }
    }

    /// Makes a session.
    #[allow(clippy::result_large_err, reason = "the builder of the library carries itself in its errors")]
    pub fn session(&self, threads: Threads) -> Result<Session, String> {
        let text = |error: &dyn std::fmt::Display| first_line(&error.to_string());
        let mut builder = Session::builder(self.runtime.environment())
            .map_err(|error| text(&error))?
            .with_intra_threads(self.threads)
            .and_then(|builder| builder.with_inter_threads(1))
            // The graph is made of fused operators already: the basic level folds the expanded weights and no more is
            // needed.
            .and_then(|builder| builder.with_optimization_level(GraphOptimizationLevel::Level1))
            // Lengths differ from forward to forward, so a remembered plan would only hold memory.
            .and_then(|builder| builder.with_memory_pattern(false))
            // Threads that spin between forwards starve whoever feeds the session (measured 3 to 4 times slower on 2
            // cores).
            .and_then(|builder| builder.with_config_entry("session.intra_op.allow_spinning", "0"))
            // Keeps the library from treating stored I8 weights as a quantized graph, so that they are expanded at load.
            .and_then(|builder| builder.with_config_entry("session.disable_quant_qdq", "1"))
            .and_then(|builder| {
                let folder = self.folder.to_string_lossy();
                builder.with_config_entry("session.model_external_initializers_file_folder_path", folder)
            })
            .map_err(|error| text(&error))?;
        if threads == Threads::GiveWay {
            builder = builder.with_thread_manager(GivingWay).map_err(|error| text(&error))?;
        }
        if let Some(weights) = &self.weights {
            builder = weights.lend(builder).map_err(|error| text(&error))?;
        }
        let session = builder.commit_from_memory(&self.model).map_err(|error| text(&error));
        if let Some(weights) = &self.weights {
            weights.release_pages();
        }
        session
    }
}

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
