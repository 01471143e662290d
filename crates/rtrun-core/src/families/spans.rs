//! From the labels of tokens to the spans of a text.

use unicode_categories::UnicodeCategories;

use crate::question::Span;
use crate::tokens::Place;

/// How token labels stand for spans: the labels of BIO and BIOES schemes, or plain labels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scheme {
    /// The kinds of spans.
    pub kinds: Vec<String>,
    /// Per token label its kind and its part, `None` for the label of tokens outside all spans.
    roles: Vec<Option<(usize, Part)>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    /// B and S: a span begins here.
    First,
    /// I, E and plain labels: the span before may go on.
    Inside,
}

/// A span in bytes of the text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FoundSpan {
    /// Index into [`Scheme::kinds`].
    pub kind: usize,
    /// First byte.
    pub start: usize,
    /// One more than the last byte.
    pub end: usize,
    /// Mean over its words of their probability, the largest where windows overlap.
    pub probability: f32,
}

impl Scheme {
    /// The scheme of these token labels. `background` names the label outside all spans where it is not "O".
    pub fn of(labels: &[String], background: Option<&str>) -> Self {
        let outside = background.unwrap_or("O");
        let tagged =
            |label: &str| label.get(..2).is_some_and(|tag| matches!(tag, "B-" | "I-" | "E-" | "S-" | "L-" | "U-"));
        let has_tags = labels.iter().all(|label| label == outside || tagged(label));
        let mut kinds: Vec<String> = Vec::new();
        let roles = labels.iter().map(|label| {
            if label == outside {
                return None;
            }
            let (part, name) = match label.as_str() {
                label if !has_tags => (Part::Inside, label),
                label if matches!(&label[..2], "B-" | "S-" | "U-") => (Part::First, &label[2..]),
                label => (Part::Inside, &label[2..]),
            };
            let kind = kinds.iter().position(|kind| kind == name).unwrap_or_else(|| {
                kinds.push(name.to_owned());
                kinds.len() - 1
            });
            Some((kind, part))
        });
        let roles = roles.collect();
        Self { kinds, roles }
    }

    /// The spans that the probabilities `[places, labels]` of one row stand for. A word has the kind of its surest
    /// token and belongs to a span from `threshold(kind)` on.
    pub fn decode(&self, probabilities: &[f32], places: &[Place], threshold: impl Fn(usize) -> f32) -> Vec<FoundSpan> {
        let tokens: Vec<TokenKind> =
            probabilities.chunks_exact(self.roles.len()).map(|values| self.kind_of(values)).collect();
        let mut spans: Vec<(FoundSpan, f32)> = Vec::new();
        let mut is_open = false;
        let mut at = 0;
        while at < places.len().min(tokens.len()) {
            let word = places[at].word;
            let end = at + places[at..].iter().take_while(|place| place.word == word).count();
            let end = end.min(tokens.len());
            let surest = tokens[at..end]
                .iter()
                .fold(tokens[at], |best, token| if token.probability > best.probability { *token } else { best });
            let begins = tokens[at].begins;
            let (start_byte, end_byte) = (places[at].start as usize, places[end - 1].end as usize);
            at = end;
            if self.kinds.is_empty() || surest.probability < threshold(surest.kind) {
                is_open = false;
                continue;
            }
            match spans.last_mut() {
                Some((span, words)) if is_open && span.kind == surest.kind && !begins => {
                    span.probability = (span.probability * *words + surest.probability) / (*words + 1.0);
                    *words += 1.0;
                    span.end = end_byte;
                }
                _ => {
                    let TokenKind { kind, probability, .. } = surest;
                    spans.push((FoundSpan { kind, start: start_byte, end: end_byte, probability }, 1.0));
                }
            }
            is_open = true;
        }
        spans.into_iter().map(|(span, _)| span).collect()
    }

    /// The probability that a token is outside all spans.
    pub fn outside(&self, values: &[f32]) -> f32 {
        self.roles.iter().zip(values).filter(|(role, _)| role.is_none()).map(|(_, value)| value).sum()
    }

    fn kind_of(&self, values: &[f32]) -> TokenKind {
        let mut sums = vec![(0.0_f32, 0.0_f32); self.kinds.len()];
        for (role, value) in self.roles.iter().zip(values) {
            if let Some((kind, part)) = role {
                sums[*kind].0 += value;
                sums[*kind].1 += if *part == Part::First { *value } else { 0.0 };
            }
        }
        let best = (0..sums.len()).reduce(|best, kind| if sums[kind].0 > sums[best].0 { kind } else { best });
        let Some(kind) = best else { return TokenKind { kind: 0, probability: 0.0, begins: false } };
        let (probability, first) = sums[kind];
        TokenKind { kind, probability, begins: first > probability - first }
    }
}

#[derive(Debug, Clone, Copy)]
struct TokenKind {
    kind: usize,
    probability: f32,
    begins: bool,
}

/// The union of spans from overlapping windows: those of one kind that overlap become one. Ordered by place.
pub fn union(mut spans: Vec<FoundSpan>) -> Vec<FoundSpan> {
    spans.sort_by_key(|span| (span.kind, span.start, span.end));
    let mut merged: Vec<FoundSpan> = Vec::new();
    for span in spans {
        match merged.last_mut() {
            Some(last) if last.kind == span.kind && span.start < last.end => {
                last.end = last.end.max(span.end);
                last.probability = last.probability.max(span.probability);
            }
            _ => merged.push(span),
        }
    }
    merged.sort_by_key(|span| (span.start, span.end, span.kind));
    merged
}

/// The spans as they are shown: without white space at their ends, with the marks of their last letter, in code points, with
/// their text.
pub fn show(spans: &[FoundSpan], kinds: &[String], text: &str) -> Vec<Span> {
    let mut characters = CharacterIndex { text, byte: 0, character: 0 };
    let shown = spans.iter().filter_map(|span| {
        let inside = text.get(span.start..span.end)?;
        let start = span.start + (inside.len() - inside.trim_start().len());
        let end = start + inside.trim().len();
        // A tokenizer that drops accents leaves them out of its tokens; without them the last letter would be another one.
        let end = end + text[end..].chars().take_while(|char| char.is_mark()).map(char::len_utf8).sum::<usize>();
        let text = text.get(start..end).filter(|text| !text.is_empty())?;
        Some(Span {
            label: kinds[span.kind].clone(),
            start: characters.at(start),
            end: characters.at(end),
            text: text.to_owned(),
            probability: span.probability,
        })
    });
    shown.collect()
}

/// Counts characters, going on from the last place asked for where the next one is behind it.
struct CharacterIndex<'t> {
    text: &'t str,
    byte: usize,
    character: usize,
}

impl CharacterIndex<'_> {
    fn at(&mut self, byte: usize) -> usize {
        if byte < self.byte {
            (self.byte, self.character) = (0, 0);
        }
        self.character += self.text[self.byte..byte].chars().count();
        self.byte = byte;
        self.character
    }
}
