//! `ElectraModel`: BERT whose tables may be narrower than its layers.

use serde::Deserialize;

use super::bert::BertConfig;

/// Sizes of ELECTRA.
#[derive(Debug, Clone, Deserialize)]
pub struct ElectraConfig {
    /// What BERT says about itself too.
    #[serde(flatten)]
    pub bert: BertConfig,
    /// Width of the tables. Where it is not that of a token vector, a linear layer leads from one to the other.
    #[serde(default = "embedding_size")]
    pub embedding_size: usize,
}

impl ElectraConfig {
    pub(super) fn check(&self) -> Result<(), String> {
        if self.embedding_size == 0 {
            return Err("embedding_size is 0; it must be at least 1".to_owned());
        }
        self.bert.check()
    }
}

fn embedding_size() -> usize {
    128
}
