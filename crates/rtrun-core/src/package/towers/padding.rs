//! Rows that a model only knows with padding, as SigLIP knows its texts.

use serde::Deserialize;
use serde_json::Value;

use crate::error::Error;
use crate::package::files::PackageFiles;

/// Every row is padded to one length, and the model sees the padding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RowPadding {
    /// The length.
    pub tokens: usize,
    /// The id of the padding token.
    pub id: u32,
}

impl RowPadding {
    /// The ids with their padding.
    pub fn pad(self, ids: &[u32]) -> Vec<u32> {
        let mut padded = ids.to_vec();
        padded.resize(self.tokens.max(ids.len()), self.id);
        padded
    }
}

#[derive(Deserialize)]
struct TokenizerConfig {
    pad_token: Option<PadToken>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum PadToken {
    Name(String),
    Described { content: String },
}

/// The id of the padding token: what `tokenizer_config.json` names, else what `tokenizer.json` pads with, else what
/// `config.json` says, whose own default is wrong for some tokenizers.
pub fn padding_id(files: &PackageFiles, tokenizer: &[u8], configured: Option<u32>) -> Result<u32, Error> {
    let named = files.read_json::<TokenizerConfig>("tokenizer_config.json")?.and_then(|file| file.pad_token);
    let named = named.map(|token| match token {
        PadToken::Name(name) | PadToken::Described { content: name } => name,
    });
    let json: Value = serde_json::from_slice(tokenizer).map_err(|error| files.invalid("tokenizer.json", error))?;
    let id = |value: &Value| value.as_u64().and_then(|id| u32::try_from(id).ok());
    if let Some(name) = named {
        let added = json["added_tokens"].as_array().into_iter().flatten();
        let found = added.filter(|token| token["content"] == name.as_str()).find_map(|token| id(&token["id"]));
        return found.ok_or_else(|| {
            let problem = format!("pad_token {name:?} is not one of added_tokens in tokenizer.json");
            files.invalid("tokenizer_config.json", problem)
        });
    }
    let missing = || files.invalid("tokenizer_config.json", "pad_token is missing; the model needs padded texts");
    id(&json["padding"]["pad_id"]).or(configured).ok_or_else(missing)
}
