//! One session: a graph over mapped weights, run by the thread that owns it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ort::session::builder::GraphOptimizationLevel;
use ort::session::{NoSelectedOutputs, RunOptions, Session};
use ort::value::TensorRef;

use super::environment::{Runtime, first_line};
use super::exit;
use crate::engines::encoder::{Encoder, Interrupt, RowOutput, RowRequest, RowVector};
use crate::engines::pool::{normalize, pool};
use crate::error::Error;
use crate::graph::{ATTENTION_MASK, Graph, INPUT_IDS, QUESTION_TYPE, TOKEN_TYPES};
use crate::package::Pooling;

/// How a session pools and computes.
#[derive(Debug, Clone, Copy)]
pub struct SessionOptions {
    /// Threads of one forward.
    pub threads: usize,
    /// Width of a token vector.
    pub width: usize,
    /// How token vectors become the sentence vector.
    pub pooling: Pooling,
    /// Whether the sentence vector gets length 1.
    pub normalize: bool,
}

/// A transformer trunk on ONNX Runtime.
pub struct OnnxEncoder {
    /// `None` only while the encoder is being dropped.
    session: Option<Session>,
    stopper: Arc<Stopper>,
    options: SessionOptions,
    takes_type: bool,
    memory_bytes: u64,
    early_forwards: usize,
}

/// After so many forwards, those of the load-time probes among them, the library has made all its statics.
const EARLY_FORWARDS: usize = 16;

/// Stops the forward that runs now. The library keeps a stopped mark, so every forward gets marks of its own.
#[derive(Default)]
pub struct Stopper(Mutex<Running>);

#[derive(Default)]
struct Running {
    forward: Option<Arc<RunOptions>>,
    is_stopped: bool,
}

impl Stopper {
    /// Stops the running forward, if there is one.
    pub fn stop(&self) {
        let mut running = self.lock();
        if let Some(forward) = &running.forward {
            let _ = forward.terminate();
            running.is_stopped = true;
        }
    }

    fn begin(&self, forward: Arc<RunOptions>) {
        *self.lock() = Running { forward: Some(forward), is_stopped: false };
    }

    /// Whether the forward that ends was stopped.
    fn end(&self) -> bool {
        std::mem::take(&mut *self.lock()).is_stopped
    }

    fn lock(&self) -> MutexGuard<'_, Running> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl OnnxEncoder {
    /// Makes the session. The weights file of the graph has been checked before.
    pub fn new(runtime: &Runtime, graph: &Graph, options: SessionOptions) -> Result<Self, Error> {
        let _inside = exit::enter().ok_or_else(leaving)?;
        let folder = graph.weights_folder.to_string_lossy();
        let session = build(runtime, &graph.model, &folder, options.threads).map_err(|problem| {
            Error::Internal(format!("Cannot create a session over the generated graph: {problem}"))
        })?;
        let stopper = Arc::new(Stopper::default());
        exit::remember(Arc::downgrade(&stopper));
        exit::register();
        Ok(Self {
            session: Some(session),
            stopper,
            options,
            takes_type: graph.takes_type,
            memory_bytes: graph.memory_bytes,
            early_forwards: EARLY_FORWARDS,
        })
    }

    fn run(&mut self, rows: &[RowRequest]) -> ort::Result<Vec<RowOutput>> {
        let Self { session, options, takes_type, .. } = self;
        let Some(session) = session else { return Err(ort::Error::new("the session is closed")) };
        let grid = Grid::new(rows);
        let run: Arc<RunOptions<NoSelectedOutputs>> = Arc::new(RunOptions::new()?);
        self.stopper.begin(Arc::clone(&run));
        let mut inputs = ort::inputs![
            INPUT_IDS => TensorRef::from_array_view((grid.shape, grid.ids.as_slice()))?,
            TOKEN_TYPES => TensorRef::from_array_view((grid.shape, grid.segments.as_slice()))?,
            ATTENTION_MASK => TensorRef::from_array_view((grid.shape, grid.mask.as_slice()))?,
        ];
        if *takes_type {
            let types = TensorRef::from_array_view(([rows.len(), 1], grid.types.as_slice()))?;
            inputs.push((QUESTION_TYPE.into(), types.into()));
        }
        let outputs = session.run_with_options(inputs, &run)?;
        let (_, hidden) = outputs[0].try_extract_tensor::<f32>()?;
        let row_width = grid.shape[1] * options.width;
        let output = |(index, request): (usize, &RowRequest)| {
            // Only the row's own tokens are read, so padding cannot touch its answer.
            let tokens = &hidden[index * row_width..][..request.row.len() * options.width];
            RowOutput {
                sentence: request.wanted.sentence.then(|| sentence(tokens, *options)),
                tokens: request.wanted.tokens.then(|| RowVector::from(tokens)),
            }
        };
        Ok(rows.iter().enumerate().map(output).collect())
    }
}

