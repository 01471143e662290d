//! Thirty-two texts of 8 to 256 tokens: the engine's packing against one padded forward and against one by one.

use rtrun_core::BundleOptions;
use rtrun_core::engines::{Encoder, RowRequest};

use crate::support::{encoder, engine, interleaved, median, milliseconds, reader, row, runtime, task, text};

pub fn mixed() {
    let (reader, engine, runtime) = (reader(), engine(), runtime());
    let encoder = std::cell::RefCell::new(encoder());
    // Lengths as they are met: many short, few long.
    let lengths: Vec<usize> = (0..32).map(|at: usize| 8 + at.pow(3) * 248 / 31_usize.pow(3)).collect();
    let texts: Vec<String> = lengths.iter().enumerate().map(|(seed, length)| text(&reader, *length, seed)).collect();
    let rows: Vec<RowRequest> = texts.iter().map(|text| row(&reader, text)).collect();
    let task = || task(&texts);
    let [padded, single, packed] = interleaved(
        12,
        [
            &mut || drop(encoder.borrow_mut().encode(&rows).unwrap()),
            &mut || {
                for row in &rows {
                    encoder.borrow_mut().encode(std::slice::from_ref(row)).unwrap();
                }
            },
            &mut || drop(runtime.block_on(engine.bundle(vec![task()], BundleOptions::default()))),
        ],
    );
    let [padded, single, packed] = [padded, single, packed].map(|times| milliseconds(median(&times)));
    let tokens: usize = rows.iter().map(|request| request.row.len()).sum();
    println!("{tokens} tokens: one padded forward {padded:.0} ms, one by one {single:.0} ms, engine {packed:.0} ms");
    println!("engine / padded {:.2}, engine / one by one {:.2}", packed / padded, packed / single);
}
