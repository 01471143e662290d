//! Four models of one process that all have more work than they can do: what they reach together against one alone, and
//! whether each gets its share.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use rtrun_core::{BundleOptions, Engine, Task};

use crate::support::{engine_with, reader, runtime, task, text};

const MODELS: usize = 4;
const WATCHED: Duration = Duration::from_secs(8);

pub fn neighbours() {
    let names: Vec<String> = (0..MODELS).map(|at| format!("model-{at}")).collect();
    let engine = engine_with(&names);
    let reader = reader();
    // One model reads long texts: it shall get no more of the processors than the others.
    let texts: Vec<Vec<String>> = (0..MODELS)
        .map(|model| {
            let tokens = if model == 0 { 256 } else { 64 };
            (0..40).map(|seed| text(&reader, tokens, seed * MODELS + model)).collect()
        })
        .collect();
    let alone: Vec<f64> = (0..MODELS).map(|model| rates(&engine, &names, &texts, &[model])[0]).collect();
    let together = rates(&engine, &names, &texts, &[0, 1, 2, 3]);
    let shares: Vec<f64> = together.iter().zip(&alone).map(|(together, alone)| together / alone).collect();
    for ((name, share), alone) in names.iter().zip(&shares).zip(&alone) {
        println!("{name}: {alone:.1} calls/s alone, {share:.2} of that beside the others");
    }
    println!("together {:.2} of one model at a time", shares.iter().sum::<f64>());
}

/// Calls a second of each of these models while two callers keep each busy.
fn rates(engine: &Arc<Engine>, names: &[String], texts: &[Vec<String>], models: &[usize]) -> Vec<f64> {
    let runtime = runtime();
    let is_over = Arc::new(AtomicBool::new(false));
    let start = Instant::now();
    let counts: Vec<Arc<AtomicUsize>> = models.iter().map(|_| Arc::default()).collect();
    let callers: Vec<_> = models
        .iter()
        .zip(&counts)
        .flat_map(|(model, count)| [(*model, count, 0), (*model, count, 20)])
        .map(|(model, count, first)| {
            let (engine, is_over, count) = (Arc::clone(engine), Arc::clone(&is_over), Arc::clone(count));
            let tasks: Vec<Task> = texts[model][first..first + 20]
                .iter()
                .map(|text| Task { model: Some(names[model].clone()), ..task(std::slice::from_ref(text)) })
                .collect();
            runtime.spawn(async move {
                for task in tasks.iter().cycle() {
                    if is_over.load(Ordering::SeqCst) {
                        break;
                    }
                    drop(engine.bundle(vec![task.clone()], BundleOptions::default()).await);
                    count.fetch_add(1, Ordering::SeqCst);
                }
            })
        })
        .collect();
    std::thread::sleep(WATCHED);
    let seconds = start.elapsed().as_secs_f64();
    let rates = counts.iter().map(|count| count.load(Ordering::SeqCst) as f64 / seconds).collect();
    is_over.store(true, Ordering::SeqCst);
    runtime.block_on(async {
        for caller in callers {
            caller.await.unwrap();
        }
    });
    rates
}
