use rtrun_core::Span;
use rtrun_core::families::{FoundSpan, Scheme, show, union};
use rtrun_core::tokens::{Place, TextReader};

use crate::support::fixture;
use crate::tokens::Random;

fn names(labels: &[&str]) -> Vec<String> {
    labels.iter().map(|label| (*label).to_owned()).collect()
}

fn places(words: &[(u32, u32, u32)]) -> Vec<Place> {
    words.iter().map(|(start, end, word)| Place { start: *start, end: *end, word: *word }).collect()
}

/// Every token is surely of one label.
fn sure(labels: &[usize], width: usize) -> Vec<f32> {
    labels.iter().flat_map(|label| (0..width).map(move |at| if at == *label { 1.0 } else { 0.0 })).collect()
}

fn found(kind: usize, start: usize, end: usize, probability: f32) -> FoundSpan {
    FoundSpan { kind, start, end, probability }
}

/// Four words of one token each: "aa bb cc dd".
fn four() -> Vec<Place> {
    places(&[(0, 2, 0), (3, 5, 1), (6, 8, 2), (9, 11, 3)])
}

#[test]
fn a_first_tag_begins_a_span_and_an_inner_one_goes_on() {
    let scheme = Scheme::of(&names(&["O", "B-X", "I-X", "B-Y", "I-Y"]), None);
    assert_eq!(scheme.kinds, ["X", "Y"]);
    let decode = |labels: &[usize]| scheme.decode(&sure(labels, 5), &four(), |_| 0.5);
    assert_eq!(decode(&[1, 2, 0, 3]), [found(0, 0, 5, 1.0), found(1, 9, 11, 1.0)]);
    assert_eq!(decode(&[1, 1, 2, 0]), [found(0, 0, 2, 1.0), found(0, 3, 8, 1.0)]);
    assert_eq!(decode(&[2, 2, 4, 4]), [found(0, 0, 5, 1.0), found(1, 6, 11, 1.0)], "a span may begin inside");
    assert_eq!(decode(&[2, 0, 2, 0]), [found(0, 0, 2, 1.0), found(0, 6, 8, 1.0)]);
    assert_eq!(decode(&[0, 0, 0, 0]), []);
}

#[test]
fn single_and_last_tags_are_parts_of_spans() {
    for [single, last] in [["S", "E"], ["U", "L"]] {
        let labels = ["O".to_owned(), "B-X".to_owned(), "I-X".to_owned(), format!("{last}-X"), format!("{single}-X")];
        let scheme = Scheme::of(&labels, None);
        let decode = |labels: &[usize]| scheme.decode(&sure(labels, 5), &four(), |_| 0.5);
        assert_eq!(decode(&[1, 2, 3, 0]), [found(0, 0, 8, 1.0)]);
        assert_eq!(decode(&[4, 4, 1, 3]), [found(0, 0, 2, 1.0), found(0, 3, 5, 1.0), found(0, 6, 11, 1.0)]);
        assert_eq!(decode(&[1, 3, 4, 0]), [found(0, 0, 5, 1.0), found(0, 6, 8, 1.0)]);
    }
}

#[test]
fn plain_labels_make_one_span_of_neighbours() {
    let scheme = Scheme::of(&names(&["fine", "bad", "worse"]), Some("fine"));
    assert_eq!(scheme.kinds, ["bad", "worse"]);
    let spans = scheme.decode(&sure(&[1, 1, 2, 1], 3), &four(), |_| 0.5);
    assert_eq!(spans, [found(0, 0, 5, 1.0), found(1, 6, 8, 1.0), found(0, 9, 11, 1.0)]);
    assert!((scheme.outside(&[0.7, 0.2, 0.1]) - 0.7).abs() < 1e-6);
}

#[test]
fn labels_that_only_look_tagged_are_plain_where_one_is_not() {
    assert_eq!(Scheme::of(&names(&["O", "B-X", "other"]), None).kinds, ["B-X", "other"]);
    assert_eq!(Scheme::of(&names(&["O"]), None).decode(&[1.0, 1.0], &four()[..2], |_| 0.0), []);
}

#[test]
fn every_kind_has_its_own_threshold() {
    let scheme = Scheme::of(&names(&["O", "B-X", "I-X", "B-Y", "I-Y"]), None);
    let probabilities = [[0.4, 0.3, 0.3, 0.0, 0.0], [0.4, 0.0, 0.0, 0.3, 0.3]].concat();
    let decode = |x: f32, y: f32| scheme.decode(&probabilities, &four()[..2], |kind| [x, y][kind]);
    assert_eq!(decode(0.6, 0.6).len(), 2, "a probability at its threshold counts");
    assert_eq!(decode(0.7, 0.5), [found(1, 3, 5, 0.6)]);
    assert_eq!(decode(0.5, 0.7), [found(0, 0, 2, 0.6)]);
}

