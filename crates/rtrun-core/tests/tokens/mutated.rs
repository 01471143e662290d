//! Changed tokenizers: where a cut would no longer leave the tokens before it as they are, it is no longer made.

use rtrun_core::tokens::TextReader;
use serde_json::{Value, json};
use tokenizers::Tokenizer;

use super::fixtures::{open, value, whole};
use super::texts::{Random, stretched, text};

const TEXTS: usize = 60;

/// Compares some texts; returns how many were cut.
fn cuts(name: &str, json: &Value) -> usize {
    cuts_of(name, json, TEXTS)
}

fn cuts_of(name: &str, json: &Value, texts: usize) -> usize {
    let (tokenizer, reader) = open(&serde_json::to_vec(json).unwrap());
    let mut random = Random(3);
    let mut cut = 0;
    for index in 0..texts {
        let text = if index % 10 == 0 { stretched(&mut random) } else { text(&mut random, 100) };
        let room = 1 + random.below(60);
        let (ids, offsets_of_all) = whole(&tokenizer, &text);
        let found = reader.tokens(&text, room).unwrap();
        cut += usize::from(found.has_more);
        assert!(ids.starts_with(&found.ids), "{name}: room {room}, text {text:?}");
        assert!(if found.has_more { found.ids.len() > room } else { found.ids == ids }, "{name}: {text:?}");
        let placed = reader.placed_tokens(&text, room).unwrap();
        assert!(ids.starts_with(&placed.ids), "{name}: room {room}, text {text:?}");
        let offsets: Vec<_> = placed.places.iter().map(|place| (place.start as usize, place.end as usize)).collect();
        assert_eq!(offsets, offsets_of_all[..placed.ids.len()], "{name}: room {room}, text {text:?}");
        if reader.is_surely_longer(&text, room) {
            assert!(ids.len() > room, "{name}: room {room}, text {text:?}");
        }
    }
    cut
}

fn changed(name: &str, change: impl FnOnce(&mut Value)) -> Value {
    let mut json = value(name);
    change(&mut json);
    json
}

fn added(content: &str, flags: [bool; 4]) -> impl FnOnce(&mut Value) {
    let [single_word, lstrip, rstrip, normalized] = flags;
    let token = json!({ "content": content, "single_word": single_word, "lstrip": lstrip, "rstrip": rstrip,
        "normalized": normalized, "special": false });
    move |json| {
        let tokens = json["added_tokens"].as_array_mut().unwrap();
        let id = 5000 + tokens.len();
        tokens.push(token);
        tokens.last_mut().unwrap()["id"] = json!(id);
    }
}

fn merge(one: &str, other: &str) -> impl FnOnce(&mut Value) {
    let (one, other) = (one.to_owned(), other.to_owned());
    move |json| {
        let vocabulary = json["model"]["vocab"].as_object_mut().unwrap();
        let id = vocabulary.len();
        vocabulary.insert(format!("{one}{other}"), json!(id));
        json["model"]["merges"].as_array_mut().unwrap().insert(0, json!([one, other]));
    }
}

#[test]
fn a_tokenizer_with_chance_in_it_is_never_cut() {
    for (name, key, value) in [("roberta", "dropout", 1e-9), ("llama", "dropout", 1e-9)] {
        let json = changed(name, |json| json["model"][key] = json!(value));
        assert!(!open(&serde_json::to_vec(&json).unwrap()).1.can_cut(), "{name}");
    }
}

#[test]
fn a_normalization_that_may_join_anything_is_never_cut() {
    let replace = json!({ "type": "Replace", "pattern": { "Regex": "brown.*dogs" }, "content": "x" });
    for name in ["roberta", "xlm-roberta", "gemma"] {
        let json = changed(name, |json| json["normalizer"] = replace.clone());
        assert!(!open(&serde_json::to_vec(&json).unwrap()).1.can_cut(), "{name}");
    }
}

#[test]
fn words_that_are_looked_up_whole_are_not_cut_inside() {
    let suffix = changed("llama", |json| json["model"]["end_of_word_suffix"] = json!("a"));
    assert_eq!(cuts("suffix", &suffix), 0);
    let one_word = changed("bert-cased", |json| json["pre_tokenizer"] = Value::Null);
    assert_eq!(cuts("one word", &one_word), 0);
    let spaced = changed("bert-cased", |json| json["pre_tokenizer"] = json!({ "type": "WhitespaceSplit" }));
    assert!(cuts("white space", &spaced) > TEXTS / 3);
}

#[test]
fn ideographs_are_kept_together_where_the_normalizer_does_not_split_them() {
    let json = changed("bert-uncased", |json| json["normalizer"]["handle_chinese_chars"] = json!(false));
    assert!(cuts("ideographs", &json) > TEXTS / 3);
}

