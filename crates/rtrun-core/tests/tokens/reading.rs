use rtrun_core::tokens::{Overflow, TextReader};
use serde_json::{Value, json};

use crate::support::fixture;

fn tokenizer() -> Value {
    serde_json::from_slice(&std::fs::read(fixture("embeddings").join("tokenizer.json")).unwrap()).unwrap()
}

fn reader(json: &Value) -> Result<TextReader, String> {
    TextReader::new(&serde_json::to_vec(json).unwrap(), true)
}

#[test]
fn stored_padding_and_truncation_are_not_used() {
    let stored = tokenizer();
    assert_eq!(stored["truncation"]["max_length"], json!(32));
    assert_eq!(stored["padding"]["strategy"], json!({ "Fixed": 32 }));
    let reader = reader(&stored).unwrap();
    assert_eq!(reader.read("hello", 64, Overflow::Reject).unwrap().ids.len(), 3);
    assert_eq!(reader.read(&"hello ".repeat(50), 64, Overflow::Reject).unwrap().ids.len(), 52);
}

#[test]
fn an_empty_text_is_a_row_of_special_tokens() {
    let reading = reader(&tokenizer()).unwrap().read("", 64, Overflow::Reject).unwrap();
    assert_eq!((reading.ids.len(), reading.tokens, reading.truncated), (2, 2, false));
}

#[test]
fn a_text_of_exactly_the_budget_is_read_whole() {
    let reader = reader(&tokenizer()).unwrap();
    let reading = reader.read("hello world", 4, Overflow::Reject).unwrap();
    assert_eq!((reading.ids.len(), reading.truncated, reading.is_lower_bound), (4, false, false));
    assert!(reader.read("hello world", 3, Overflow::Reject).is_err());
}

#[test]
fn a_damaged_tokenizer_is_an_error() {
    assert!(TextReader::new(b"{}", true).is_err());
    assert!(TextReader::new(b"not json", true).is_err());
}
