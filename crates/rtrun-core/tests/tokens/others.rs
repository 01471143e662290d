//! Small tokenizers of the other kinds that hub repositories have.

use serde_json::{Map, Value, json};
use tokenizers::pre_tokenizers::byte_level::ByteLevel;

/// A name and a `tokenizer.json` for each kind.
pub fn all() -> Vec<(&'static str, Value)> {
    let byte_level = json!({ "type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": true });
    let metaspace = json!({ "type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": true });
    vec![
        ("byte-level", tokenizer(&bytes(), &Value::Null, &byte_level)),
        ("byte-level composed", tokenizer(&bytes(), &json!({ "type": "NFC" }), &byte_level)),
        ("unigram", tokenizer(&unigram(), &json!({ "type": "NFKC" }), &metaspace)),
        // Without a pre-tokenizer a whole text is one word, and no cut leaves it as it is.
        ("words", tokenizer(&word_piece(), &Value::Null, &Value::Null)),
    ]
}

fn tokenizer(model: &Value, normalizer: &Value, pre_tokenizer: &Value) -> Value {
    json!({
        "version": "1.0", "truncation": null, "padding": null, "added_tokens": [], "normalizer": normalizer,
        "pre_tokenizer": pre_tokenizer, "post_processor": null, "decoder": null, "model": model,
    })
}

fn bytes() -> Value {
    let mut alphabet: Vec<String> = ByteLevel::alphabet().into_iter().map(String::from).collect();
    alphabet.sort();
    let merges = ["h e", "l l", "he ll", "hell o", "Ġ w", "Ġ Ġ", "ĠĠ Ġ", "a b", "ab c", ". .", ".. .", "! !", "Ã ©"];
    alphabet.extend(merges.iter().map(|merge| merge.replace(' ', "")));
    let vocabulary: Map<String, Value> =
        alphabet.into_iter().enumerate().map(|(id, token)| (token, json!(id))).collect();
    json!({ "type": "BPE", "vocab": vocabulary, "merges": merges, "unk_token": null, "fuse_unk": false,
        "byte_fallback": false, "ignore_merges": false })
}

fn unigram() -> Value {
    let letters =
        "abcdefghijklmnopqrstuvwxyzé0123456789.,!?()-_".chars().map(|letter| json!([letter.to_string(), -6.0]));
    let words =
        ["▁", "▁hello", "▁world", "...", "ing", "--", "!?", "ab", "e.g.", "don"].map(|word| json!([word, -4.0]));
    let vocabulary: Vec<Value> = std::iter::once(json!(["<unk>", 0.0])).chain(letters).chain(words).collect();
    json!({ "type": "Unigram", "unk_id": 0, "vocab": vocabulary, "byte_fallback": false })
}

fn word_piece() -> Value {
    let tokens = ["[UNK]", "a", "hello", "##a", "##hello", "## ", "##.", "##b", "b"];
    let vocabulary: Map<String, Value> =
        tokens.iter().enumerate().map(|(id, token)| ((*token).to_owned(), json!(id))).collect();
    json!({ "type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
        "max_input_chars_per_word": 100, "vocab": vocabulary })
}
