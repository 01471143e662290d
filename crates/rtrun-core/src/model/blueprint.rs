//! What computes a package's vectors, known before its weights are used: one encoder, or one for each exit.

use std::path::Path;
use std::sync::Arc;

use crate::devices::Device;
use crate::engines::onnxruntime::{OnnxEncoder, Runtime, SessionOptions};
use crate::engines::{Encoder, StaticEncoder};
use crate::error::Error;
use crate::graph::{
    DecisionLayers, Graph, Packing, Reduction, reduced_trunk_graph, shipped_graph, trunk_graph, with_decision_layers,
};
use crate::package::{Architecture, DecisionSettings, Package, TrunkConfig};
use crate::tokens::TextReader;

/// How a model will be computed.
pub enum Blueprint {
    /// A table, which needs no inference library.
    Table(StaticEncoder),
    /// The whole trunk and its exits.
    Graphs(Box<Graphs>),
}

/// The graphs of a model.
pub struct Graphs {
    /// Up to the last layer.
    pub whole: Graph,
    /// Up to each earlier layer that the package declares.
    pub shorter: Vec<Graph>,
    /// A trunk of a few layers that computes as the whole one does, for what is found out at load. `None` where the
    /// whole one is as short, or not ours to shorten.
    pub probe: Option<Graph>,
}

/// Whether rows may share a forward, and whether two sessions answer alike, follows from the operators and the widths of
/// a layer, not from their number. Two layers have every kind that a trunk has, in a sixth of the time of a base model.
const PROBE_LAYERS: usize = 2;

/// How sessions are made.
#[derive(Debug, Clone, Copy)]
pub struct SessionPlan<'p> {
    pub library: &'p Path,
    pub threads: usize,
    pub device: Device,
}

impl Blueprint {
    /// Checks that the weights, the tokenizer and the configuration fit each other.
    pub fn of(package: &Package, reader: &TextReader) -> Result<Self, Error> {
        match &package.architecture {
            Architecture::Transformer(config) => {
                check_vocabulary(package, reader, config.vocabulary())?;
                Ok(Self::Graphs(Box::new(Graphs::of_trunk(package, config, None)?)))
            }
            Architecture::ShippedOnnx(shipped) => {
                check_vocabulary(package, reader, shipped.vocabulary)?;
                let labels = package.classifier.as_ref().map(|(labels, _)| labels.len());
                let whole = shipped_graph(&package.files, shipped, labels)?;
                Ok(Self::Graphs(Box::new(Graphs { whole, shorter: Vec::new(), probe: None })))
            }
            Architecture::Static(_) => {
                let unknown = unknown_token(&package.tokenizer).and_then(|token| reader.token_id(&token));
                let encoder = StaticEncoder::new(Arc::clone(package.weights()?), package.normalize, unknown)?;
                if reader.vocabulary() > encoder.vocabulary() {
                    let problem =
                        format!("has {} tokens; the table has {} rows", reader.vocabulary(), encoder.vocabulary());
                    return Err(package.files.invalid("tokenizer.json", problem));
                }
                Ok(Self::Table(encoder))
            }
        }
    }

    /// Width of the vectors.
    pub fn dimension(&self) -> usize {
        match self {
            Self::Table(encoder) => encoder.dimension(),
            Self::Graphs(graphs) => graphs.whole.output.width,
        }
    }

    /// Bytes the weights will take.
    pub fn memory_bytes(&self) -> u64 {
        match self {
            Self::Table(encoder) => encoder.memory_bytes(),
            Self::Graphs(graphs) => graphs.whole.memory_bytes,
        }
    }
}

impl Graphs {
    /// The graphs of a trunk, with products in reduced precision.
    pub fn reduced(package: &Package, config: &TrunkConfig, reduction: Reduction) -> Result<Self, Error> {
        Self::of_trunk(package, config, Some(&Packing::new(reduction)))
    }

    fn of_trunk(package: &Package, config: &TrunkConfig, packing: Option<&Packing>) -> Result<Self, Error> {
        let weights = package.weights()?;
        let graph = |layers| match packing {
            Some(packing) => reduced_trunk_graph(weights, config, layers, packing),
            None => trunk_graph(weights, config, layers),
        };
        let layers = |trunk| with_layers(trunk, package, config.hidden_size());
        let whole = layers(graph(None)?)?;
        let earlier = package.vectors.layers.iter().filter(|layer| **layer < config.layers());
        let shorter = earlier.map(|layer| graph(Some(*layer))).collect::<Result<_, _>>()?;
        let probe = (config.layers() > PROBE_LAYERS).then(|| layers(graph(Some(PROBE_LAYERS))?)).transpose()?;
        Ok(Self { whole, shorter, probe })
    }
}

/// The encoders of the graphs, that of the whole trunk first.
pub fn sessions(package: &Package, graphs: (&Graph, &[Graph]), plan: SessionPlan) -> Result<Vec<OnnxEncoder>, Error> {
    let runtime = Runtime::load(plan.library)?;
    let (whole, shorter) = graphs;
    let session = |graph: &Graph, prepack: bool| {
        let SessionPlan { threads, device, .. } = plan;
        let (pooling, normalize) = (package.pooling, package.normalize);
        OnnxEncoder::new(&runtime, graph, SessionOptions { threads, pooling, normalize, device, prepack })
    };
    // Reordered copies for every exit would take the memory of the weights again.
    std::iter::once(session(whole, true)).chain(shorter.iter().map(|graph| session(graph, false))).collect()
}

/// The graph of a trunk with the layers that its family puts behind it.
fn with_layers(trunk: Graph, package: &Package, hidden: usize) -> Result<Graph, Error> {
    let Some(decisions) = &package.decisions else { return Ok(trunk) };
    let DecisionSettings::Marker(settings) = &decisions.settings else { return Ok(trunk) };
    let head = &settings.head;
    let types = head.type_embedding.then_some(settings.questions.types.len());
    let layers = DecisionLayers { prefix: &head.prefix, hidden, layers: head.layers, types };
    with_decision_layers(trunk, &decisions.weights, layers)
}

fn check_vocabulary(package: &Package, reader: &TextReader, vocabulary: usize) -> Result<(), Error> {
    if reader.vocabulary() <= vocabulary {
        return Ok(());
    }
    let problem = format!("has {} tokens; config.json says {vocabulary}", reader.vocabulary());
    Err(package.files.invalid("tokenizer.json", problem))
}

/// The token that stands for what the vocabulary does not have.
fn unknown_token(tokenizer: &[u8]) -> Option<String> {
    let json: serde_json::Value = serde_json::from_slice(tokenizer).ok()?;
    json["model"]["unk_token"].as_str().map(str::to_owned)
}
