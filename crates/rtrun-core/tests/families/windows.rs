//! States longer than a row: windows against a brute-force oracle, truncation, budgets, empty states.

use rtrun_core::tokens::Overflow;
use rtrun_core::{Answer, Question, ReadingOptions};

use crate::support::decisions::{ask_valid, ask_with, choice, decision_engine, noul, set, span};

fn overflow(overflow: Overflow) -> ReadingOptions {
    ReadingOptions { overflow: Some(overflow), ..ReadingOptions::default() }
}

/// One token a word, so that texts can be cut by words.
fn long_state(words: usize) -> Vec<&'static str> {
    let known = ["order", "text", "card", "hello", "world", "refund", "level", "for", "it", "of", "to"];
    (0..words).map(|at| known[(at * at + at / 3) % known.len()]).collect()
}

/// What a window of a model is: the tokens of a row beside those that an empty state takes.
fn room(engine: &std::sync::Arc<rtrun_core::Engine>, question: &Question, row: usize) -> usize {
    row - ask_with(engine, "", std::slice::from_ref(question), ReadingOptions::default()).usage.tokens
}

/// The windows of the state as texts, cut as the layout says it.
fn windows(words: &[&str], room: usize) -> Vec<String> {
    let step = room - (room / 4).min(512);
    let mut texts = Vec::new();
    for start in (0..).step_by(step) {
        let end = (start + room).min(words.len());
        texts.push(words[start..end].join(" "));
        if end == words.len() {
            return texts;
        }
    }
    unreachable!()
}

fn logits(answer: &Answer) -> Vec<f32> {
    match answer {
        Answer::Choice { probabilities, .. } | Answer::Score { probabilities, .. } => {
            probabilities.iter().map(|value| value.ln()).collect()
        }
        Answer::Set { probabilities, .. } => probabilities.iter().map(|value| (value / (1.0 - value)).ln()).collect(),
        Answer::Noul { noul, .. } => vec![(1.0 - noul).ln(), noul.ln()],
        Answer::Span { .. } => panic!("spans are compared by place"),
    }
}

#[test]
fn the_windows_of_a_choice_are_averaged_and_those_of_a_set_are_united() {
    for (name, row) in [("marker-plain", 96), ("packed", 384), ("marker", 640)] {
        let engine = decision_engine(name);
        let mut asked = vec![choice("which is it", &["a", "b", "c"]), noul("is it an order")];
        if name != "marker-plain" {
            asked.push(set("what is in it", &["order", "card"]));
        }
        for question in asked {
            let words = long_state(2 * row);
            let parts = windows(&words, room(&engine, &question, row));
            assert!(parts.len() > 2, "{name}");
            let found = ask_valid(&engine, &words.join(" "), std::slice::from_ref(&question)).remove(0);
            let alone: Vec<Vec<f32>> = parts
                .iter()
                .map(|part| logits(&ask_valid(&engine, part, std::slice::from_ref(&question))[0]))
                .collect();
            let options = alone[0].len();
            let over = |option: usize| alone.iter().map(move |logits| logits[option]);
            let expected: Vec<f32> = (0..options)
                .map(|option| match &found {
                    Answer::Set { .. } => over(option).fold(f32::NEG_INFINITY, f32::max),
                    _ => over(option).sum::<f32>() / alone.len() as f32,
                })
                .collect();
            // Differences of logits are what probabilities keep of them.
            let is_set = matches!(found, Answer::Set { .. });
            let shown = |values: &[f32], at: usize| if is_set { values[at] } else { values[at] - values[0] };
            let found = logits(&found);
            for option in 0..options {
                let (one, other) = (shown(&found, option), shown(&expected, option));
                assert!((one - other).abs() < 2e-3, "{name} {question:?}: {one} and {other}");
            }
        }
    }
}

