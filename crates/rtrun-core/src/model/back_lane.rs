//! The lane for long work of a model on a CPU.

use super::golden_check::Candidate;
use crate::engines::{Background, Encoder, Opener};
use crate::error::Error;
use crate::schedule::{BackLane, Lanes};

/// Requests of more tokens than this go to the back. A forward in front takes at most half of it, so a short question
/// never waits for more than a document that is hardly longer than itself.
const LONG_TOKENS: usize = 512;

/// A back lane that can be opened.
pub struct Behind {
    /// The lane.
    pub lane: BackLane,
    /// Bytes that it takes for a copy of the weights.
    pub memory_bytes: u64,
}

/// What decides about a back lane besides the encoder.
#[derive(Debug, Clone, Copy)]
pub struct Given {
    /// See [`Placed::has_twin`](super::place::Placed::has_twin).
    pub has_twin: Option<bool>,
    /// Whether the lane may have a copy of the weights.
    pub may_copy: bool,
}

/// The back lane of a loaded encoder, `None` where the encoder has no second one, or none without a copy.
/// Its session takes the packed weights as long again to make as the first, so it is made while the model serves, unless
/// `has_twin` is not known yet: then it has to be asked.
pub fn back_lane(candidate: &Candidate, encoder: &mut dyn Encoder, given: Given) -> Option<Behind> {
    let Given { has_twin, may_copy } = given;
    let Background { open, memory_bytes } = encoder.background()?;
    if memory_bytes > 0 && !may_copy {
        return None;
    }
    let (open, is_twin) = if let Some(is_twin) = has_twin {
        (open, is_twin)
    } else {
        let asked = open().and_then(|mut back| {
            let is_twin = candidate.is_twin(encoder, back.as_mut())?;
            Ok((Box::new(move || Ok(back)) as Opener, is_twin))
        });
        // A lane that cannot be opened is a loss of speed, not of the model; a stopped forward is the end of the process.
        let model = &candidate.package.name;
        let told = asked.inspect_err(|error| {
            if !matches!(error, Error::NotReady(_)) {
                tracing::warn!(model, %error, "long requests get no lane of their own");
            }
        });
        told.ok()?
    };
    let lanes = if is_twin { Lanes::LongGroups(LONG_TOKENS) } else { Lanes::LongRows(LONG_TOKENS) };
    Some(Behind { lane: BackLane { open, lanes }, memory_bytes })
}
