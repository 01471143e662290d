//! Request bodies. A field that is not known is refused by name, so that nothing is accepted and then does nothing.

mod bundle;
mod classify;
mod embeddings;
mod options;
mod rerank;

pub use bundle::{BundleRequest, BundleTask};
pub use classify::ClassifyRequest;
pub use embeddings::{EmbeddingsRequest, EncodingFormat};
pub use options::{Shown, deadline};
pub use rerank::RerankRequest;