#[test]
fn a_word_of_several_tokens_has_the_kind_of_its_surest() {
    let scheme = Scheme::of(&names(&["O", "B-X", "I-X", "B-Y", "I-Y"]), None);
    let word = places(&[(0, 2, 0), (2, 4, 0), (4, 6, 0), (7, 9, 1)]);
    let probabilities =
        [[0.4, 0.6, 0.0, 0.0, 0.0], [0.1, 0.0, 0.0, 0.0, 0.9], [0.9, 0.0, 0.1, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0, 0.0]];
    assert_eq!(scheme.decode(&probabilities.concat(), &word, |_| 0.5), [found(1, 0, 6, 0.9)]);
}

#[test]
fn the_probability_of_a_span_is_the_mean_of_its_words() {
    let scheme = Scheme::of(&names(&["O", "X"]), None);
    let probabilities = [[0.25, 0.75], [0.0, 1.0], [0.5, 0.5], [1.0, 0.0]].concat();
    assert_eq!(scheme.decode(&probabilities, &four(), |_| 0.5), [found(0, 0, 8, 0.75)]);
}

/// What random labels of random words stand for, told word by word.
fn decoded_by_hand(probabilities: &[[f32; 5]], places: &[Place], thresholds: [f32; 2]) -> Vec<FoundSpan> {
    let mut words: Vec<Vec<usize>> = Vec::new();
    for (at, place) in places.iter().enumerate() {
        match words.last_mut() {
            Some(word) if places[word[0]].word == place.word => word.push(at),
            _ => words.push(vec![at]),
        }
    }
    let kind = |at: usize| {
        let [_, first_x, inside_x, first_y, inside_y] = probabilities[at];
        let is_x = first_x + inside_x >= first_y + inside_y;
        if is_x { (0, first_x + inside_x, first_x > inside_x) } else { (1, first_y + inside_y, first_y > inside_y) }
    };
    let mut spans: Vec<(FoundSpan, Vec<f32>)> = Vec::new();
    let mut last: Option<usize> = None;
    for word in words {
        let mut surest = kind(word[0]);
        for at in &word {
            if kind(*at).1 > surest.1 {
                surest = kind(*at);
            }
        }
        let begins = kind(word[0]).2;
        let (start, end) = (places[word[0]].start as usize, places[word[word.len() - 1]].end as usize);
        let is_found = surest.1 >= thresholds[surest.0];
        if is_found && last == Some(surest.0) && !begins {
            let (span, all) = spans.last_mut().unwrap();
            span.end = end;
            all.push(surest.1);
        } else if is_found {
            spans.push((found(surest.0, start, end, 0.0), vec![surest.1]));
        }
        last = is_found.then_some(surest.0);
    }
    let mean = |values: &[f32]| values.iter().sum::<f32>() / values.len() as f32;
    spans.into_iter().map(|(span, all)| FoundSpan { probability: mean(&all), ..span }).collect()
}

#[test]
fn random_labels_are_decoded_as_by_hand() {
    let scheme = Scheme::of(&names(&["O", "B-X", "I-X", "B-Y", "I-Y"]), None);
    let mut random = Random(2);
    for _ in 0..2000 {
        let mut word = 0;
        let mut byte = 0;
        let places: Vec<Place> = (0..random.below(20))
            .map(|_| {
                word += u32::from(random.below(3) > 0);
                let start = byte;
                byte += 1 + u32::try_from(random.below(4)).unwrap();
                Place { start, end: byte, word }
            })
            .collect();
        let probabilities: Vec<[f32; 5]> = places
            .iter()
            .map(|_| {
                let parts =
                    [0; 5].map(|_| random.below(8) as f32 + if random.below(4) == 0 { 20.0 } else { 0.0 } + 0.1);
                parts.map(|part| part / parts.iter().sum::<f32>())
            })
            .collect();
        let thresholds = [0.5, 0.3];
        let spans = scheme.decode(&probabilities.concat(), &places, |kind| thresholds[kind]);
        let expected = decoded_by_hand(&probabilities, &places, thresholds);
        let bare = |spans: &[FoundSpan]| spans.iter().map(|span| (span.kind, span.start, span.end)).collect::<Vec<_>>();
        assert_eq!(bare(&spans), bare(&expected));
        assert!(spans.iter().zip(&expected).all(|(one, other)| (one.probability - other.probability).abs() < 1e-5));
    }
}

fn random_spans(random: &mut Random, number: usize) -> Vec<FoundSpan> {
    (0..number)
        .map(|_| {
            let start = random.below(60);
            found(random.below(2), start, start + 1 + random.below(9), random.below(100) as f32 / 100.0)
        })
        .collect()
}

/// Per kind and byte whether it is inside, and whether the span goes on from the byte before.
fn painted(spans: &[FoundSpan]) -> Vec<(bool, bool)> {
    let mut painted = vec![(false, false); 2 * 80];
    for span in spans {
        for at in span.start..span.end {
            let place = &mut painted[span.kind * 80 + at];
            *place = (true, place.1 || at > span.start);
        }
    }
    painted
}

