//! The frame of a pair, against the library.

use rtrun_core::tokens::TextReader;
use serde_json::{Value, json};
use tokenizers::Tokenizer;

use super::fixtures::{NAMES, json, value};
use super::others;
use super::texts::{Random, text};

/// Compares the frame of random pairs; returns whether the second text is a segment of its own.
fn compare(name: &str, tokenizer: &Tokenizer, reader: &TextReader) -> bool {
    let frame = reader.pair().unwrap_or_else(|| panic!("{name} takes pairs"));
    let mut random = Random(4);
    let mut has_segments = false;
    for _ in 0..40 {
        let [one, other] = [0; 2].map(|_| {
            let pieces = random.below(12);
            text(&mut random, pieces)
        });
        let encoding = tokenizer.encode((one.as_str(), other.as_str()), true).unwrap();
        let [first, second] = [&one, &other].map(|text| reader.tokens(text, usize::MAX / 8).unwrap().ids);
        let (ids, second_from) = frame.frame(&first, &second);
        assert_eq!(ids, encoding.get_ids(), "{name}: {one:?} and {other:?}");
        let types: Vec<u32> = (0..ids.len()).map(|at| u32::from(at >= second_from)).collect();
        assert_eq!(types, encoding.get_type_ids(), "{name}: {one:?} and {other:?}");
        has_segments |= second_from < ids.len();
        assert_eq!(ids.len(), first.len() + second.len() + frame.special_tokens());
        let (from, to) = (frame.first_from(), frame.second_from(first.len()));
        assert_eq!((&ids[from..from + first.len()], &ids[to..to + second.len()]), (&first[..], &second[..]));
    }
    has_segments
}

fn open(json: &[u8]) -> (Tokenizer, TextReader) {
    let mut tokenizer = Tokenizer::from_bytes(json).unwrap();
    tokenizer.with_padding(None);
    tokenizer.with_truncation(None).unwrap();
    (tokenizer, TextReader::new(json, true).unwrap())
}

#[test]
fn pairs_of_every_type_are_framed_as_the_library_does_it() {
    for name in NAMES {
        let (tokenizer, reader) = open(&json(name));
        let has_segments = compare(name, &tokenizer, &reader);
        assert_eq!(has_segments, matches!(name, "bert-cased" | "bert-uncased" | "deberta" | "llama"), "{name}");
    }
}

#[test]
fn pairs_of_tokenizers_without_special_tokens_are_one_behind_the_other() {
    for (name, json) in others::all() {
        let (tokenizer, reader) = open(&serde_json::to_vec(&json).unwrap());
        assert!(compare(name, &tokenizer, &reader));
        assert_eq!(reader.pair().unwrap().special_tokens(), 0);
    }
}

fn with_pair(pair: &Value) -> TextReader {
    let mut json = value("bert-cased");
    json["post_processor"]["pair"] = pair.clone();
    TextReader::new(&serde_json::to_vec(&json).unwrap(), true).unwrap()
}

#[test]
fn a_frame_in_another_order_is_no_pair() {
    let special = |kind: u32| json!({ "SpecialToken": { "id": "[SEP]", "type_id": kind } });
    let text = |name: &str, kind: u32| json!({ "Sequence": { "id": name, "type_id": kind } });
    assert!(with_pair(&json!([text("B", 0), special(0), text("A", 1)])).pair().is_none());
    assert!(with_pair(&json!([special(0), text("A", 1), special(1), text("B", 0)])).pair().is_none());
    assert!(with_pair(&json!([text("A", 0), special(0), text("B", 2)])).pair().is_none());
    let cls = json!({ "SpecialToken": { "id": "[CLS]", "type_id": 0 } });
    assert!(with_pair(&json!([cls, text("A", 0), special(1), text("B", 1)])).pair().is_some());
}
