use rtrun_core::Error;
use rtrun_core::tokens::{Overflow, TextReader};
use tokenizers::Tokenizer;

use super::others;
use super::texts::{Random, text};
use crate::support::fixture;

fn json() -> Vec<u8> {
    std::fs::read(fixture("embeddings").join("tokenizer.json")).unwrap()
}

fn plain() -> Tokenizer {
    let mut tokenizer = Tokenizer::from_bytes(json()).unwrap();
    tokenizer.with_padding(None);
    tokenizer.with_truncation(None).unwrap();
    tokenizer
}

/// The row that reading the whole text gives.
fn whole(tokenizer: &Tokenizer, text: &str, budget: usize) -> (Vec<u32>, usize) {
    let bare = tokenizer.encode_fast(text, false).unwrap().get_ids().to_vec();
    let (cls, sep) = (tokenizer.token_to_id("[CLS]").unwrap(), tokenizer.token_to_id("[SEP]").unwrap());
    let kept = &bare[..bare.len().min(budget - 2)];
    ([&[cls], kept, &[sep]].concat(), bare.len() + 2)
}

#[test]
fn twelve_thousand_cut_texts_read_as_if_they_were_read_whole() {
    let (tokenizer, reader) = (plain(), TextReader::new(&json(), true).unwrap());
    let frame = |bare: &[u32]| {
        let id = |token| tokenizer.token_to_id(token).unwrap();
        [&[id("[CLS]")], bare, &[id("[SEP]")]].concat()
    };
    let counts = compare(&tokenizer, &reader, 12_000, frame);
    assert!(counts.0 > 3000 && counts.1 > 3000, "{counts:?}: the test has lost its subject");
}

#[test]
fn other_tokenizers_cut_only_where_it_holds() {
    for (name, json) in others::all() {
        let json = serde_json::to_vec(&json).unwrap();
        let tokenizer = Tokenizer::from_bytes(&json).unwrap();
        let reader = TextReader::new(&json, false).unwrap();
        let counts = compare(&tokenizer, &reader, 1000, <[u32]>::to_vec);
        assert_eq!(counts.0 > 100, name != "words", "{name}: {counts:?}");
    }
}

/// Compares the reader with whole tokenization; returns how many texts were cut and how many rejected.
fn compare(
    tokenizer: &Tokenizer,
    reader: &TextReader,
    texts: usize,
    frame: impl Fn(&[u32]) -> Vec<u32>,
) -> (usize, usize) {
    let special = reader.special_tokens();
    let mut random = Random(1);
    let (mut cut, mut rejected) = (0, 0);
    for _ in 0..texts {
        let pieces = 1 + random.below(160);
        let text = text(&mut random, pieces);
        let budget = special + 1 + random.below(60);
        let bare = tokenizer.encode_fast(text.as_str(), false).unwrap().get_ids().to_vec();
        let tokens = bare.len() + special;
        let reading = reader.read(&text, budget, Overflow::Truncate).unwrap();
        assert_eq!(reading.ids[..], frame(&bare[..bare.len().min(budget - special)]), "budget {budget}, text {text:?}");
        assert_eq!(reading.truncated, tokens > budget, "budget {budget}, text {text:?}");
        if reading.is_lower_bound {
            cut += 1;
            assert!(reading.truncated && budget < reading.tokens && reading.tokens <= tokens);
        } else {
            assert_eq!(reading.tokens, tokens);
        }
        match reader.read(&text, budget, Overflow::Reject) {
            Ok(reading) => assert_eq!((reading.ids.len(), reading.truncated), (tokens, false)),
            Err(error) => {
                rejected += 1;
                assert!(matches!(error, Error::MaxLengthExceeded(_)) && tokens > budget, "{error} {text:?}");
            }
        }
    }
    (cut, rejected)
}

#[test]
fn a_megabyte_of_any_kind_is_read_as_far_as_its_budget_decides() {
    let reader = TextReader::new(&json(), true).unwrap();
    let kinds = ["word ", "a", "é", "word. ", "!", " ", "中", "a\n\n", "ab1", "\u{a0}", "🙂 "];
    for kind in kinds {
        let text = kind.repeat((1 << 20) / kind.len());
        let reading = reader.read(&text, 64, Overflow::Truncate).unwrap();
        assert!(reading.tokens < 2000, "{} tokens of {kind:?} were read", reading.tokens);
        assert_eq!(reader.read(&text, 64, Overflow::Reject).is_err(), reading.truncated);
    }
}

#[test]
fn a_text_cut_in_the_middle_of_a_special_token_keeps_it() {
    let (tokenizer, reader) = (plain(), TextReader::new(&json(), true).unwrap());
    for padding in 0..80 {
        let text = format!("{}[SEP][MASK]{}", "a ".repeat(250 + padding), "[SEP]".repeat(200));
        let budget = 240 + padding;
        assert_eq!(
            reader.read(&text, budget, Overflow::Truncate).unwrap().ids[..],
            whole(&tokenizer, &text, budget).0[..]
        );
    }
}
