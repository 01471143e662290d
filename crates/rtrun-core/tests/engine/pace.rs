//! How large requests are read: in turns, within their deadline, against the limits of the queue.

use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::ThreadId;
use std::time::{Duration, Instant};

use rtrun_core::tokens::Overflow;
use rtrun_core::{
    BundleAnswer, BundleOptions, ClassifyInput, Engine, EngineOptions, FaultPlace, Faults, ReadingOptions, Task,
    TaskKind,
};
use tempfile::TempDir;

use super::heads::package;
use crate::support::{block_on, classify_task, counter, open_ready, options, task};

/// Two models over one package, each with room for `requests` requests.
fn serve(folder: &TempDir, requests: usize) -> Arc<Engine> {
    let models = options(&[("one", folder.path()), ("other", folder.path())]);
    open_ready(EngineOptions { max_queue: requests, ..models })
}

/// Texts that take a while to read and one forward to answer: all begin alike and are cut there.
fn large(model: &str, texts: usize) -> Task {
    let long = "hello world fox ".repeat(3000);
    let input = (0..texts).map(|at| ClassifyInput::Text(format!("{long} {at}"))).collect();
    let kind = TaskKind::Classify { head: Some("topics".to_owned()), input, threshold: None, with_tokens: false };
    let reading = ReadingOptions { overflow: Some(Overflow::Truncate), max_tokens: Some(16), window: None };
    Task { model: Some(model.to_owned()), reading, ..task(kind) }
}

async fn ask(engine: &Arc<Engine>, task: Task, deadline: Option<Instant>) -> Option<&'static str> {
    let BundleAnswer { mut outcomes, .. } = engine.bundle(vec![task], BundleOptions { deadline, source: None }).await;
    outcomes.remove(0).result.err().map(|error| error.code())
}

fn lookups(engine: &Engine) -> u64 {
    let metrics = engine.exposition();
    let count =
        |outcome| counter(&metrics, &format!("rtrun_result_cache_total{{model=\"one\",outcome=\"{outcome}\"}}"));
    count("hit") + count("miss")
}

fn depth(engine: &Engine) -> u64 {
    counter(&engine.exposition(), "rtrun_queue_depth{model=\"one\"}")
}

#[test]
fn nothing_is_read_past_the_deadline() {
    let folder = package();
    let engine = serve(&folder, 256);
    assert_eq!(block_on(ask(&engine, large("one", 400), Some(Instant::now()))), Some("deadline_exceeded"));
    assert_eq!(lookups(&engine), 0);
    assert_eq!(block_on(ask(&engine, large("one", 20), None)), None);
    assert_eq!(lookups(&engine), 20);
}

#[test]
fn a_request_counts_while_it_is_read_and_not_after_its_client_has_left() {
    let folder = package();
    let engine = serve(&folder, 2);
    block_on(async {
        let read = |task| {
            let engine = Arc::clone(&engine);
            tokio::spawn(async move { ask(&engine, task, None).await })
        };
        let first = [read(large("one", 400)), read(large("one", 400))];
        tokio::task::yield_now().await;
        assert_eq!(depth(&engine), 2);
        assert_eq!(ask(&engine, large("one", 20), None).await, Some("overloaded"));
        assert_eq!(ask(&engine, large("other", 20), None).await, None);
        first.iter().for_each(tokio::task::JoinHandle::abort);
        while depth(&engine) > 0 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        assert_eq!(lookups(&engine), 0, "a request was read to its end");
        assert_eq!(ask(&engine, large("one", 20), None).await, None);
    });
}

#[test]
fn a_smaller_request_waits_for_slices_of_larger_ones_and_not_for_their_end() {
    let folder = package();
    let engine = serve(&folder, 256);
    for model in ["one", "other"] {
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_all().max_blocking_threads(1).build().unwrap();
        let order = Arc::new(Mutex::new(Vec::new()));
        let requests = [("one", 1500), ("one", 1501), ("one", 1502), (model, 15)];
        runtime.block_on(async {
            let read = |(model, texts)| {
                let (engine, order) = (Arc::clone(&engine), Arc::clone(&order));
                tokio::spawn(async move {
                    assert_eq!(ask(&engine, large(model, texts), None).await, None);
                    order.lock().unwrap().push(texts);
                })
            };
            for request in requests.map(read) {
                request.await.unwrap();
            }
        });
        assert_eq!(order.lock().unwrap()[0], 15, "{order:?}");
    }
}

/// Faults that tell where they are asked.
fn told(places: Sender<(FaultPlace, ThreadId)>) -> Faults {
    Faults::new(move |place| {
        let _ = places.send((place, std::thread::current().id()));
    })
}

#[test]
fn a_large_answer_is_made_beside_the_thread_that_asks() {
    let folder = package();
    let (places, seen) = channel();
    let models = options(&[("one", folder.path())]);
    let engine = open_ready(EngineOptions { faults: told(places), ..models });
    for (texts, is_beside) in [(15, false), (1500, true)] {
        assert_eq!(block_on(ask(&engine, large("one", texts), None)), None);
        let answering = seen.try_iter().find(|(place, _)| *place == FaultPlace::Answering);
        assert_eq!(answering.unwrap().1 != std::thread::current().id(), is_beside, "{texts} texts");
    }
}

#[test]
fn a_model_does_not_wait_for_what_another_one_of_the_bundle_reads() {
    let folder = package();
    let (computed, others) = channel();
    let others = Mutex::new(others);
    let asking = std::thread::current().id();
    let faults = Faults::new(move |place| match place {
        FaultPlace::Owner => computed.send(()).unwrap(),
        // What is large is read on another thread, here not before the small one has been computed.
        FaultPlace::Reading if std::thread::current().id() != asking => {
            others.lock().unwrap().recv_timeout(Duration::from_mins(1)).unwrap();
        }
        _ => {}
    });
    let models = options(&[("one", folder.path()), ("other", folder.path())]);
    let engine = open_ready(EngineOptions { faults, ..models });
    let small = Task { id: "small".to_owned(), model: Some("other".to_owned()), ..classify_task("topics", &["hello"]) };
    let answer = block_on(engine.bundle(vec![large("one", 20), small], BundleOptions::default()));
    assert!(answer.outcomes.iter().all(|outcome| outcome.result.is_ok()), "{:?}", answer.outcomes);
}
