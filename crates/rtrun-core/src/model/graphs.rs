//! The graphs of a model and the encoders that compute them: one, one for each exit, or one of texts and images.

use std::path::Path;

use crate::devices::Device;
use crate::engines::onnxruntime::{OnnxEncoder, Runtime, SessionOptions};
use crate::engines::{Encoder, ImageSize, RowRequest, TowersEncoder};
use crate::error::Error;
use crate::graph::Graph;
use crate::package::Package;

/// Graphs over one weights file.
pub enum Graphs {
    /// An encoder and its exits.
    Encoder {
        /// Up to the last layer.
        whole: Graph,
        /// Up to each earlier layer that the package declares.
        shorter: Vec<Graph>,
        /// An encoder of a few layers that computes as the whole one does, for what is found out at load. `None` where the
        /// whole one is as short, or not ours to shorten.
        probe: Option<Graph>,
    },
    /// Two encoders whose vectors lie in one space.
    Towers {
        /// Reads texts.
        texts: Graph,
        /// Reads images.
        images: Graph,
        /// What every image is.
        image_size: ImageSize,
    },
}

/// How sessions are made.
#[derive(Debug, Clone, Copy)]
pub struct SessionPlan<'p> {
    pub library: &'p Path,
    pub threads: usize,
    pub device: Device,
}

impl Graphs {
    /// Width of the vectors.
    pub fn dimension(&self) -> usize {
        match self {
            Self::Encoder { whole: graph, .. } | Self::Towers { texts: graph, .. } => graph.output.width,
        }
    }

    /// Bytes the weights will take. Exits map those of the whole encoder.
    pub fn memory_bytes(&self) -> u64 {
        match self {
            Self::Encoder { whole, .. } => whole.memory_bytes,
            Self::Towers { texts, images, .. } => texts.memory_bytes + images.memory_bytes,
        }
    }

    /// The encoders of the exits, that of the last layer first. There is at least one.
    pub fn encoders(&self, package: &Package, plan: SessionPlan) -> Result<Vec<Box<dyn Encoder>>, Error> {
        match self {
            // Reordered copies for every exit would take the memory of the weights again.
            Self::Encoder { whole, shorter, .. } => std::iter::once(session(package, whole, plan, true))
                .chain(shorter.iter().map(|graph| session(package, graph, plan, false)))
                .collect(),
            Self::Towers { texts, images, image_size } => {
                let texts = session(package, texts, plan, true)?;
                let images = session(package, images, plan, true)?;
                Ok(vec![Box::new(TowersEncoder::new(texts, images, *image_size)?)])
            }
        }
    }

    /// The session of the encoder of a few layers, if there is one.
    pub fn probe(&self, package: &Package, plan: SessionPlan) -> Result<Option<Box<dyn Encoder>>, Error> {
        match self {
            Self::Encoder { probe: Some(probe), .. } => session(package, probe, plan, true).map(Some),
            Self::Encoder { probe: None, .. } | Self::Towers { .. } => Ok(None),
        }
    }

    /// Made-up rows of everything that the model reads.
    pub fn made_up_rows(&self) -> Vec<RowRequest> {
        let texts = [RowRequest::sentence([1, 2, 3]), RowRequest::sentence((0..32).collect::<Vec<u32>>())];
        let image = match self {
            Self::Encoder { .. } => None,
            Self::Towers { image_size, .. } => Some(image_size.made_up(1)),
        };
        texts.into_iter().chain(image).collect()
    }
}

fn session(package: &Package, graph: &Graph, plan: SessionPlan, prepack: bool) -> Result<Box<dyn Encoder>, Error> {
    let SessionPlan { library, threads, device } = plan;
    let (pooling, normalize) = (package.pooling, package.normalize);
    let options = SessionOptions { threads, pooling, normalize, device, prepack };
    Ok(Box::new(OnnxEncoder::new(&Runtime::load(library)?, graph, options)?))
}
