//! Cut texts of every tokenizer type, against the library reading the whole text.

use rtrun_core::Error;
use rtrun_core::tokens::{Overflow, Place, TextReader};
use tokenizers::Tokenizer;

use super::fixtures::{NAMES, json, open, whole};
use super::texts::{Random, stretched, text};

/// How many of the texts were cut and how many were rejected.
#[derive(Debug, Default)]
struct Counts {
    cut: usize,
    placed_cut: usize,
    rejected: usize,
}

fn offsets(places: &[Place]) -> Vec<(usize, usize)> {
    places.iter().map(|place| (place.start as usize, place.end as usize)).collect()
}

/// Checks everything that a reader says about one text.
fn check(name: &str, tokenizer: &Tokenizer, reader: &TextReader, text: &str, room: usize, counts: &mut Counts) {
    let (ids, offsets_of_all) = whole(tokenizer, text);
    let told = |what: &str| format!("{name}: {what}, room {room}, text {text:?}");
    let found = reader.tokens(text, room).unwrap();
    counts.cut += usize::from(found.has_more);
    assert!(ids.starts_with(&found.ids), "{}", told("tokens"));
    assert!(if found.has_more { found.ids.len() > room } else { found.ids == ids }, "{}", told("number of tokens"));
    let placed = reader.placed_tokens(text, room).unwrap();
    counts.placed_cut += usize::from(placed.has_more);
    assert!(ids.starts_with(&placed.ids), "{}", told("placed tokens"));
    assert!(if placed.has_more { placed.ids.len() > room } else { placed.ids == ids }, "{}", told("placed number"));
    assert_eq!(offsets(&placed.places), offsets_of_all[..placed.ids.len()], "{}", told("places"));
    check_rows(name, reader, text, room, (&ids, &found.ids), counts);
    if reader.is_surely_longer(text, room) {
        assert!(ids.len() > room, "{}", told("told longer without tokenizing"));
    }
}

/// Checks the rows of one text, whose ids are those of the first slice and of which the second slice is read.
fn check_rows(
    name: &str,
    reader: &TextReader,
    text: &str,
    room: usize,
    (ids, read): (&[u32], &[u32]),
    counts: &mut Counts,
) {
    let special = reader.special_tokens();
    let frame = reader.template();
    let row = reader.read(text, room + special, Overflow::Truncate).unwrap();
    assert_eq!(row.ids[..], frame.frame(&ids[..ids.len().min(room)]), "{name}: room {room}, text {text:?}");
    assert_eq!((row.truncated, row.tokens), (ids.len() > room, read.len() + special));
    // What is left unread may hold no token at all.
    assert!(row.is_lower_bound || read.len() == ids.len());
    for overflow in [Overflow::Reject, Overflow::Window] {
        match reader.read(text, room + special, overflow) {
            Ok(row) => assert_eq!((row.ids[..].to_vec(), row.truncated), (frame.frame(ids), false)),
            Err(error) => {
                counts.rejected += 1;
                assert!(matches!(error, Error::MaxLengthExceeded(_)) && ids.len() > room, "{name}: {error} {text:?}");
            }
        }
    }
}

/// How many texts every type is compared on. The full comparison is `RTRUN_TEXTS=10000`.
fn texts() -> usize {
    std::env::var("RTRUN_TEXTS").map_or(1000, |texts| texts.parse().unwrap())
}

fn compare(name: &str, texts: usize) {
    let (tokenizer, reader) = open(&json(name));
    let mut counts = Counts::default();
    let mut random = Random(name.len() as u64);
    for index in 0..texts {
        let pieces = 1 + random.below(140);
        let text = if index % 25 == 0 { stretched(&mut random) } else { text(&mut random, pieces) };
        let room = 1 + random.below(60);
        check(name, &tokenizer, &reader, &text, room, &mut counts);
    }
    assert!(counts.rejected > texts / 4 && counts.cut > texts / 4 && counts.placed_cut > texts / 4, "{counts:?}");
}

macro_rules! every_type {
    ($($test:ident: $name:literal,)*) => {
        $(#[test] fn $test() { compare($name, texts()); })*
        #[test]
        fn every_type_is_compared() {
            assert_eq!(NAMES, [$($name),*]);
        }
    };
}

every_type! {
    cased_word_pieces: "bert-cased",
    uncased_word_pieces: "bert-uncased",
    pairs_of_bytes: "roberta",
    pairs_of_composed_bytes: "modernbert",
    best_pieces: "xlm-roberta",
    best_pieces_of_stripped_text: "deberta",
    marked_pairs_with_a_first_mark: "llama",
    marked_pairs: "gemma",
}
