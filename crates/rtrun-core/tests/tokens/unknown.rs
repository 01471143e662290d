//! Words of which a vocabulary has nothing, in every type of tokenizer.

use rtrun_core::tokens::TextReader;

use super::others;
use crate::support::fixture;

fn unknown(reader: &TextReader, text: &str) -> usize {
    reader.unknown_tokens(&reader.tokens(text, 100_000).unwrap().ids)
}

fn stored(name: &str) -> TextReader {
    let json = std::fs::read(fixture("tokenizers").join(format!("{name}.json"))).unwrap();
    TextReader::new(&json, true).unwrap()
}

#[test]
fn what_a_vocabulary_of_pieces_has_nothing_for_is_counted() {
    for name in ["bert-cased", "bert-uncased"] {
        let reader = stored(name);
        assert_eq!(unknown(&reader, "hello world, hello!"), 0, "{name}");
        assert_eq!(unknown(&reader, "hello\u{2800}world and ꙮꙮꙮ here"), 2, "{name}");
        let (longest, longer) = ("a".repeat(100), "a".repeat(101));
        assert_eq!((unknown(&reader, &longest), unknown(&reader, &longer)), (0, 1), "{name}");
    }
    for name in ["xlm-roberta", "deberta"] {
        let reader = stored(name);
        assert_eq!(unknown(&reader, "hello world"), 0, "{name}");
        assert!(unknown(&reader, "hello ꙮ world ꙮ") >= 2, "{name}");
    }
}

#[test]
fn a_tokenizer_of_bytes_has_nothing_unknown() {
    for name in ["roberta", "modernbert", "gemma", "llama"] {
        let reader = stored(name);
        assert_eq!(unknown(&reader, "hello ꙮ \u{2800} 🙃 world ก"), 0, "{name}");
    }
}

#[test]
fn every_word_of_a_long_text_counts() {
    let reader = stored("bert-uncased");
    assert_eq!(unknown(&reader, &"hello ꙮ ".repeat(5000)), 5000);
}

#[test]
fn a_tokenizer_without_a_token_for_the_unknown_has_none() {
    for (name, json) in others::all() {
        let reader = TextReader::new(&serde_json::to_vec(&json).unwrap(), true).unwrap();
        let expected = usize::from(matches!(name, "unigram" | "words"));
        assert_eq!(unknown(&reader, "ꙮ").min(1), expected, "{name}");
    }
}
