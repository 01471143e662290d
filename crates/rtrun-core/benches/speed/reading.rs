//! From text to row: the reader against plain tokenization of the whole text, for every tokenizer type.

use std::hint::black_box;
use std::path::Path;

use rtrun_core::tokens::{Overflow, TextReader};
use tokenizers::Tokenizer;

use crate::support::{folder, interleaved, median};

/// The small tokenizers of the tests; `RTRUN_BENCH_TOKENIZERS` names a folder with others.
fn fixtures() -> Vec<(String, Vec<u8>)> {
    let default = || Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/tokenizers");
    let folder = std::env::var_os("RTRUN_BENCH_TOKENIZERS").map_or_else(default, Into::into);
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> = entries.filter(|path| path.extension().is_some_and(|end| end == "json")).collect();
    files.sort();
    let name = |path: &Path| path.file_stem().unwrap().to_string_lossy().into_owned();
    files.iter().map(|path| (name(path), std::fs::read(path).unwrap())).collect()
}

pub fn reading() {
    let model = std::fs::read(folder().join("tokenizer.json")).unwrap();
    for (name, json) in [("model".to_owned(), model)].into_iter().chain(fixtures()) {
        println!("-- {name}");
        one_type(&json);
    }
}

fn one_type(json: &[u8]) {
    let mut plain = Tokenizer::from_bytes(json).unwrap();
    plain.with_padding(None);
    plain.with_truncation(None).unwrap();
    let start = std::time::Instant::now();
    let reader = TextReader::new(json, true).unwrap();
    println!("opening and checking it: {:.0} ms", start.elapsed().as_secs_f64() * 1e3);
    let prose = "The city council met on Tuesday to discuss, among other things, the new bridge (see page 7). ";
    let mut short = prose.repeat(8);
    while plain.encode_fast(short.as_str(), true).unwrap().len() > 128 {
        short.truncate(short.len() - 1);
    }
    let megabyte = |seed: &str| seed.repeat((1 << 20) / seed.len());
    let large = ["a1b2c3d4", " ", "中"].map(|seed| (format!("1 MB of {seed:?}"), megabyte(seed)));
    let texts = [("128 tokens".to_owned(), short), ("1 MB of prose".to_owned(), megabyte(prose))];
    for (name, text) in texts.into_iter().chain(large) {
        let rounds = if text.len() > 10_000 { 3 } else { 200 };
        let times = interleaved(
            rounds,
            [
                &mut || drop(black_box(plain.encode_fast(text.as_str(), false).unwrap())),
                &mut || drop(black_box(reader.tokens(&text, 256).unwrap())),
                &mut || drop(black_box(reader.placed_tokens(&text, 256).unwrap())),
                &mut || drop(black_box(reader.read(&text, 256, Overflow::Reject))),
            ],
        );
        let [whole, tokens, placed, rejected] = times.map(|times| median(&times).as_secs_f64() * 1e6);
        println!(
            "{name}: whole {whole:.0} µs, first 256 tokens {tokens:.1} µs, with places {placed:.1} µs, \
             read or rejected {rejected:.1} µs"
        );
    }
}
