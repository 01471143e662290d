//! Opens the lane for long work of a model on a CPU.

use crate::engines::Encoder;
use crate::error::Error;
use crate::schedule::{BackLane, Lanes, is_twin};

/// Requests of more tokens than this go to the back. A forward in front takes at most half of it, so a short question
/// never waits for more than a document that is hardly longer than itself.
const LONG_TOKENS: usize = 512;

/// The back lane of a loaded encoder, `None` where it would need a copy of the weights or the system has no
/// priorities.
/// A lane that cannot be opened is a loss of speed, not of the model.
pub fn back_lane(
    encoder: &mut dyn Encoder,
    probe: Option<Box<dyn Encoder>>,
    row_limits: RowLimits,
) -> Option<BackLane> {
    match open(encoder, probe, row_limits) {
        Ok(back) => back,
        Err(error) => {
            tracing::warn!(%error, "long rows get no lane of their own");
            None
        }
    }
}

/// What a probe row may be.
#[derive(Debug, Clone, Copy)]
pub struct RowLimits {
    /// One more than the largest token id.
    pub vocabulary: usize,
    /// The longest row in tokens.
    pub tokens: usize,
}

fn open(
    encoder: &mut dyn Encoder,
    probe: Option<Box<dyn Encoder>>,
    RowLimits { vocabulary, tokens }: RowLimits,
) -> Result<Option<BackLane>, Error> {
    let Some(mut back) = encoder.background()? else { return Ok(None) };
    // A short trunk tells as much as the whole one, in a fraction of the time.
    let short = probe.and_then(|probe| probe.background().ok().flatten().map(|back| (probe, back)));
    let is_twin = match short {
        Some((mut probe, mut back)) => is_twin(probe.as_mut(), back.as_mut(), vocabulary, tokens)?,
        None => is_twin(encoder, back.as_mut(), vocabulary, tokens)?,
    };
    let lanes = if is_twin { Lanes::LongGroups(LONG_TOKENS) } else { Lanes::LongRows(LONG_TOKENS) };
    Ok(Some(BackLane { encoder: back, lanes }))
}
