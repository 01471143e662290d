//! One session: a graph over mapped weights, run by the thread that owns it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ort::session::builder::GraphOptimizationLevel;
use ort::session::{NoSelectedOutputs, RunOptions, Session, SessionInputValue};
use ort::value::Tensor;

use super::environment::{Runtime, first_line};
use super::exit;
use crate::engines::encoder::{Encoder, Interrupt, RowOutput, RowRequest, RowVector};
use crate::engines::pool::{normalize, pool};
use crate::error::Error;
use crate::graph::{
    ATTENTION_MASK, Graph, GraphModel, INPUT_IDS, Inputs, Integers, Output, PIXEL_VALUES, Per, TOKEN_TYPES,
};
use crate::package::Pooling;

/// How a session pools and computes.
#[derive(Debug, Clone, Copy)]
pub struct SessionOptions {
    /// Threads of one forward.
    pub threads: usize,
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
    inputs: Inputs,
    output: Output,
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
        let session = build(runtime, &graph.model, options.threads)
            .map_err(|problem| Error::Internal(format!("Cannot create a session over the graph: {problem}")))?;
        let stopper = Arc::new(Stopper::default());
        exit::remember(Arc::downgrade(&stopper));
        exit::register();
        Ok(Self {
            session: Some(session),
            stopper,
            options,
            inputs: graph.inputs,
            output: graph.output.clone(),
            memory_bytes: graph.memory_bytes,
            early_forwards: EARLY_FORWARDS,
        })
    }

    fn run(&mut self, rows: &[RowRequest]) -> ort::Result<Vec<RowOutput>> {
        let Self { session, options, inputs, output, .. } = self;
        let Some(session) = session else { return Err(ort::Error::new("the session is closed")) };
        let grid_tokens = rows.iter().map(|request| request.row.len()).max().unwrap_or(0);
        let given = match inputs.pixels {
            Some(size) => vec![(PIXEL_VALUES, pixels(size, rows)?)],
            None => texts(*inputs, rows)?,
        };
        let run: Arc<RunOptions<NoSelectedOutputs>> = Arc::new(RunOptions::new()?);
        self.stopper.begin(Arc::clone(&run));
        let outputs = session.run_with_options(given, &run)?;
        let (_, values) = outputs[output.name.as_str()].try_extract_tensor::<f32>()?;
        let row_output = |(index, request): (usize, &RowRequest)| match output.per {
            Per::Row => {
                let vector = &values[index * output.width..][..output.width];
                RowOutput { sentence: Some(finished(vector.to_vec(), *options)), tokens: None }
            }
            Per::Token => {
                // Only the row's own tokens are read, so padding cannot touch its answer.
                let tokens = &values[index * grid_tokens * output.width..][..request.row.len() * output.width];
                let sentence = || finished(pool(tokens, output.width, options.pooling), *options);
                RowOutput {
                    sentence: request.wanted.sentence.then(sentence),
                    tokens: request.wanted.tokens.then(|| RowVector::from(tokens)),
                }
            }
        };
        Ok(rows.iter().enumerate().map(row_output).collect())
    }
}

/// The pooled vector of one row, of length 1 where that is asked for.
fn finished(mut vector: Vec<f32>, options: SessionOptions) -> RowVector {
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
        self.output.width
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
fn build(runtime: &Runtime, model: &GraphModel, threads: usize) -> Result<Session, String> {
    let text = |error: &dyn std::fmt::Display| first_line(&error.to_string());
    let mut builder = Session::builder(runtime.environment())
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
        .map_err(|error| text(&error))?;
    match model {
        GraphModel::File(path) => builder.commit_from_file(path).map_err(|error| text(&error)),
        GraphModel::Generated { bytes, weights_folder } => builder
            .with_config_entry(
                "session.model_external_initializers_file_folder_path",
                weights_folder.to_string_lossy().as_ref(),
            )
            .map_err(|error| text(&error))?
            .commit_from_memory(bytes)
            .map_err(|error| text(&error)),
    }
}

type Given = Vec<(&'static str, SessionInputValue<'static>)>;

/// The inputs of a graph that reads tokens.
fn texts(inputs: Inputs, rows: &[RowRequest]) -> ort::Result<Given> {
    let Grid { shape, ids, segments, mask } = Grid::new(rows);
    let mut given = vec![(INPUT_IDS, tensor(inputs.integers, shape, ids)?)];
    if inputs.takes_mask {
        given.push((ATTENTION_MASK, tensor(inputs.integers, shape, mask)?));
    }
    if inputs.takes_segments {
        given.push((TOKEN_TYPES, tensor(inputs.integers, shape, segments)?));
    }
    Ok(given)
}

/// The input of a graph that reads images, `[rows, 3, height, width]`.
fn pixels([height, width]: [usize; 2], rows: &[RowRequest]) -> ort::Result<SessionInputValue<'static>> {
    let bytes = rows.iter().filter_map(|request| request.row.picture.as_ref()).map(|picture| picture.pixels());
    let bytes: Vec<u8> = bytes.collect::<Vec<_>>().concat();
    Ok(Tensor::from_array(([rows.len(), 3, height, width], bytes))?.into())
}

/// One input, `[rows, tokens]`, in the element type of the graph.
fn tensor(integers: Integers, shape: [usize; 2], values: Vec<i32>) -> ort::Result<SessionInputValue<'static>> {
    Ok(match integers {
        Integers::I32 => Tensor::from_array((shape, values))?.into(),
        Integers::I64 => {
            let values: Vec<i64> = values.into_iter().map(i64::from).collect();
            Tensor::from_array((shape, values))?.into()
        }
    })
}

/// The inputs of a forward: `[rows, tokens]`, short rows padded on the right.
struct Grid {
    shape: [usize; 2],
    ids: Vec<i32>,
    segments: Vec<i32>,
    mask: Vec<i32>,
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
        Self { shape: [rows.len(), tokens], ids, segments, mask }
    }
}

fn leaving() -> Error {
    Error::NotReady("The process is leaving".to_owned())
}
