//! One session: a graph over mapped weights, run by the thread that owns it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ort::session::{NoSelectedOutputs, RunOptions, Session, SessionInputValue};
use ort::value::Tensor;

use super::environment::{Runtime, first_line};
use super::exit;
use super::outputs::row_outputs;
use super::source::{Source, Threads};
use crate::devices::Device;
use crate::engines::encoder::{Background, Encoder, Interrupt, Opener, RowOutput, RowRequest};
use crate::engines::priority::can_give_way;
use crate::error::Error;
use crate::graph::{ATTENTION_MASK, Graph, INPUT_IDS, Inputs, Integers, PIXEL_VALUES, QUESTION_TYPE, TOKEN_TYPES};
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
    /// Where the session computes.
    pub device: Device,
    /// Whether weights are copied into the order that matmuls read fastest. Without it a session takes no memory for
    /// them beyond the mapped file, and matmuls of short rows take half as long again.
    pub prepack: bool,
}

/// A transformer encoder on ONNX Runtime.
pub struct OnnxEncoder {
    /// `None` only while the encoder is being dropped.
    session: Option<Session>,
    /// Lends the session its weights, so it goes later.
    source: Arc<Source>,
    threads: Threads,
    stopper: Arc<Stopper>,
    options: SessionOptions,
    memory_bytes: u64,
    early_forwards: usize,
}

/// After so many forwards, those of the load-time probes among them, the library has made all its statics.
const EARLY_FORWARDS: usize = 16;

/// Tokens of a forward whose memory is worth keeping for the next one.
const KEPT_TOKENS: usize = 1024;

/// Bytes of the largest weights of which a second session may have a copy.
const LARGEST_COPY: u64 = 128 << 20;

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
        let _inside = exit::enter().ok_or_else(exit::leaving)?;
        let source = Arc::new(Source::new(runtime, graph, options));
        let memory_bytes = source.memory_bytes;
        Self::open(source, Threads::Normal, options, memory_bytes)
    }

    fn open(source: Arc<Source>, threads: Threads, options: SessionOptions, memory_bytes: u64) -> Result<Self, Error> {
        let _inside = exit::enter().ok_or_else(exit::leaving)?;
        #[allow(unsafe_code)]
        // SAFETY: the encoder keeps the source, and its `drop` takes the session out before the source can go. Where the
        // process is leaving, neither the session nor the weights are ever dropped.
        let session = unsafe { source.session(threads) }.map_err(|problem| {
            if exit::is_leaving() {
                return exit::leaving();
            }
            Error::Internal(format!("Cannot create a session on {}: {problem}", options.device))
        })?;
        let stopper = Arc::new(Stopper::default());
        exit::remember(Arc::downgrade(&stopper));
        exit::register();
        let early_forwards = EARLY_FORWARDS;
        Ok(Self { session: Some(session), source, threads, stopper, options, memory_bytes, early_forwards })
    }

    fn run(&mut self, rows: &[RowRequest]) -> ort::Result<Vec<RowOutput>> {
        let Self { session, options, threads, source, .. } = self;
        let Some(session) = session else { return Err(ort::Error::new("the session is closed")) };
        let inputs = source.inputs;
        let grid_tokens = rows.iter().map(|request| request.row.len()).max().unwrap_or(0);
        let mut run: RunOptions<NoSelectedOutputs> = RunOptions::new()?;
        if *threads == Threads::GiveWay && rows.len() * grid_tokens > KEPT_TOKENS {
            // A forward of thousands of tokens takes gigabytes, which the library would keep for the next one.
            run.set("memory.enable_memory_arena_shrinkage", "cpu:0")?;
        }
        let run = Arc::new(run);
        let given = match inputs.pixels {
            Some(size) => vec![(PIXEL_VALUES, pixels(size, rows)?)],
            None => texts(inputs, rows)?,
        };
        self.stopper.begin(Arc::clone(&run));
        let outputs = session.run_with_options(given, &run)?;
        row_outputs(&outputs, &source.output, rows, *options)
    }
}

impl Encoder for OnnxEncoder {
    fn encode(&mut self, rows: &[RowRequest]) -> Result<Vec<RowOutput>, Error> {
        let _inside = exit::enter().ok_or_else(exit::leaving)?;
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
        self.source.output.width
    }

    fn memory_bytes(&self) -> u64 {
        self.memory_bytes
    }

    fn interrupt(&self) -> Interrupt {
        let stopper = Arc::clone(&self.stopper);
        Arc::new(move || stopper.stop())
    }

    fn background(&self) -> Option<Background> {
        let memory_bytes = if self.source.shares_weights() { 0 } else { self.memory_bytes };
        if !can_give_way() || self.options.device != Device::Cpu || memory_bytes > LARGEST_COPY {
            return None;
        }
        let (source, options) = (Arc::clone(&self.source), self.options);
        let open: Opener = Box::new(move || Ok(Box::new(Self::open(source, Threads::GiveWay, options, memory_bytes)?)));
        Some(Background { open, memory_bytes })
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

type Given = Vec<(&'static str, SessionInputValue<'static>)>;

/// The inputs of a graph that reads tokens.
fn texts(inputs: Inputs, rows: &[RowRequest]) -> ort::Result<Given> {
    let Grid { shape, ids, segments, mask, types } = Grid::new(rows);
    let mut given = vec![(INPUT_IDS, tensor(inputs.integers, shape, ids)?)];
    if inputs.takes_mask {
        given.push((ATTENTION_MASK, tensor(inputs.integers, shape, mask)?));
    }
    if inputs.takes_segments {
        given.push((TOKEN_TYPES, tensor(inputs.integers, shape, segments)?));
    }
    if inputs.takes_type {
        given.push((QUESTION_TYPE, tensor(inputs.integers, [rows.len(), 1], types)?));
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