#[test]
fn the_spans_of_windows_are_united() {
    let engine = decision_engine("marker");
    let question = span("where", &["order", "card"]);
    let words = long_state(1300);
    // Random weights make words alike, so the threshold is put a little below the likeliest.
    let Answer::Span { noul, .. } = ask_valid(&engine, &words.join(" "), std::slice::from_ref(&question)).remove(0)
    else {
        panic!()
    };
    let question = Question { threshold: Some(noul - 0.015), ..question };
    let room = room(&engine, &question, 640);
    let step = room - room / 4;
    let Answer::Span { spans: found, noul, .. } =
        ask_valid(&engine, &words.join(" "), std::slice::from_ref(&question)).remove(0)
    else {
        panic!()
    };
    // Offsets of a window in its text become those in the whole text; pieces of one label that overlap are joined.
    let mut pieces: Vec<(String, usize, usize)> = Vec::new();
    let mut likeliest = 0.0_f32;
    for (index, part) in windows(&words, room).iter().enumerate() {
        let before = words[..index * step].iter().map(|word| word.len() + 1).sum::<usize>();
        let Answer::Span { spans, noul, .. } = ask_valid(&engine, part, std::slice::from_ref(&question)).remove(0)
        else {
            panic!()
        };
        likeliest = likeliest.max(noul);
        pieces.extend(spans.into_iter().map(|span| (span.label, before + span.start, before + span.end)));
    }
    pieces.sort();
    let mut joined: Vec<(String, usize, usize)> = Vec::new();
    for piece in pieces {
        match joined.last_mut() {
            Some(last) if last.0 == piece.0 && piece.1 < last.2 => last.2 = last.2.max(piece.2),
            _ => joined.push(piece),
        }
    }
    let mut found: Vec<_> = found.into_iter().map(|span| (span.label, span.start, span.end)).collect();
    found.sort();
    assert!(found.len() > 4, "{found:?}");
    assert_eq!(found, joined);
    assert!((noul - likeliest).abs() < 1e-5);
}

#[test]
fn truncation_reads_one_row_and_says_so() {
    for (name, row) in [("marker-plain", 96), ("packed", 384)] {
        let engine = decision_engine(name);
        let question = choice("which is it", &["a", "b"]);
        let words = long_state(400);
        let room = room(&engine, &question, row);
        let asked = std::slice::from_ref(&question);
        let cut = ask_with(&engine, &words.join(" "), asked, overflow(Overflow::Truncate));
        assert_eq!(
            cut.answers[0],
            ask_with(&engine, &words[..room].join(" "), asked, ReadingOptions::default()).answers[0]
        );
        // One token more than a row has room for, and far more.
        for read in [room + 1, 400] {
            let cut = ask_with(&engine, &words[..read].join(" "), asked, overflow(Overflow::Truncate));
            assert!(cut.usage.is_lower_bound && cut.usage.tokens > row, "{read} of {room}: {:?}", cut.usage);
        }
        let whole = ask_with(&engine, &words[..room].join(" "), asked, overflow(Overflow::Truncate));
        assert_eq!((whole.usage.is_lower_bound, whole.usage.tokens), (false, row));
        let rejected = ask_with(&engine, &words.join(" "), asked, overflow(Overflow::Reject));
        assert_eq!(rejected.answers[0].as_ref().unwrap_err().code(), "max_length_exceeded");
    }
}

#[test]
fn a_state_over_its_scan_budget_is_not_read_at_all() {
    for name in ["marker", "packed"] {
        let engine = decision_engine(name);
        let before = crate::support::forwards(&engine.exposition(), name);
        let reading = ReadingOptions { max_tokens: Some(50), ..ReadingOptions::default() };
        let words = long_state(51);
        let asked = [choice("which is it", &["a", "b"])];
        let over = ask_with(&engine, &words.join(" "), &asked, reading);
        let error = over.answers[0].as_ref().unwrap_err();
        assert_eq!(error.code(), "scan_budget_exceeded");
        assert!(error.to_string().contains("more than 50 tokens"), "{error}");
        assert_eq!(crate::support::forwards(&engine.exposition(), name), before);
        assert!(ask_with(&engine, &words[..50].join(" "), &asked, reading).answers[0].is_ok());
    }
}

#[test]
fn usage_counts_the_question_once_and_the_whole_state() {
    let engine = decision_engine("marker-plain");
    let question = noul("is it");
    let words = long_state(200);
    let asked = std::slice::from_ref(&question);
    let room = room(&engine, &question, 96);
    let fixed = 96 - room;
    let state = ask_with(&engine, &words.join(" "), asked, ReadingOptions::default());
    assert_eq!(state.usage.tokens, fixed + 200);
    assert!(!state.usage.is_lower_bound);
}
