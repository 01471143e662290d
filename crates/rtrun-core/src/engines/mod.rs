//! Forward passes: from rows of token ids to vectors.

mod encoder;
mod exits;
mod normalized_sum;
pub mod onnxruntime;
mod picture;
mod pool;
mod priority;
mod static_vectors;
mod towers;

pub use encoder::{Background, Encoder, Interrupt, Opener, Row, RowOutput, RowRequest, RowVector, TokenSum, Wanted};
pub use exits::ExitEncoder;
pub use normalized_sum::NormalizedSum;
pub use picture::Picture;
pub use pool::{mean_of_sums, normalize};
pub use priority::{can_give_way, give_way};
pub use static_vectors::StaticEncoder;
pub use towers::{ImageSize, TowersEncoder};
