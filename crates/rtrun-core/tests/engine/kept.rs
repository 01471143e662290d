//! Kept answers are given only to those who ask for the same.

use std::sync::Arc;

use rtrun_core::{Classified, ClassifyInput, Engine, EngineOptions, TaskAnswer, TaskKind};

use super::heads;
use crate::support::{answer, counter, open_ready, options, task};

const TEXT: &str = "hello world the quick brown fox jump over lazy dog . ! text token emoji so end";

/// What a token head says about the text.
fn ask(engine: &Arc<Engine>, threshold: Option<f32>, with_tokens: bool) -> Classified {
    let input = vec![ClassifyInput::Text(TEXT.to_owned())];
    let kind = TaskKind::Classify { head: Some("entities".to_owned()), input, threshold, with_tokens };
    match answer(engine, task(kind)) {
        Ok(TaskAnswer::Classify(mut answer)) => Arc::unwrap_or_clone(answer.items.remove(0).unwrap().1),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_token_head_asked_otherwise_answers_otherwise() {
    let folder = heads::package();
    let forgetful = heads::serve(&folder);
    let engine = open_ready(EngineOptions { result_cache_entries: 100, ..options(&[("heads", folder.path())]) });
    let questions = [(None, false), (Some(0.9), false), (Some(0.1), false), (None, true), (Some(0.9), true)];
    for (threshold, with_tokens) in questions {
        let expected = ask(&forgetful, threshold, with_tokens);
        for time in ["first", "kept"] {
            assert_eq!(ask(&engine, threshold, with_tokens), expected, "{time}: {threshold:?}, tokens {with_tokens}");
        }
    }
    let spans = |threshold| ask(&forgetful, threshold, false).spans;
    assert!(spans(Some(0.9)) != spans(Some(0.1)), "the test has lost its subject");
    let lookups = |outcome: &str| {
        let name = format!("rtrun_result_cache_total{{model=\"heads\",outcome=\"{outcome}\"}}");
        counter(&engine.exposition(), &name)
    };
    assert_eq!((lookups("miss"), lookups("hit")), (5, 5));
}
