//! Model families: what the vectors of an encoder become.

mod classifier;
mod decisions;
mod head;
mod layout;
mod reduce;
mod spans;
mod surfaces;
mod transform;

pub use classifier::{Classifier, Reads};
pub use decisions::{MarkerDecisions, PackedDecisions, StateMemo};
pub use head::{GROUNDED_PROMPT, Head, HeadInputs, sigmoid, softmax};
pub use layout::{DecisionCard, DecisionLayout, Finish, LaidOut, ReadInput, StateReading};
pub use reduce::Reduction;
pub use spans::{FoundSpan, Scheme, show, union};
pub use surfaces::{CLASSIFIER, EmbeddingCard, Surfaces};
pub use transform::{Linear, Norm, Step, Transform, dot};