#[test]
fn a_union_covers_what_its_spans_cover_and_is_its_own_union() {
    let mut random = Random(3);
    for round in 0..2000 {
        let spans = random_spans(&mut random, round % 15);
        let united = union(spans.clone());
        assert_eq!(painted(&united), painted(&spans));
        for (at, one) in united.iter().enumerate() {
            let overlaps = |other: &FoundSpan| other.kind == one.kind && other.start < one.end && one.start < other.end;
            assert!(!united[at + 1..].iter().any(overlaps), "{united:?}");
            let largest =
                spans.iter().filter(|other| overlaps(other)).map(|other| other.probability).fold(0.0, f32::max);
            assert!((one.probability - largest).abs() < 1e-9);
        }
        assert!(united.is_sorted_by_key(|span| (span.start, span.end, span.kind)));
        assert_eq!(union(united.clone()), united);
        assert_eq!(union([united.clone(), spans.clone()].concat()), united);
        let backwards: Vec<FoundSpan> = spans.into_iter().rev().collect();
        assert_eq!(union(backwards), united);
    }
}

#[test]
fn spans_are_shown_in_code_points_without_white_space() {
    let text = "  a🙂b e\u{301} \r\n👩\u{200d}👩\u{200d}👧 𝕳 \u{a0}ü\u{3000}";
    let shown = |start: usize, end: usize| show(&[found(0, start, end, 0.5)], &names(&["X"]), text);
    let span = |start: usize, end: usize, text: &str| {
        vec![Span { label: "X".to_owned(), start, end, text: text.to_owned(), probability: 0.5 }]
    };
    let at = |part: &str| (text.find(part).unwrap(), text.find(part).unwrap() + part.len());
    assert_eq!(shown(0, text.len()), span(2, 21, text.trim()));
    assert_eq!(shown(at("🙂").0, at("🙂").1), span(3, 4, "🙂"));
    assert_eq!(shown(at("b e").0, at("\u{301}").1), span(4, 8, "b e\u{301}"));
    let family = at("👩\u{200d}👩\u{200d}👧");
    assert_eq!(shown(family.0 - 3, family.1 + 1), span(11, 16, "👩\u{200d}👩\u{200d}👧"));
    assert_eq!(shown(at("\u{a0}").0, text.len()), span(20, 21, "ü"));
    assert_eq!(shown(at(" \r\n").0, at("\r\n").1), []);
    assert_eq!(shown(0, 2), []);
    assert_eq!(shown(5, 5), []);
}

#[test]
fn a_span_has_the_marks_of_its_last_letter() {
    let text = "cafe\u{301}\u{302} x";
    let shown = |end: usize| show(&[found(0, 0, end, 0.5)], &names(&["X"]), text).remove(0);
    for end in [4, 6, 8] {
        assert_eq!((shown(end).end, shown(end).text), (6, "cafe\u{301}\u{302}".to_owned()));
    }
    assert_eq!((shown(3).end, shown(9).end), (3, 6));
}

#[test]
fn spans_in_any_order_are_shown_in_theirs() {
    let text = "äöü 🙂 abc";
    let spans = [found(0, 7, 11, 0.5), found(1, 0, 2, 0.5), found(0, 12, 15, 0.5)];
    let shown = show(&spans, &names(&["X", "Y"]), text);
    let places: Vec<_> = shown.iter().map(|span| (span.start, span.end, span.text.as_str())).collect();
    assert_eq!(places, [(4, 5, "🙂"), (0, 1, "ä"), (6, 9, "abc")]);
}

/// The words that a reader tells in a text, each as the places of its tokens joined.
fn words(name: &str, text: &str) -> Vec<String> {
    let json = std::fs::read(fixture("tokenizers").join(format!("{name}.json"))).unwrap();
    let places = TextReader::new(&json, true).unwrap().placed_tokens(text, 1000).unwrap().places;
    let mut words: Vec<(u32, usize, usize)> = Vec::new();
    for place in places {
        let (start, end) = (place.start as usize, place.end as usize);
        match words.last_mut() {
            Some((word, _, last)) if *word == place.word => *last = end,
            _ => words.push((place.word, start, end)),
        }
    }
    let words = words.into_iter().map(|(_, start, end)| text[start..end].trim().to_owned());
    words.filter(|word| !word.is_empty()).collect()
}

#[test]
fn the_words_of_a_text_are_those_of_the_text_and_not_of_its_tokenizer() {
    let text = "unknownness of Zürich, Straßburg! привет 🙂 e\u{301}tude";
    let expected = ["unknownness", "of", "Zürich", ",", "Straßburg", "!", "привет", "🙂", "e\u{301}tude"];
    for name in crate::tokens::NAMES {
        let found = words(name, text);
        // A piece of several marks is one token and so one word.
        let is_split = |word: &&str| found.iter().filter(|found| word.contains(found.as_str())).count() != 1;
        let missing: Vec<_> = expected.iter().filter(|word| is_split(word)).collect();
        assert!(missing.is_empty(), "{name}: {missing:?} are no words of {found:?}");
    }
}
