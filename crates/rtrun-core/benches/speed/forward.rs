//! One row: the engine against its own encoder, which is the bare forward with pooling.

use rtrun_core::engines::Encoder;
use rtrun_core::{BundleOptions, Task, TaskKind};

use crate::support::{encoder, engine, interleaved, median, milliseconds, reader, row, runtime, text};

pub fn forward() {
    let (reader, mut encoder, engine, runtime) = (reader(), encoder(), engine(), runtime());
    for tokens in [16, 128, 256] {
        let text = text(&reader, tokens, 1);
        let row = row(&reader, &text);
        let task = || Task {
            id: "t".to_owned(),
            model: None,
            kind: TaskKind::Embeddings { dimensions: None },
            input: vec![text.clone()],
            overflow: None,
            max_tokens: None,
        };
        let [bare, whole] = interleaved(
            60,
            [&mut || drop(encoder.encode(std::slice::from_ref(&row)).unwrap()), &mut || {
                drop(runtime.block_on(engine.bundle(vec![task()], BundleOptions::default())));
            }],
        );
        let (bare, whole) = (milliseconds(median(&bare)), milliseconds(median(&whole)));
        println!(
            "1x{}: encoder {bare:.2} ms, engine {whole:.2} ms, beside the forward {:.2} ms",
            row.len(),
            whole - bare
        );
    }
}
