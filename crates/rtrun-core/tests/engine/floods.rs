//! Requests that would cost far more than they weigh are refused before anything is built for them.

use rtrun_core::tokens::Overflow;
use rtrun_core::{ClassifyInput, EngineOptions, Error, ReadingOptions, Task, TaskKind};

use super::heads::{classify, package, serve, windows};
use crate::support::decisions::{ask_task, choice, decision_options, noul};
use crate::support::{answer, open_ready, options, task};

fn text(words: usize) -> ClassifyInput {
    ClassifyInput::Text("fox ".repeat(words))
}

#[test]
fn windows_that_share_nearly_everything_are_refused() {
    let folder = package();
    let engine = serve(&folder);
    for (tokens, overlap, part) in [
        (64, 61, "overlap is 61; windows of 64 tokens may share at most half, 32"),
        (usize::MAX, 4, "tokens is 18446744073709551615"),
        (usize::MAX, usize::MAX, "tokens is 18446744073709551615"),
        (32, usize::MAX, "overlap is 18446744073709551615"),
        (32, usize::MAX - 1, "share at most half, 16"),
    ] {
        let error = classify(&engine, "topics", text(100), windows(tokens, overlap)).unwrap_err();
        assert!(matches!(error, Error::InvalidRequest(_)), "{error}");
        assert!(error.to_string().contains(part), "{error}");
    }
}

#[test]
fn windows_are_counted_before_they_are_made() {
    let folder = package();
    let options = EngineOptions { max_queued_tokens: 3000, ..options(&[("heads", folder.path())]) };
    let engine = open_ready(options);
    let inputs = |words| {
        [
            ("topics", text(words)),
            ("entities", text(words)),
            ("topics", ClassifyInput::Pair("so".to_owned(), "fox ".repeat(words))),
        ]
    };
    // Windows of 32 tokens that share 16 read a text of 1600 tokens more than twice.
    for (head, input) in inputs(1600) {
        let error = classify(&engine, head, input, windows(32, 16)).unwrap_err();
        assert!(matches!(error, Error::RequestTooLarge(_)), "{error}");
        assert!(error.to_string().contains("more than 3000 tokens"), "{error}");
    }
    for (head, input) in inputs(1300) {
        classify(&engine, head, input, windows(32, 1)).unwrap();
    }
    let grounded =
        ClassifyInput::Grounded { context: "fox ".repeat(1300), question: "so".to_owned(), answer: "dog ".repeat(20) };
    let error = classify(&engine, "checked", grounded, windows(40, 4)).unwrap_err();
    assert!(matches!(error, Error::RequestTooLarge(_)), "{error}");
}

#[test]
fn windows_of_a_few_tokens_are_bounded_by_their_number() {
    let folder = package();
    let engine = serve(&folder);
    let error = classify(&engine, "topics", text(40_000), windows(4, 0)).unwrap_err();
    assert!(matches!(error, Error::RequestTooLarge(_)), "{error}");
    assert!(error.to_string().contains("more than 16384 rows"), "{error}");
}

#[test]
fn what_is_over_the_limit_for_one_model_fails_all_its_tasks_and_none_of_another() {
    let folder = package();
    let options = EngineOptions { max_queued_tokens: 500, ..options(&[("heads", folder.path())]) };
    let engine = open_ready(options);
    let reading = ReadingOptions { overflow: Some(Overflow::Window), max_tokens: Some(5000), window: None };
    let input = vec![text(5), text(450), text(5)];
    let kind = TaskKind::Classify { head: Some("topics".to_owned()), input, threshold: None, with_tokens: false };
    let error = answer(&engine, Task { reading, ..task(kind) }).unwrap_err();
    assert_eq!(error.code(), "request_too_large");
}

#[test]
fn questions_times_a_long_state_are_counted_before_their_rows_are_made() {
    for name in ["marker", "packed"] {
        let options = EngineOptions { max_queued_tokens: 20_000, ..decision_options(name) };
        let engine = open_ready(options);
        let state = "the ".repeat(600);
        let mut questions: Vec<_> = (0..200).map(|at| noul(&format!("is it {at}"))).collect();
        questions.push(choice("which", &["a", "b"]));
        let refused = answer(&engine, ask_task(&state, &questions, ReadingOptions::default()));
        let error = refused.map(|_| "it was answered").unwrap_err();
        assert_eq!(error.code(), "request_too_large", "{error}");
        answer(&engine, ask_task(&state, &questions[..3], ReadingOptions::default())).unwrap();
    }
}
