//! How much of an input is read, and what its answer says about that.

use rtrun_core::tokens::Overflow;
use rtrun_core::{ClassifyInput, Error, ReadingOptions, TaskAnswer};
use tokenizers::{Tokenizer, TruncationParams};

use super::heads::{classify, package, serve, windows, words};
use crate::support::{answer, embed_task, fixture, open_ready, options};
use crate::tokens::Random;

fn reading(overflow: Overflow, max_tokens: usize) -> ReadingOptions {
    ReadingOptions { overflow: Some(overflow), max_tokens: Some(max_tokens), window: None }
}

fn text(text: impl Into<String>) -> ClassifyInput {
    ClassifyInput::Text(text.into())
}

/// How many forwards were run so far.
fn forwards(metrics: &str) -> String {
    metrics.lines().filter(|line| line.starts_with("rtrun_batch_rows_count")).collect()
}

#[test]
fn an_input_over_its_scan_budget_is_not_read_at_all() {
    let folder = package();
    let engine = serve(&folder);
    let words = words(&mut Random(1), 200).join(" ");
    let before = forwards(&engine.exposition());
    assert!(!before.is_empty());
    let grounded = |context: &str| ClassifyInput::Grounded {
        context: context.to_owned(),
        question: "so".into(),
        answer: "x".into(),
    };
    let inputs = [
        ("topics", text(words.as_str())),
        ("entities", text(words.as_str())),
        ("topics", ClassifyInput::Pair("hello".to_owned(), words.clone())),
        ("topics", ClassifyInput::Pair(words.clone(), "hello".to_owned())),
        ("checked", grounded(&words)),
        ("topics", text("hello ".repeat(1 << 18))),
    ];
    for (head, input) in inputs {
        let options = ReadingOptions { max_tokens: Some(150), ..windows(32, 4) };
        let error = classify(&engine, head, input, options).unwrap_err();
        assert!(matches!(error, Error::ScanBudgetExceeded(_)), "{error}");
        assert!(error.to_string().contains("150 tokens"), "{error}");
    }
    assert_eq!(forwards(&engine.exposition()), before);
}

#[test]
fn the_operators_scan_budget_is_a_cap_and_the_models_own_is_not() {
    let folder = package();
    let [own, capped] = [None, Some(256)].map(|max_scan_tokens| {
        let mut options = options(&[("heads", folder.path())]);
        options.models[0].max_scan_tokens = max_scan_tokens;
        open_ready(options)
    });
    let words = words(&mut Random(3), 4000).join(" ");
    let raised = ReadingOptions { max_tokens: Some(99_999), ..windows(32, 4) };
    assert_eq!(classify(&own, "topics", text(words.as_str()), raised).unwrap().0.tokens, 4002);
    let error = classify(&own, "topics", text(words.as_str()), ReadingOptions { max_tokens: None, ..raised });
    assert!(error.unwrap_err().to_string().contains("or raise max_tokens"));
    for max_tokens in [Some(99_999), None] {
        let reading = ReadingOptions { max_tokens, ..raised };
        let error = classify(&capped, "topics", text(words.as_str()), reading).unwrap_err();
        assert_eq!(error.code(), "scan_budget_exceeded");
        assert!(error.to_string().contains("more than 256 tokens"), "{error}");
        assert!(!error.to_string().contains("raise"), "{error}");
    }
    let lowered = ReadingOptions { max_tokens: Some(100), ..raised };
    let error = classify(&capped, "topics", text(words.as_str()), lowered).unwrap_err();
    assert!(error.to_string().contains("more than 100 tokens") && error.to_string().contains("raise"), "{error}");
}

#[test]
fn a_package_names_a_scan_budget_that_the_operator_may_replace() {
    let folder = package();
    let path = folder.path().join("rtrun.json");
    let mut settings: serde_json::Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    settings["max_scan_tokens"] = 777.into();
    std::fs::write(path, settings.to_string()).unwrap();
    let of = |max_scan_tokens| {
        let mut options = options(&[("heads", folder.path())]);
        options.models[0].max_scan_tokens = max_scan_tokens;
        serde_json::to_value(open_ready(options).describe()).unwrap()[0]["limits"]["max_scan_tokens"].clone()
    };
    assert_eq!([of(None), of(Some(99))], [777, 99].map(serde_json::Value::from));
}