/// The pooled vector of one row.
fn sentence(tokens: &[f32], options: SessionOptions) -> RowVector {
    let mut vector = pool(tokens, options.width, options.pooling);
    if options.normalize {
        normalize(&mut vector);
    }
    vector.into()
}

impl Encoder for OnnxEncoder {
    fn encode(&mut self, rows: &[RowRequest]) -> Result<Vec<RowOutput>, Error> {
        let _inside = exit::enter().ok_or_else(leaving)?;
        let result = self.run(rows);
        let is_stopped = self.stopper.end();
        if self.early_forwards > 0 {
            self.early_forwards -= 1;
            exit::register();
        }
        result.map_err(|error| {
            if is_stopped {
                return Error::NotReady("The forward was stopped".to_owned());
            }
            Error::Internal(format!("The forward failed: {}", first_line(&error.to_string())))
        })
    }

    fn dimension(&self) -> usize {
        self.options.width
    }

    fn memory_bytes(&self) -> u64 {
        self.memory_bytes
    }

    fn interrupt(&self) -> Interrupt {
        let stopper = Arc::clone(&self.stopper);
        Arc::new(move || stopper.stop())
    }
}

impl Drop for OnnxEncoder {
    fn drop(&mut self) {
        let inside = exit::enter();
        let session = self.session.take();
        if inside.is_none() {
            // The library is being destroyed; releasing the session would use it.
            std::mem::forget(session);
        }
    }
}

#[allow(clippy::result_large_err, reason = "the builder of the library carries itself in its errors")]
fn build(runtime: &Runtime, model: &[u8], folder: &str, threads: usize) -> Result<Session, String> {
    let text = |error: &dyn std::fmt::Display| first_line(&error.to_string());
    Session::builder(runtime.environment())
        .map_err(|error| text(&error))?
        .with_intra_threads(threads)
        .and_then(|builder| builder.with_inter_threads(1))
        // The graph is made of fused operators already: the basic level folds the expanded weights and no more is needed.
        .and_then(|builder| builder.with_optimization_level(GraphOptimizationLevel::Level1))
        // Lengths differ from forward to forward, so a remembered plan would only hold memory.
        .and_then(|builder| builder.with_memory_pattern(false))
        // Threads that spin between forwards starve whoever feeds the session (measured 3 to 4 times slower on 2 cores).
        .and_then(|builder| builder.with_config_entry("session.intra_op.allow_spinning", "0"))
        // Keeps the library from treating stored I8 weights as a quantized graph, so that they are expanded at load.
        .and_then(|builder| builder.with_config_entry("session.disable_quant_qdq", "1"))
        .and_then(|builder| builder.with_config_entry("session.model_external_initializers_file_folder_path", folder))
        .map_err(|error| text(&error))?
        .commit_from_memory(model)
        .map_err(|error| text(&error))
}

/// The inputs of a forward: `[rows, tokens]`, short rows padded on the right.
struct Grid {
    shape: [usize; 2],
    ids: Vec<i32>,
    segments: Vec<i32>,
    mask: Vec<i32>,
    /// What each row asks.
    types: Vec<i32>,
}

impl Grid {
    fn new(rows: &[RowRequest]) -> Self {
        let tokens = rows.iter().map(|request| request.row.len()).max().unwrap_or(0);
        let places = rows.len() * tokens;
        let (mut ids, mut segments, mut mask) = (vec![0; places], vec![0; places], vec![0; places]);
        for (index, RowRequest { row, .. }) in rows.iter().enumerate() {
            let start = index * tokens;
            for (place, id) in ids[start..].iter_mut().zip(row.ids.iter()) {
                *place = id.cast_signed();
            }
            mask[start..start + row.len()].fill(1);
            segments[start + row.second_from..start + row.len()].fill(1);
        }
        let types = rows.iter().map(|request| i32::from(request.row.mark)).collect();
        Self { shape: [rows.len(), tokens], ids, segments, mask, types }
    }
}

fn leaving() -> Error {
    Error::NotReady("The process is leaving".to_owned())
}
