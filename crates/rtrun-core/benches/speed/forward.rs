//! One row: the engine against its own encoder, which is the bare forward with pooling.

use rtrun_core::BundleOptions;
use rtrun_core::engines::Encoder;

use crate::support::{encoder, engine, interleaved, median, milliseconds, reader, row, runtime, task, text};

pub fn forward() {
    let (reader, mut encoder, engine, runtime) = (reader(), encoder(), engine(), runtime());
    for tokens in [16, 128, 256] {
        let text = text(&reader, tokens, 1);
        let row = row(&reader, &text);
        let task = || task(std::slice::from_ref(&text));
        let [bare, whole] = interleaved(
            60,
            [&mut || drop(encoder.encode(std::slice::from_ref(&row)).unwrap()), &mut || {
                drop(runtime.block_on(engine.bundle(vec![task()], BundleOptions::default())));
            }],
        );
        let (bare, whole) = (milliseconds(median(&bare)), milliseconds(median(&whole)));
        println!(
            "1x{}: encoder {bare:.2} ms, engine {whole:.2} ms, beside the forward {:.2} ms",
            row.row.len(),
            whole - bare
        );
    }
}
