//! From the probabilities of words to spans: every label on its own, so that spans of two labels may overlap.

use std::ops::Range;

use crate::families::FoundSpan;
use crate::tokens::Place;

/// A word of the state. Its first token speaks for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Word {
    /// The first of its tokens.
    pub token: usize,
    /// First byte.
    pub start: usize,
    /// One more than the last byte.
    pub end: usize,
}

/// The words of the tokens at these places.
pub fn words(places: &[Place]) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    for (token, place) in places.iter().enumerate() {
        let (start, end) = (place.start as usize, place.end as usize);
        match words.last_mut() {
            Some(word) if places[word.token].word == place.word => word.end = end,
            _ => words.push(Word { token, start, end }),
        }
    }
    words
}

/// The words that begin in a window.
pub fn words_in(words: &[Word], window: &Range<usize>) -> Range<usize> {
    let before = |token: usize| words.partition_point(|word| word.token < token);
    before(window.start)..before(window.end)
}

/// The stretches of words whose probability, `[words, labels]`, reaches the threshold.
pub fn stretches(words: &[Word], probabilities: &[f32], labels: usize, threshold: f32) -> Vec<FoundSpan> {
    let mut found = Vec::new();
    for label in 0..labels {
        let mut open: Option<(FoundSpan, f32)> = None;
        for (at, word) in words.iter().enumerate() {
            let probability = probabilities[at * labels + label];
            if probability < threshold {
                found.extend(open.take().map(|(span, _)| span));
                continue;
            }
            if let Some((span, count)) = &mut open {
                span.end = word.end;
                span.probability = (span.probability * *count + probability) / (*count + 1.0);
                *count += 1.0;
            } else {
                open = Some((FoundSpan { kind: label, start: word.start, end: word.end, probability }, 1.0));
            }
        }
        found.extend(open.map(|(span, _)| span));
    }
    found
}
