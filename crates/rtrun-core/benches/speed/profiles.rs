//! The candidates of `max_speed` against `exact`, interleaved, on the package and on a BERT-base of random weights.

use std::path::Path;

use rtrun_core::engines::{Encoder, RowRequest};
use rtrun_core::graph::Reduction;
use rtrun_core::package::Package;
use rtrun_core::products::Precision;
use rtrun_core::tokens::Overflow;

use crate::support::{encoder_of, folder, interleaved, median, milliseconds, reader, row, text};

const INT8: Option<Precision> = Some(Precision::Int8);
const BF16: Option<Precision> = Some(Precision::Bf16);

const CANDIDATES: [(&str, Reduction); 3] = [
    ("int8", Reduction { usual: INT8, narrowing: INT8, kept: INT8 }),
    ("int8, kept bf16", Reduction { usual: INT8, narrowing: INT8, kept: BF16 }),
    ("bf16", Reduction { usual: BF16, narrowing: BF16, kept: BF16 }),
];

pub fn profiles() {
    compare(&folder(), 40);
    if let Ok(base) = std::env::var("RTRUN_BENCH_BASE") {
        compare(Path::new(&base), 8);
    }
}

fn compare(folder: &Path, rounds: usize) {
    println!("{}", folder.display());
    let reader = reader();
    let mut exact = encoder_of(folder, None);
    let package = Package::open("model", folder, None).unwrap();
    let texts: Vec<String> = package.golden.iter().flat_map(|golden| &golden.embeddings).map(|probe| probe.text.clone()).collect();
    let lengths = (0..32).map(|at: usize| 8 + at.pow(3) * 248 / 31_usize.pow(3));
    let mixed: Vec<RowRequest> = lengths.enumerate().map(|(seed, length)| row(&reader, &text(&reader, length, seed))).collect();
    let same = |rows: usize, tokens: usize| -> Vec<RowRequest> {
        (0..rows).map(|seed| row(&reader, &text(&reader, tokens, seed))).collect()
    };
    let probes: Vec<RowRequest> = texts.iter().map(|text| RowRequest::sentence(reader.read(text, 256, Overflow::Truncate).unwrap().ids)).chain(mixed.iter().cloned()).collect();
    let shapes = [("1x16", same(1, 16)), ("1x128", same(1, 128)), ("8x128", same(8, 128)), ("4x16", same(4, 16))];
    for (name, reduction) in CANDIDATES {
        let start = std::time::Instant::now();
        let mut reduced = encoder_of(folder, Some(reduction));
        println!("{name}: made in {:.0} ms", milliseconds(start.elapsed()));
        let cosines: Vec<f64> = probes
            .iter()
            .map(|probe| {
                let one = exact.encode(std::slice::from_ref(probe)).unwrap().remove(0).sentence.unwrap();
                let other = reduced.encode(std::slice::from_ref(probe)).unwrap().remove(0).sentence.unwrap();
                let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum::<f64>();
                dot(&one, &other) / (dot(&one, &one) * dot(&other, &other)).sqrt()
            })
            .collect();
        let least = cosines.iter().copied().fold(1.0, f64::min);
        println!("  cosine least {least:.5}, mean {:.5}", cosines.iter().sum::<f64>() / cosines.len() as f64);
        for (shape, rows) in &shapes {
            let [one, other] = interleaved(
                rounds,
                [&mut || drop(exact.encode(rows).unwrap()), &mut || drop(reduced.encode(rows).unwrap())],
            );
            let (one, other) = (milliseconds(median(&one)), milliseconds(median(&other)));
            println!("  {shape}: exact {one:.2} ms, {name} {other:.2} ms, ratio {:.2}", one / other);
        }
    }
}
