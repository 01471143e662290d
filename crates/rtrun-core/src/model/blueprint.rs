//! What computes a package's vectors, known before its weights are used: a table or graphs.

use std::sync::Arc;

use super::graphs::Graphs;
use crate::engines::{Encoder, ImageSize, StaticEncoder};
use crate::error::Error;
use crate::graph::{
    DecisionLayers, Depth, Graph, Packing, Reduction, encoder_graph, image_graph, reduced_encoder_graph, shipped_graph,
    text_graph, with_decision_layers,
};
use crate::package::{Architecture, DecisionSettings, EncoderConfig, Package, Towers};
use crate::tokens::TextReader;

/// How a model will be computed.
pub enum Blueprint {
    /// A table, which needs no inference library.
    Table(StaticEncoder),
    /// Sessions of the inference library.
    Graphs(Box<Graphs>),
}

/// Whether rows may share a forward, and whether two sessions answer alike, follows from the operators and the widths of
/// a layer, not from their number. Two layers have every kind that an encoder has, in a sixth of the time of a base model.
const PROBE_LAYERS: usize = 2;

impl Blueprint {
    /// Checks that the weights, the tokenizer and the configuration fit each other.
    pub fn of(package: &Package, reader: &TextReader) -> Result<Self, Error> {
        match &package.architecture {
            Architecture::Transformer(config) => {
                check_vocabulary(package, reader, config.vocabulary())?;
                Ok(Self::Graphs(Box::new(Graphs::of_encoder(package, config, None)?)))
            }
            Architecture::ShippedOnnx(shipped) => {
                check_vocabulary(package, reader, shipped.vocabulary)?;
                let labels = package.classifier.as_ref().map(|(labels, _)| labels.len());
                let whole = shipped_graph(&package.files, shipped, labels)?;
                Ok(Self::Graphs(Box::new(Graphs::Encoder { whole, shorter: Vec::new(), probe: None })))
            }
            Architecture::Towers(towers) => Ok(Self::Graphs(Box::new(both_towers(package, reader, towers)?))),
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
            Self::Graphs(graphs) => graphs.dimension(),
        }
    }

    /// Bytes the weights will take.
    pub fn memory_bytes(&self) -> u64 {
        match self {
            Self::Table(encoder) => encoder.memory_bytes(),
            Self::Graphs(graphs) => graphs.memory_bytes(),
        }
    }
}

impl Graphs {
    /// The graphs of an encoder, with matmuls in reduced precision.
    pub fn reduced(package: &Package, config: &EncoderConfig, reduction: Reduction) -> Result<Self, Error> {
        Self::of_encoder(package, config, Some(&Packing::new(reduction)))
    }

    fn of_encoder(package: &Package, config: &EncoderConfig, packing: Option<&Packing>) -> Result<Self, Error> {
        let weights = package.weights()?;
        let graph = |depth| match packing {
            Some(packing) => reduced_encoder_graph(weights, config, depth, packing),
            None => encoder_graph(weights, config, depth),
        };
        let layers = |encoder| with_layers(encoder, package, config.hidden_size());
        let whole = layers(graph(Depth {
            layers: config.layers(),
            heads: package.heads_depth,
            means: &package.heads_mean_layers,
        })?)?;
        // Heads are for those who take the whole way.
        let earlier = package.vectors.layers.iter().filter(|layer| **layer < config.layers());
        let shorter = earlier.map(|layer| graph(Depth::of(*layer))).collect::<Result<_, _>>()?;
        let probe = (config.layers() > PROBE_LAYERS).then(|| layers(graph(Depth::of(PROBE_LAYERS))?)).transpose()?;
        Ok(Self::Encoder { whole, shorter, probe })
    }
}

/// The graphs of CLIP and SigLIP.
fn both_towers(package: &Package, reader: &TextReader, towers: &Towers) -> Result<Graphs, Error> {
    let Towers { config, preprocessing, padding } = towers;
    check_vocabulary(package, reader, config.text.vocab_size)?;
    if let Some(padding) = padding.filter(|padding| padding.id as usize >= config.text.vocab_size) {
        let problem = format!("pads with {}; config.json has {} tokens", padding.id, config.text.vocab_size);
        return Err(package.files.invalid("tokenizer_config.json", problem));
    }
    let weights = package.weights()?;
    let (height, width) = preprocessing.size;
    Ok(Graphs::Towers {
        texts: text_graph(weights, config)?,
        images: image_graph(weights, config, preprocessing)?,
        image_size: ImageSize { bytes: 3 * height * width, tokens: config.image_tokens() },
    })
}

/// The graph of an encoder with the layers that its family puts behind it.
fn with_layers(encoder: Graph, package: &Package, hidden: usize) -> Result<Graph, Error> {
    let Some(decisions) = &package.decisions else { return Ok(encoder) };
    let DecisionSettings::Marker(settings) = &decisions.settings else { return Ok(encoder) };
    let head = &settings.head;
    let types = head.type_embedding.then_some(settings.questions.types.len());
    let layers = DecisionLayers { prefix: &head.prefix, hidden, layers: head.layers, types };
    with_decision_layers(encoder, &decisions.weights, layers)
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
