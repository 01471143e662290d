//! From text to row: the reader against plain tokenization of the whole text.

use std::hint::black_box;

use rtrun_core::tokens::{Overflow, TextReader};
use tokenizers::Tokenizer;

use crate::support::{folder, interleaved, median, reader, text};

pub fn reading() {
    let json = std::fs::read(folder().join("tokenizer.json")).unwrap();
    let mut plain = Tokenizer::from_bytes(&json).unwrap();
    plain.with_padding(None);
    plain.with_truncation(None).unwrap();
    let reader = reader();
    let texts = [16, 128, 256].map(|tokens| (format!("{tokens} tokens"), text(&reader, tokens, 7)));
    let prose = "The city council met on Tuesday to discuss, among other things, the new bridge (see page 7). ";
    let large = ("1 MB of prose".to_owned(), prose.repeat((1 << 20) / prose.len()));
    let run = ("1 MB without a boundary".to_owned(), "a1b2c3d4".repeat(1 << 17));
    for (name, text) in texts.into_iter().chain([large, run]) {
        let [whole, truncated, rejected] = interleaved(
            if text.len() > 10_000 { 5 } else { 200 },
            [
                &mut || drop(black_box(plain.encode_fast(text.as_str(), true).unwrap())),
                &mut || drop(black_box(reader.read(&text, 256, Overflow::Truncate).unwrap())),
                &mut || drop(black_box(reader.read(&text, 256, Overflow::Reject))),
            ],
        );
        let [whole, truncated, rejected] = [whole, truncated, rejected].map(|times| median(&times).as_secs_f64() * 1e6);
        println!("{name}: whole {whole:.0} µs, truncated to 256 {truncated:.1} µs, rejected over 256 {rejected:.1} µs");
    }
    let start = std::time::Instant::now();
    let _ = black_box(TextReader::new(&json, true).unwrap());
    println!("opening and checking a tokenizer: {:.0} ms", start.elapsed().as_secs_f64() * 1e3);
}
