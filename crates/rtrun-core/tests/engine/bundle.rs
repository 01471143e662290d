use std::time::{Duration, Instant};

use rtrun_core::tokens::Overflow;
use rtrun_core::{BundleOptions, EmbeddingInput, Error, MAX_INPUTS, ReadingOptions, Task, TaskAnswer, TaskKind};

use crate::support::weights::poke;
use crate::support::{
    answer, block_on, classify_task, copy_without_manifest, embed_task, engine, fixture, forwards, open_ready, options,
    task,
};

fn max_tokens(tokens: usize) -> ReadingOptions {
    ReadingOptions { max_tokens: Some(tokens), ..ReadingOptions::default() }
}

fn overflow(overflow: Overflow) -> ReadingOptions {
    ReadingOptions { overflow: Some(overflow), ..ReadingOptions::default() }
}

#[test]
fn heads_and_vector_of_one_text_are_one_forward() {
    let engine = engine(&["heads-int8"]);
    let tasks = vec![
        Task { id: "a".to_owned(), ..classify_task("domain", &["hello world"]) },
        Task { id: "b".to_owned(), reading: overflow(Overflow::Reject), ..embed_task(&["hello world"]) },
        Task { id: "c".to_owned(), ..classify_task("topics", &["hello world"]) },
        Task { id: "d".to_owned(), ..embed_task(&["hello world"]) },
    ];
    let answer = block_on(engine.bundle(tasks, BundleOptions::default()));
    assert_eq!(answer.outcomes.iter().map(|outcome| outcome.id.as_str()).collect::<String>(), "abcd");
    assert!(answer.outcomes.iter().all(|outcome| outcome.result.is_ok()));
    assert_eq!(forwards(&engine.exposition(), "heads-int8"), 1);
}

#[test]
fn tasks_of_several_models_fail_and_succeed_on_their_own() {
    let engine = engine(&["heads-int8", "static"]);
    let of = |id: &str, model: &str, task: Task| Task { id: id.to_owned(), model: Some(model.to_owned()), ..task };
    let tasks = vec![
        of("vector", "static", embed_task(&["hello"])),
        of("missing", "none", embed_task(&["hello"])),
        of("head", "heads-int8", classify_task("none", &["hello"])),
        of("surface", "static", classify_task("domain", &["hello"])),
        of("ranking", "static", task(TaskKind::Rerank { query: "a".to_owned(), documents: vec!["b".to_owned()] })),
        of("empty", "static", embed_task(&[])),
        of("class", "heads-int8", classify_task("domain", &["hello"])),
    ];
    let outcomes = block_on(engine.bundle(tasks, BundleOptions::default())).outcomes;
    let code = |at: usize| outcomes[at].result.as_ref().map_or_else(Error::code, |_| "ok");
    let codes: Vec<&str> = (0..7).map(code).collect();
    let expected = [
        "ok",
        "model_not_found",
        "invalid_request",
        "unsupported_surface",
        "unsupported_surface",
        "invalid_request",
        "ok",
    ];
    assert_eq!(codes, expected);
}

#[test]
fn the_model_may_be_left_out_only_where_there_is_one() {
    assert!(answer(&engine(&["static"]), embed_task(&["hello"])).is_ok());
    let error = answer(&engine(&["static", "embeddings"]), embed_task(&["hello"])).unwrap_err();
    assert_eq!(error, Error::InvalidRequest("model is missing; name one of \"static\", \"embeddings\"".to_owned()));
}

#[test]
fn the_head_may_be_left_out_only_where_there_is_one() {
    let mut unnamed = classify_task("", &["hello"]);
    if let TaskKind::Classify { head, .. } = &mut unnamed.kind {
        *head = None;
    }
    assert!(answer(&engine(&["softmax"]), unnamed.clone()).is_ok());
    let error = answer(&engine(&["heads-int8"]), unnamed).unwrap_err();
    assert!(error.to_string().contains("name one of \"domain\", \"topics\""), "{error}");
}

