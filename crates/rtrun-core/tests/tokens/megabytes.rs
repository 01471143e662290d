//! A megabyte without any end: read as far as the budget decides, or told to be too long without being read.

use rtrun_core::Error;
use rtrun_core::tokens::Overflow;
use tokenizers::decoders::byte_level::ByteLevel;

use super::fixtures::{json, open, whole};

fn megabyte(seed: &str) -> String {
    seed.repeat((1 << 20) / seed.len())
}

#[test]
fn a_megabyte_of_prose_is_read_as_far_as_its_budget_decides() {
    let text = megabyte("The city council met, among other things (see page 7), on Tuesday. 新聞 привет! ");
    for name in super::fixtures::NAMES {
        let (tokenizer, reader) = open(&json(name));
        let row = reader.read(&text, 64, Overflow::Truncate).unwrap();
        let ids = whole(&tokenizer, &text[..20_000]).0;
        assert_eq!(row.ids[..], reader.template().frame(&ids[..64 - reader.special_tokens()]), "{name}");
        assert!(row.tokens < 2000 && row.is_lower_bound, "{name}: {} tokens were read", row.tokens);
    }
}

#[test]
fn a_megabyte_without_a_boundary_is_read_as_far_as_its_budget_decides() {
    for name in ["roberta", "modernbert", "llama", "gemma"] {
        let (tokenizer, reader) = open(&json(name));
        for seed in ["a1b2c3d4", "é", "z", "中", "漢字かな", "。", "----", " ", "\n", "🙂", " \t"] {
            let text = megabyte(seed);
            let found = reader.tokens(&text, 64).unwrap();
            assert!(found.has_more && found.ids.len() < 20_000, "{name}: {} tokens of {seed:?}", found.ids.len());
            let placed = reader.placed_tokens(&text, 64).unwrap();
            assert!(placed.has_more && placed.ids == found.ids, "{name}: {seed:?}");
            let some = seed.repeat(40_000 / seed.len());
            assert!(whole(&tokenizer, &some).0.starts_with(&found.ids[..65]), "{name}: {seed:?}");
        }
    }
}

#[test]
fn a_whole_megabyte_begins_with_what_is_read_of_it() {
    let text = megabyte("abcxyz019Straße");
    for name in ["roberta", "modernbert", "gemma"] {
        let (tokenizer, reader) = open(&json(name));
        let found = reader.tokens(&text, 500).unwrap();
        assert!(found.has_more && whole(&tokenizer, &text).0.starts_with(&found.ids), "{name}");
    }
}

#[test]
fn a_text_longer_than_its_tokens_can_cover_is_rejected_without_being_read() {
    for name in ["roberta", "modernbert", "llama", "gemma"] {
        let reader = open(&json(name)).1;
        for seed in ["x", " ", "中", "word ", "e\u{301}", "🙂"] {
            let text = megabyte(seed);
            assert!(reader.is_surely_longer(&text, 512), "{name}: {seed:?}");
            assert!(!reader.is_surely_longer(&text[..512 - 512 % seed.len()], 512), "{name}: {seed:?}");
            for overflow in [Overflow::Reject, Overflow::Window] {
                let error = reader.read(&text, 514, overflow).unwrap_err();
                assert!(matches!(error, Error::MaxLengthExceeded(_)), "{name}: {seed:?}");
            }
        }
    }
}

#[test]
fn what_may_vanish_or_fold_is_no_reason_to_reject() {
    for name in ["xlm-roberta", "deberta", "bert-cased", "bert-uncased"] {
        let reader = open(&json(name)).1;
        for seed in [" ", "\u{1}", "ééé", "\u{301}"] {
            assert!(!reader.is_surely_longer(&megabyte(seed), 512), "{name}: {seed:?}");
        }
    }
    // White space of any length goes into the token behind it.
    for name in ["roberta", "gemma"] {
        let reader = open(&json(name)).1;
        let text = format!("{}<mask>", " ".repeat(1 << 20));
        assert!(!reader.is_surely_longer(&text, 512), "{name}");
        assert!(reader.read(&text, 8, Overflow::Reject).is_ok(), "{name}");
    }
}

#[test]
fn the_shortest_text_that_is_surely_longer_is_longer() {
    for name in ["roberta", "modernbert", "llama", "gemma"] {
        let (mut tokenizer, reader) = open(&json(name));
        if !matches!(name, "llama" | "gemma") {
            tokenizer.with_decoder(Some(ByteLevel::default()));
        }
        let mut longest = 0;
        for id in 0..u32::try_from(reader.vocabulary()).unwrap() {
            let piece = tokenizer.decode(&[id], false).unwrap().replace('▁', " ");
            // A part of a character is told with a longer one in its place.
            if !piece.contains(char::REPLACEMENT_CHARACTER) {
                assert!(!reader.is_surely_longer(&piece, 1), "{name}: one token covers {piece:?}");
                longest = longest.max(piece.len());
            }
        }
        assert!(longest > 8, "{name}");
    }
}
