//! `max_speed` against `exact`: what the agreement test says of the package, then every candidate interleaved with the
//! exact encoder. `RTRUN_BENCH_MODEL` names the package, for example a BERT-base of random weights.

use std::time::Instant;

use rtrun_core::engines::{Encoder, RowRequest};
use rtrun_core::model::rungs;
use rtrun_core::package::{Dtype, Package};
use rtrun_core::{Engine, EngineOptions, ModelOptions};

use crate::support::{
    encoder, folder, interleaved, library, median, milliseconds, reader, reduced_encoder, row, runtime, text, threads,
};

pub fn profiles() {
    let verdicts = tempfile::tempdir().unwrap();
    for attempt in ["first", "second"] {
        let start = Instant::now();
        let model = ModelOptions {
            name: "model".to_owned(),
            path: folder(),
            profile: Some("max_speed".to_owned()),
            ..ModelOptions::default()
        };
        let engine = Engine::open(EngineOptions {
            runtime_library: library(),
            threads: threads(),
            models: vec![model],
            verdicts: Some(verdicts.path().to_owned()),
            ..EngineOptions::default()
        })
        .unwrap();
        runtime().block_on(engine.ready());
        let report = engine.model(None).unwrap().profile.clone();
        println!("{attempt} load {:.0} ms: {report:?}", milliseconds(start.elapsed()));
    }
    let reader = reader();
    let same = |rows: usize, tokens: usize| -> Vec<RowRequest> {
        (0..rows).map(|seed| row(&reader, &text(&reader, tokens, seed))).collect()
    };
    // Lengths as they are met, in the forwards that packing makes of them.
    let lengths = (0..32).map(|at: usize| 8 + at.pow(3) * 248 / 31_usize.pow(3));
    let mixed: Vec<RowRequest> =
        lengths.enumerate().map(|(seed, length)| row(&reader, &text(&reader, length, seed))).collect();
    let mixed: Vec<Vec<RowRequest>> =
        mixed.chunk_by(|one, other| other.row.len() * 9 <= one.row.len() * 10).map(<[RowRequest]>::to_vec).collect();
    let shapes = [
        ("1x16", vec![same(1, 16)]),
        ("1x128", vec![same(1, 128)]),
        ("8x128", vec![same(8, 128)]),
        ("32 mixed", mixed),
    ];
    let package = Package::open("model", &folder(), None).unwrap();
    let weights = package.weights().unwrap();
    let has_bytes = weights.names().iter().any(|name| weights.place(name).is_ok_and(|place| place.dtype == Dtype::I8));
    let mut exact = encoder();
    let run = |encoder: &mut dyn Encoder, forwards: &[Vec<RowRequest>]| {
        for rows in forwards {
            encoder.encode(rows).unwrap();
        }
    };
    for rung in rungs(has_bytes) {
        let mut reduced = reduced_encoder(rung.reduction);
        println!("{}", rung.name);
        for (shape, forwards) in &shapes {
            let [one, other] =
                interleaved(16, [&mut || run(&mut exact, forwards), &mut || run(&mut reduced, forwards)]);
            let ratios: Vec<f64> =
                one.iter().zip(&other).map(|(one, other)| one.as_secs_f64() / other.as_secs_f64()).collect();
            let (one, other) = (milliseconds(median(&one)), milliseconds(median(&other)));
            println!(
                "  {shape}: exact {one:.2} ms, reduced {other:.2} ms, ratio {:.2}, at the quickest {:.2}",
                one / other,
                ratios[0]
            );
        }
    }
}
