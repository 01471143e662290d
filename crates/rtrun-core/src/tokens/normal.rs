//! What a tokenizer's normalizer may do to a text, as far as cuts depend on it.

use serde_json::Value;
use tokenizers::Tokenizer;

/// What happens to the characters of a text before they are looked up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Normalization {
    /// Each stays one character; at most the space is written in another way.
    Keeps,
    /// Letters and their marks become one character.
    Composes,
    /// Characters may vanish, or become several or other ones.
    Folds,
    /// It may join what stands far apart.
    Unknown,
}

/// The normalization of a tokenizer, with the strings that it replaces as a whole.
pub fn normalization(tokenizer: &Tokenizer) -> (Normalization, Vec<String>) {
    let mut replaced = Vec::new();
    let Some(normalizer) = tokenizer.get_normalizer() else { return (Normalization::Keeps, replaced) };
    let json = serde_json::to_value(normalizer).unwrap_or_default();
    (read(&json, &mut replaced), replaced)
}

fn read(json: &Value, replaced: &mut Vec<String>) -> Normalization {
    match json["type"].as_str() {
        Some("Sequence") => {
            let parts = json["normalizers"].as_array().map_or(&[] as &[Value], Vec::as_slice);
            parts.iter().map(|part| read(part, replaced)).max().unwrap_or(Normalization::Keeps)
        }
        Some("Prepend" | "ByteLevel") => Normalization::Keeps,
        Some("NFC") => Normalization::Composes,
        Some(
            "BertNormalizer" | "Strip" | "StripAccents" | "NFD" | "NFKC" | "NFKD" | "Lowercase" | "Nmt" | "Precompiled",
        ) => Normalization::Folds,
        Some("Replace") => match (json["pattern"]["String"].as_str(), json["pattern"]["Regex"].as_str()) {
            (Some(" "), _) if json["content"] == "▁" => Normalization::Keeps,
            (Some(pattern), _) => {
                replaced.push(pattern.to_owned());
                Normalization::Folds
            }
            // Of repeated white space one is kept.
            (_, Some(" {2,}" | "\\s+" | " +" | "\\s{2,}")) => {
                replaced.push("  ".to_owned());
                Normalization::Folds
            }
            _ => Normalization::Unknown,
        },
        _ => Normalization::Unknown,
    }
}