#[test]
fn a_merge_over_a_space_takes_the_exact_cut_away() {
    for (name, one, other) in [("llama", "o", "▁"), ("llama", "▁", "▁"), ("gemma", "o", "▁"), ("gemma", "s", "▁w")]
    {
        let json = changed(name, merge(one, other));
        assert!(cuts(&format!("{name} with {one} {other}"), &json) > 0);
    }
    let unsplit = changed("roberta", |json| json["pre_tokenizer"]["use_regex"] = json!(false));
    assert!(cuts("without a regular expression", &unsplit) > 0);
    let json = changed("roberta", |json| {
        json["pre_tokenizer"]["use_regex"] = json!(false);
        merge("o", "Ġ")(json);
        merge("oĠ", "w")(json);
    });
    assert!(cuts("merges over spaces", &json) > 0);
}

#[test]
fn other_settings_of_a_type_are_cut_where_it_holds() {
    let prefixed = changed("roberta", |json| json["pre_tokenizer"]["add_prefix_space"] = json!(true));
    assert!(cuts("prefix space", &prefixed) > TEXTS / 3);
    let whole_words = changed("roberta", |json| json["model"]["ignore_merges"] = json!(true));
    assert!(cuts("ignored merges", &whole_words) > TEXTS / 3);
    let digits = changed("roberta", |json| {
        let digits = json!({ "type": "Digits", "individual_digits": true });
        json["pre_tokenizer"] = json!({ "type": "Sequence", "pretokenizers": [digits, json["pre_tokenizer"]] });
    });
    assert!(cuts("digits", &digits) > TEXTS / 3);
    let grouped = changed("roberta", |json| {
        let pattern = json!({ "Regex": "\\d{1,3}(?=(?:\\d{3})*\\b)" });
        let split = json!({ "type": "Split", "pattern": pattern, "behavior": "Isolated", "invert": false });
        json["pre_tokenizer"] = json!({ "type": "Sequence", "pretokenizers": [split, json["pre_tokenizer"]] });
    });
    assert!(cuts("digits in groups from the right", &grouped) > TEXTS / 3);
    let lowercase = changed("roberta", |json| json["normalizer"] = json!({ "type": "Lowercase" }));
    assert!(cuts("lowercase", &lowercase) > TEXTS / 3);
    let folded = changed("modernbert", |json| json["normalizer"] = json!({ "type": "NFKC" }));
    assert!(cuts("folded bytes", &folded) > TEXTS / 3);
    let unsplit = changed("xlm-roberta", |json| json["pre_tokenizer"]["split"] = json!(false));
    assert!(cuts("unsplit marks", &unsplit) > TEXTS / 3);
    let quotes = changed("deberta", |json| {
        let quotes = json!({ "type": "Replace", "pattern": { "String": "!?" }, "content": "x" });
        json["normalizer"]["normalizers"].as_array_mut().unwrap().push(quotes);
    });
    assert!(cuts("replaced marks", &quotes) > TEXTS / 3);
}

#[test]
fn added_tokens_of_every_sort_stay_whole() {
    let sorts: [(&str, [bool; 4]); 9] = [
        ("hello", [true, false, false, false]),
        ("中文", [true, false, false, false]),
        ("e.g.", [false, false, true, false]),
        ("€", [false, true, true, false]),
        ("a b", [false, false, false, false]),
        ("...", [false, true, false, true]),
        ("world", [false, false, true, true]),
        ("token ", [false, false, false, true]),
        ("½", [true, true, true, true]),
    ];
    for name in super::fixtures::NAMES {
        let json = changed(name, |json| {
            for (content, flags) in sorts {
                added(content, flags)(json);
            }
        });
        cuts_of(&format!("{name} with added tokens"), &json, TEXTS / 3);
    }
}

#[test]
fn a_space_with_a_mark_stays_one_where_a_vocabulary_has_it_as_one_piece() {
    // NFKC writes them as a space with a mark; the space joins the one before it, and the mark joins the space.
    for (overline, mark) in [('\u{2017}', '\u{333}'), ('\u{203e}', '\u{305}'), ('\u{fe4b}', '\u{305}')] {
        let json = changed("xlm-roberta", |json| {
            // Without the pieces that hold punctuation and more, which forbid cuts at any punctuation.
            json["added_tokens"] = json!([]);
            json["post_processor"] = Value::Null;
            for piece in json["model"]["vocab"].as_array_mut().unwrap() {
                let letters: String = piece[0].as_str().unwrap().chars().filter(|char| char.is_alphabetic()).collect();
                if piece[0].as_str().unwrap().chars().count() > 1 {
                    piece[0] = json!(format!("{letters}qx"));
                }
            }
            json["model"]["vocab"].as_array_mut().unwrap().push(json!([format!("▁{mark}"), -0.1]));
        });
        let json = serde_json::to_vec(&json).unwrap();
        let (tokenizer, reader) = (Tokenizer::from_bytes(&json).unwrap(), TextReader::new(&json, false).unwrap());
        // Every place of the stretch comes to stand where the first cut is looked for.
        for shift in 0..6 {
            let text = format!("{}{}", "b".repeat(shift), format!(" {overline}b").repeat(1000));
            let (ids, _) = whole(&tokenizer, &text);
            let found = reader.tokens(&text, 5).unwrap();
            assert!(found.has_more, "the test has lost its subject");
            assert!(ids.starts_with(&found.ids), "{overline:?}, shift {shift}");
        }
    }
}
