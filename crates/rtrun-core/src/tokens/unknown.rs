//! The token that stands for what a vocabulary has no tokens for: a model sees that there is something, and not what.

use serde::Deserialize;
use tokenizers::{Model, ModelWrapper, Tokenizer};

/// The part of a `tokenizer.json` that the library keeps to itself.
#[derive(Deserialize)]
struct File {
    model: UnigramModel,
}

#[derive(Deserialize)]
struct UnigramModel {
    unk_id: Option<u32>,
}

/// Its id; `None` for a tokenizer that has a token for every byte, or fails where it has none. `json` is the file of the tokenizer.
pub fn unknown_token(tokenizer: &Tokenizer, json: &[u8]) -> Option<u32> {
    let model = tokenizer.get_model();
    match model {
        ModelWrapper::WordPiece(pieces) => model.token_to_id(&pieces.unk_token),
        ModelWrapper::WordLevel(words) => model.token_to_id(&words.unk_token),
        ModelWrapper::BPE(merges) => merges.unk_token.as_deref().and_then(|token| model.token_to_id(token)),
        ModelWrapper::Unigram(_) => serde_json::from_slice::<File>(json).ok()?.model.unk_id,
    }
}
