//! What a token costs in forwards of different shapes: the reason for the cap on one forward.

use rtrun_core::engines::{Encoder, RowRequest};

use crate::support::{encoder, interleaved, median};

pub fn shapes() {
    let mut encoder = encoder();
    for length in [8_usize, 16, 32, 64, 128] {
        for rows in [1, 2, 4, 8, 16, 32] {
            if length * rows > 2048 {
                continue;
            }
            let row = |seed: usize| {
                let ids: Vec<u32> = (0..length).map(|at| u32::try_from(1000 + seed * 97 + at * 13).unwrap()).collect();
                RowRequest::sentence(ids)
            };
            let batch: Vec<RowRequest> = (0..rows).map(row).collect();
            let [times] = interleaved(15, [&mut || drop(encoder.encode(&batch).unwrap())]);
            let cost = median(&times).as_secs_f64() * 1e6 / (length * rows) as f64;
            println!("{rows}x{length}: {cost:.0} µs a token");
        }
    }
}