#[test]
fn a_budget_that_no_row_has_is_refused_where_nothing_is_cut() {
    let folder = package();
    let engine = serve(&folder);
    let error = classify(&engine, "topics", text("hello"), reading(Overflow::Reject, 99_999)).unwrap_err();
    assert!(matches!(error, Error::InvalidRequest(_)), "{error}");
    assert!(error.to_string().starts_with("max_tokens is 99999; model \"heads\" reads at most "), "{error}");
    classify(&engine, "topics", text("hello"), reading(Overflow::Truncate, 99_999)).unwrap();
}

#[test]
fn what_is_too_long_is_told_every_way_to_be_read() {
    let folder = package();
    let engine = serve(&folder);
    let words = words(&mut Random(4), 50).join(" ");
    let error = classify(&engine, "topics", text(words.as_str()), reading(Overflow::Reject, 20)).unwrap_err();
    let both = "\"truncate\" to read its beginning, or to \"window\" to read all of it";
    assert!(error.to_string().ends_with(both), "{error}");
    let mut embed = embed_task(&[words.as_str()]);
    embed.reading = reading(Overflow::Reject, 20);
    let Ok(TaskAnswer::Embeddings(answered)) = answer(&engine, embed) else { panic!("it has one answer") };
    let error = answered.items[0].as_ref().map(|_| "it was read").unwrap_err();
    assert!(error.to_string().ends_with("\"truncate\" to read its beginning"), "{error}");
}

#[test]
fn a_scan_budget_below_a_row_holds_for_every_input() {
    let folder = package();
    let engine = serve(&folder);
    let options = ReadingOptions { max_tokens: Some(12), ..windows(32, 4) };
    let grounded = |number: usize| ClassifyInput::Grounded {
        context: "fox ".repeat(number),
        question: String::new(),
        answer: "dog".to_owned(),
    };
    assert!(matches!(classify(&engine, "checked", grounded(7), options), Err(Error::ScanBudgetExceeded(_))));
    assert_eq!(classify(&engine, "checked", grounded(6), options).unwrap().0.tokens, 12);
    let pair = |number: usize| ClassifyInput::Pair("fox".to_owned(), "dog ".repeat(number));
    assert!(matches!(classify(&engine, "topics", pair(9), options), Err(Error::ScanBudgetExceeded(_))));
    assert_eq!(classify(&engine, "topics", pair(8), options).unwrap().0.tokens, 12);
    assert!(matches!(classify(&engine, "topics", text("dog ".repeat(11)), options), Err(Error::ScanBudgetExceeded(_))));
}

#[test]
fn usage_of_an_input_read_in_part_counts_what_was_read() {
    let folder = package();
    let engine = serve(&folder);
    let long = "hello ".repeat(10_000);
    let (read, _) = classify(&engine, "topics", text(long.as_str()), reading(Overflow::Truncate, 20)).unwrap();
    assert!(read.truncated && read.is_lower_bound && read.tokens > 20 && read.tokens < 2000, "{read:?}");
    assert_eq!((read.processed_tokens, read.windows), (20, 1));
    let (read, _) = classify(&engine, "topics", text("hello ".repeat(30)), reading(Overflow::Truncate, 20)).unwrap();
    assert_eq!((read.truncated, read.is_lower_bound, read.tokens, read.processed_tokens), (true, false, 32, 20));
    let (read, _) = classify(&engine, "topics", text("hello ".repeat(18)), reading(Overflow::Truncate, 20)).unwrap();
    assert_eq!((read.truncated, read.is_lower_bound, read.tokens, read.processed_tokens), (false, false, 20, 20));
    let pair = ClassifyInput::Pair(long.clone(), long);
    let (read, _) = classify(&engine, "topics", pair, reading(Overflow::Truncate, 20)).unwrap();
    assert!(read.truncated && read.is_lower_bound && read.tokens > 40, "{read:?}");
    assert_eq!(read.processed_tokens, 20);
}

