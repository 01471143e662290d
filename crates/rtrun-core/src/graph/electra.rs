//! `ElectraModel`.

use super::bert::Bert;
use super::encoder::Depth;
use super::interface::Graph;
use super::source::Source;
use crate::error::Error;
use crate::package::ElectraConfig;

/// Builds as many layers as asked for.
pub fn graph(source: Source, config: &ElectraConfig, depth: Depth) -> Result<Graph, Error> {
    let bert = Bert { config: &config.bert, prefixes: &["electra.", ""], table_width: config.embedding_size };
    bert.graph(source, depth)
}
