//! The seam between scheduling and computing.

use std::sync::Arc;

use super::picture::Picture;
use crate::error::Error;

/// A vector that an encoder gave.
pub type RowVector = Arc<[f32]>;

/// Stops a running forward from another thread; a later forward is not affected by it.
pub type Interrupt = Arc<dyn Fn() + Send + Sync>;

/// The input of one row of a forward. Equal rows have equal answers, so one of them is computed.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Row {
    /// Token ids, special ones included.
    pub ids: Arc<[u32]>,
    /// Where the second segment begins; the number of ids where there is one segment only.
    pub second_from: usize,
    /// Which exit of the encoder the row leaves by: 0 is the last layer, others are numbered by the package.
    pub exit: u16,
    /// What the row asks, for encoders with an input for it; 0 elsewhere.
    pub mark: u8,
    /// The image that the row is, in place of ids.
    pub picture: Option<Arc<Picture>>,
}

/// The exit of rows that are images: their forwards are others than those of texts.
const PICTURE_EXIT: u16 = u16::MAX;

/// The parts of a row's output that somebody reads. What nobody reads is not copied out of the engine.
#[allow(clippy::struct_excessive_bools, reason = "any of them may be wanted without the others")]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Wanted {
    /// The pooled vector.
    pub sentence: bool,
    /// The mean of the tokens' vectors, of the layer that heads read.
    pub mean: bool,
    /// The vector of every token, of the layer that heads read.
    pub tokens: bool,
    /// What the tokens of each half add up to, of the layers that the mean is of.
    pub halves: bool,
}

/// What a forward gives for one row.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RowOutput {
    /// The pooled vector, of [`Encoder::dimension`] floats.
    pub sentence: Option<RowVector>,
    /// The mean of the vectors that the layer that heads read gives for the tokens; where heads read further layers,
    /// their means stand before it, and each has length 1.
    pub mean: Option<RowVector>,
    /// `[ids, width]`: those vectors themselves, one behind the other.
    pub tokens: Option<RowVector>,
    /// The first half of the ids, which is the shorter one, and the second.
    pub halves: Option<[TokenSum; 2]>,
}

/// What the vectors of some tokens add up to: the mean over tokens of several rows is made of these.
#[derive(Debug, Clone, PartialEq)]
pub struct TokenSum {
    /// How many tokens.
    pub tokens: usize,
    /// `[layers, width]`, in the order of [`RowOutput::mean`].
    pub sums: RowVector,
    /// How many layers.
    pub layers: usize,
}

/// One row and what is wanted of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowRequest {
    /// The input.
    pub row: Row,
    /// What to give.
    pub wanted: Wanted,
}

/// Opens an encoder, on the thread that will own it.
pub type Opener = Box<dyn FnOnce() -> Result<Box<dyn Encoder>, Error> + Send>;

/// A second encoder for work that may take long. Its threads give way.
pub struct Background {
    /// Opens it.
    pub open: Opener,
    /// Bytes that its weights take beside those of the first one.
    pub memory_bytes: u64,
}

/// Computes rows. One thread owns an encoder and calls it.
pub trait Encoder: Send {
    /// The outputs of the rows, in order, from one forward. All rows have the same exit. Rows are never empty unless
    /// the family has no special tokens, and never longer than the package's limit.
    fn encode(&mut self, rows: &[RowRequest]) -> Result<Vec<RowOutput>, Error>;

    /// Length of a pooled vector and of a token's.
    fn dimension(&self) -> usize;

    /// Bytes the weights take.
    fn memory_bytes(&self) -> u64;

    /// A handle that stops the running forward.
    fn interrupt(&self) -> Interrupt;

    /// A second encoder of the same weights. `None` where threads cannot give way, or a copy of the weights would be too
    /// large.
    fn background(&self) -> Option<Background> {
        None
    }
}

impl Row {
    /// A row of one segment that leaves by the last layer.
    pub fn plain(ids: impl Into<Arc<[u32]>>) -> Self {
        let ids = ids.into();
        Self { second_from: ids.len(), ids, exit: 0, mark: 0, picture: None }
    }

    /// The row of an image. It shares forwards with other images only.
    pub fn picture(picture: Arc<Picture>) -> Self {
        Self { exit: PICTURE_EXIT, picture: Some(picture), ..Self::plain([]) }
    }

    /// What a forward of the row costs, in tokens.
    pub fn len(&self) -> usize {
        self.picture.as_ref().map_or(self.ids.len(), |picture| picture.tokens())
    }

    /// Whether the row has no token at all.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Wanted {
    /// Nothing.
    pub const NONE: Self = Self { sentence: false, mean: false, tokens: false, halves: false };
    /// The pooled vector alone.
    pub const SENTENCE: Self = Self { sentence: true, ..Self::NONE };
    /// The mean of the tokens' vectors alone.
    pub const MEAN: Self = Self { mean: true, ..Self::NONE };
    /// The vectors of the tokens alone.
    pub const TOKENS: Self = Self { tokens: true, ..Self::NONE };
    /// The sums of the halves alone.
    pub const HALVES: Self = Self { halves: true, ..Self::NONE };
    /// Everything there is.
    pub const ALL: Self = Self { sentence: true, mean: true, tokens: true, halves: true };

    /// Whether everything that `other` wants is wanted.
    pub fn covers(self, other: Self) -> bool {
        self.or(other) == self
    }

    /// What either wants.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self {
            sentence: self.sentence || other.sentence,
            mean: self.mean || other.mean,
            tokens: self.tokens || other.tokens,
            halves: self.halves || other.halves,
        }
    }
}

impl RowRequest {
    /// A plain row whose pooled vector is wanted.
    pub fn sentence(ids: impl Into<Arc<[u32]>>) -> Self {
        Self { row: Row::plain(ids), wanted: Wanted::SENTENCE }
    }
}

impl RowOutput {
    /// What was wanted.
    pub fn vectors(&self) -> impl Iterator<Item = &RowVector> {
        let halves = self.halves.iter().flatten().map(|half| &half.sums);
        [&self.sentence, &self.mean, &self.tokens].into_iter().flatten().chain(halves)
    }

    /// Whether every number is finite.
    pub fn is_finite(&self) -> bool {
        self.vectors().all(|values| values.iter().all(|value| value.is_finite()))
    }
}
