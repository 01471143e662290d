//! `ElectraModel`.

use super::bert::Bert;
use super::interface::Graph;
use super::source::Source;
use crate::error::Error;
use crate::package::ElectraConfig;

/// Builds the first `layers` layers.
pub fn graph(source: Source, config: &ElectraConfig, layers: usize) -> Result<Graph, Error> {
    let bert = Bert { config: &config.bert, prefixes: &["electra.", ""], table_width: config.embedding_size };
    bert.graph(source, layers)
}
