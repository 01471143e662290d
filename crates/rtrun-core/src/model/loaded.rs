//! A model that serves.

use std::sync::Arc;

use crate::answer::Answered;
use crate::error::{Error, shown};
use crate::families::{Head, Surfaces};
use crate::media::ImageReader;
use crate::model::{GoldenStatus, ProfileReport};
use crate::package::{Digests, FamilyKind, Scores, Witness};
use crate::schedule::{Lanes, ResultCache, Worker};
use crate::tokens::TextReader;

/// Everything a request needs of one model.
pub struct LoadedModel {
    /// The name that requests use.
    pub name: String,
    /// The family's name.
    pub kind: FamilyKind,
    /// What it serves.
    pub surfaces: Surfaces,
    /// From texts to rows.
    pub reader: TextReader,
    /// From images to rows, of a model that reads any.
    pub images: Option<ImageReader>,
    /// The queue and its threads.
    pub worker: Worker,
    /// Which rows have a lane of their own.
    pub lanes: Lanes,
    /// Kept results.
    pub cache: ResultCache<Answered>,
    /// The longest input, special tokens included.
    pub max_tokens: usize,
    /// The most tokens of an input that is read in windows, unless a request says otherwise.
    pub max_scan_tokens: usize,
    /// The most that a request may say otherwise: what the operator set, or what the model takes at a time.
    pub scan_cap: usize,
    /// The numerical profile that was asked for, and the one that is served.
    pub profile: ProfileReport,
    /// Whether its matmuls have a reduced form, which `max_speed` needs.
    pub can_be_reduced: bool,
    /// Which engine computes.
    pub engine: &'static str,
    /// Where it computes.
    pub device: String,
    /// Threads of one forward.
    pub threads: usize,
    /// The revision of the package, where one is known.
    pub revision: Option<String>,
    /// SHA-256 of the weights.
    pub digests: Digests,
    /// SHA-256 of `manifest.json`.
    pub manifest_sha256: Option<String>,
    /// SHA-256 of the `manifest.json` of an adapter's base.
    pub base_manifest_sha256: Option<String>,
    /// The licence that the package names.
    pub licence: Option<String>,
    /// How well it answers texts of sources that it never saw.
    pub scores: Scores,
    /// Outcome of the self-check.
    pub golden: GoldenStatus,
    /// Bytes the weights take.
    pub memory_bytes: u64,
    /// The files that it computes with as they lie on the disk.
    pub files: Vec<Witness>,
}

impl LoadedModel {
    /// The head of a request; the name may be left out where there is only one.
    pub fn head(&self, name: Option<&str>) -> Result<&Arc<Head>, Error> {
        let heads = self.surfaces.heads.as_slice();
        let names = || heads.iter().map(|head| format!("{:?}", head.name)).collect::<Vec<_>>().join(", ");
        match (name, heads) {
            (_, []) => Err(Error::UnsupportedSurface(format!("Model {:?} has no head to classify with", self.name))),
            (None, [head]) => Ok(head),
            (None, _) => {
                Err(Error::InvalidRequest(format!("Model {:?} has several heads; name one of {}", self.name, names())))
            }
            (Some(name), _) => heads.iter().find(|head| head.name == name).ok_or_else(|| {
                Error::InvalidRequest(format!("Model {:?} has no head {}; it has {}", self.name, shown(name), names()))
            }),
        }
    }
}