#[test]
fn an_input_over_its_budget_fails_alone_or_is_truncated() {
    let engine = engine(&["heads-int8"]);
    let long = "hello ".repeat(100);
    match answer(&engine, classify_task("domain", &["hello", &long])).unwrap() {
        TaskAnswer::Classify(answer) => {
            assert!(answer.items[0].is_ok());
            assert!(
                matches!(answer.items[1], Err(Error::MaxLengthExceeded(_))),
                "classify rejects unless told otherwise"
            );
            assert_eq!(answer.usage.tokens, 3);
        }
        other => panic!("{other:?}"),
    }
    match answer(&engine, Task { reading: max_tokens(10), ..embed_task(&[&long]) }).unwrap() {
        TaskAnswer::Embeddings(answer) => {
            let (input, _) = answer.items[0].as_ref().unwrap();
            assert_eq!(
                (input.processed_tokens, input.truncated),
                (10, true),
                "embeddings truncate unless told otherwise"
            );
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_budget_below_one_word_is_refused_and_one_above_the_model_is_the_models() {
    let engine = engine(&["embeddings"]);
    let error = answer(&engine, Task { reading: max_tokens(2), ..embed_task(&["hello"]) }).unwrap_err();
    assert!(error.to_string().contains("needs at least 3"), "{error}");
    assert!(answer(&engine, Task { reading: max_tokens(100_000), ..embed_task(&["hello"]) }).is_ok());
}

#[test]
fn another_length_of_vectors_than_the_declared_one_is_refused() {
    let engine = engine(&["static"]);
    let of = |dimensions| {
        let input = vec![EmbeddingInput::Text("hello".to_owned())];
        task(TaskKind::Embeddings { input, dimensions: Some(dimensions), layer: None, input_type: None })
    };
    assert!(answer(&engine, of(32)).is_ok());
    let error = answer(&engine, of(16)).unwrap_err();
    assert_eq!(error, Error::InvalidRequest("dimensions is 16; model \"static\" has vectors of 32 only".to_owned()));
}

#[test]
fn too_many_inputs_are_refused() {
    let engine = engine(&["static"]);
    let texts = vec!["hello"; MAX_INPUTS + 1];
    assert!(matches!(answer(&engine, embed_task(&texts)), Err(Error::InvalidRequest(_))));
    assert!(answer(&engine, embed_task(&texts[1..])).is_ok());
}

#[test]
fn a_word_whose_vector_is_not_a_number_fails_only_the_texts_that_hold_it() {
    let folder = copy_without_manifest("embeddings");
    std::fs::remove_file(folder.path().join("golden.json")).unwrap();
    let tokenizer = std::fs::read_to_string(folder.path().join("tokenizer.json")).unwrap();
    let tokenizer: serde_json::Value = serde_json::from_str(&tokenizer).unwrap();
    let fox = usize::try_from(tokenizer["model"]["vocab"]["fox"].as_u64().unwrap()).unwrap();
    poke(&folder.path().join("model.safetensors"), "embeddings.word_embeddings.weight", fox * 64, f32::NAN);
    let engine = open_ready(options(&[("poisoned", folder.path())]));
    match answer(&engine, embed_task(&["hello", "a fox", "world"])).unwrap() {
        TaskAnswer::Embeddings(answer) => {
            assert!(answer.items[0].is_ok() && answer.items[2].is_ok());
            assert!(matches!(answer.items[1], Err(Error::InvalidModelOutput(_))));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_deadline_that_has_passed_fails_the_task() {
    let engine = open_ready(options(&[("embeddings", &fixture("embeddings"))]));
    let deadline = Some(Instant::now().checked_sub(Duration::from_millis(1)).unwrap());
    let mut answer = block_on(engine.bundle(vec![embed_task(&["hello"])], BundleOptions { deadline, source: None }));
    assert!(matches!(answer.outcomes.remove(0).result, Err(Error::DeadlineExceeded(_))));
}

#[test]
fn a_closed_engine_is_not_ready() {
    let engine = engine(&["static"]);
    engine.close(Duration::ZERO);
    assert!(matches!(answer(&engine, embed_task(&["hello"])), Err(Error::NotReady(_))));
}
