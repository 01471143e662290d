//! Small tokenizers of every type, which `fixtures/tokenizers/make.py` writes, and what the library says about a text.

use rtrun_core::tokens::TextReader;
use serde_json::Value;
use tokenizers::Tokenizer;

use crate::support::fixture;

/// The names of the tokenizers.
pub const NAMES: [&str; 8] =
    ["bert-cased", "bert-uncased", "roberta", "modernbert", "xlm-roberta", "deberta", "llama", "gemma"];

/// A `tokenizer.json`.
pub fn json(name: &str) -> Vec<u8> {
    std::fs::read(fixture("tokenizers").join(format!("{name}.json"))).unwrap()
}

/// The same as a value to change.
pub fn value(name: &str) -> Value {
    serde_json::from_slice(&json(name)).unwrap()
}

/// A tokenizer of the library and the reader over the same file.
pub fn open(json: &[u8]) -> (Tokenizer, TextReader) {
    let mut tokenizer = Tokenizer::from_bytes(json).unwrap();
    tokenizer.with_padding(None);
    tokenizer.with_truncation(None).unwrap();
    (tokenizer, TextReader::new(json, true).unwrap())
}

/// The ids of a whole text without special tokens, and where they stand in bytes.
pub fn whole(tokenizer: &Tokenizer, text: &str) -> (Vec<u32>, Vec<(usize, usize)>) {
    let encoding = tokenizer.encode(text, false).unwrap();
    (encoding.get_ids().to_vec(), encoding.get_offsets().to_vec())
}
