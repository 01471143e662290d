//! The lane for long work of a model on a CPU.

use super::golden_check::Candidate;
use crate::engines::{Encoder, Opener};
use crate::error::Error;
use crate::schedule::{BackLane, Lanes};

/// Requests of more tokens than this go to the back. A forward in front takes at most half of it, so a short question
/// never waits for more than a document that is hardly longer than itself.
const LONG_TOKENS: usize = 512;

/// The back lane of a loaded encoder, `None` where it would need a copy of the weights or the system has no priorities.
/// Its session takes the packed weights as long again to make as the first, so it is made while the model serves, unless
/// `has_twin` is not known yet: then it has to be asked.
pub fn back_lane(candidate: &Candidate, encoder: &mut dyn Encoder, has_twin: Option<bool>) -> Option<BackLane> {
    let open = encoder.background()?;
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
    Some(BackLane { open, lanes })
}