#[test]
fn a_row_too_short_for_what_it_must_hold_is_an_error_of_its_input() {
    let folder = package();
    let engine = serve(&folder);
    let pair = ClassifyInput::Pair("a".to_owned(), "b".to_owned());
    let error = classify(&engine, "topics", pair, reading(Overflow::Truncate, 3)).unwrap_err();
    assert!(matches!(error, Error::MaxLengthExceeded(_)) && error.to_string().contains("a pair"), "{error}");
    let pair = ClassifyInput::Pair("fox ".repeat(20), "dog ".repeat(40));
    let error = classify(&engine, "topics", pair, windows(20, 4)).unwrap_err();
    assert!(matches!(error, Error::MaxLengthExceeded(_)) && error.to_string().contains("every window"), "{error}");
    for overflow in [Overflow::Truncate, Overflow::Window] {
        let input =
            ClassifyInput::Grounded { context: "fox ".repeat(40), question: String::new(), answer: "dog ".repeat(40) };
        let options = if overflow == Overflow::Window { windows(32, 4) } else { reading(overflow, 32) };
        let error = classify(&engine, "checked", input, options).unwrap_err();
        assert!(matches!(error, Error::MaxLengthExceeded(_)), "{error}");
    }
}

#[test]
fn texts_of_nothing_have_an_answer_without_spans() {
    let folder = package();
    let engine = serve(&folder);
    for nothing in ["", " ", " \n\t\u{3000} ", "\u{0}\u{1}"] {
        for options in [ReadingOptions::default(), windows(16, 4), reading(Overflow::Truncate, 8)] {
            let (read, found) = classify(&engine, "entities", text(nothing), options).unwrap();
            assert_eq!((read.tokens, read.processed_tokens, read.windows), (2, 2, 1), "{nothing:?}");
            assert!(found.spans.is_empty() && found.tokens.as_ref().unwrap().is_empty() && found.windows.is_empty());
            let (_, found) = classify(&engine, "domain", text(nothing), options).unwrap();
            assert_eq!(found.probabilities.len(), 4);
        }
    }
}

#[test]
fn a_pair_that_is_too_long_is_truncated_as_the_library_does_it() {
    let folder = package();
    let engine = serve(&folder);
    let mut tokenizer = Tokenizer::from_file(fixture("heads-int8").join("tokenizer.json")).unwrap();
    let mut random = Random(9);
    let mut uneven = 0;
    for round in 0..150 {
        let lengths = if round % 10 == 0 { [2000 + random.below(3); 2] } else { [random.below(70), random.below(70)] };
        let longer = random.below(3);
        let (one, other) = (words(&mut random, lengths[0]), words(&mut random, lengths[1] + longer));
        let budget = 4 + random.below(40);
        tokenizer
            .with_truncation(Some(TruncationParams { max_length: budget, ..TruncationParams::default() }))
            .unwrap();
        let encoding = tokenizer.encode((one.join(" "), other.join(" ")), true).unwrap();
        let kept = |text| encoding.get_sequence_ids().iter().filter(|of| **of == Some(text)).count();
        let room = budget - 3;
        // The library compares texts that are both longer than the row as far as it has read them, which is by words.
        let are_long = one.len() > room && other.len() > room;
        let (kept_one, kept_other) = if are_long { (room / 2, room.div_ceil(2)) } else { (kept(0), kept(1)) };
        assert!(kept(0).abs_diff(kept_one) <= 1 && kept(0) + kept(1) == kept_one + kept_other);
        uneven += usize::from(kept_one != kept_other);
        let pair = |one: &[&str], other: &[&str]| ClassifyInput::Pair(one.join(" "), other.join(" "));
        let (read, found) =
            classify(&engine, "domain", pair(&one, &other), reading(Overflow::Truncate, budget)).unwrap();
        let short = pair(&one[..kept_one], &other[..kept_other]);
        let (_, expected) = classify(&engine, "domain", short, ReadingOptions::default()).unwrap();
        assert_eq!(found.probabilities, expected.probabilities, "{lengths:?} in {budget}");
        assert_eq!(read.processed_tokens, kept_one + kept_other + 3);
        assert_eq!(read.truncated, kept_one + kept_other < one.len() + other.len());
    }
    assert!(uneven > 20);
}
