//! Long inputs in windows, against the same model reading every window as a text of its own.

use std::ops::Range;
use std::sync::Arc;

use rtrun_core::{Classified, ClassifyInput, Engine, ReadingOptions};

use super::heads::{characters, classify, let_read_the_mean, package, serve, windows, words};
use crate::tokens::Random;

/// The windows over so many tokens, told by hand.
fn cut(tokens: usize, room: usize, overlap: usize) -> Vec<Range<usize>> {
    let starts = (0..).map(|index| index * (room - overlap));
    let mut found: Vec<Range<usize>> = Vec::new();
    for start in starts {
        found.push(start..(start + room).min(tokens));
        if start + room >= tokens {
            return found;
        }
    }
    found
}

fn text(words: &[&str]) -> ClassifyInput {
    ClassifyInput::Text(words.join(" "))
}

fn alone(engine: &Arc<Engine>, head: &str, input: ClassifyInput) -> Arc<Classified> {
    classify(engine, head, input, ReadingOptions::default()).unwrap().1
}

/// What the windows' probabilities of a head become.
fn reduced(head: &str, windows: &[(usize, Vec<f32>)]) -> Vec<f32> {
    let labels = 0..windows[0].1.len();
    match head {
        "domain" => {
            let all: usize = windows.iter().map(|(tokens, _)| tokens).sum();
            let sum = |label: usize| windows.iter().map(|(tokens, values)| *tokens as f32 * values[label]).sum::<f32>();
            labels.map(|label| sum(label) / all as f32).collect()
        }
        "topics" => labels.map(|label| windows.iter().map(|(_, values)| values[label]).fold(0.0, f32::max)).collect(),
        "alarm" => windows.iter().min_by(|one, other| one.1[0].total_cmp(&other.1[0])).unwrap().1.clone(),
        _ => unreachable!(),
    }
}

fn assert_close(found: &[f32], expected: &[f32]) {
    assert_eq!(found.len(), expected.len());
    let is_close = found.iter().zip(expected).all(|(one, other)| (one - other).abs() < 1e-6);
    assert!(is_close, "{found:?} is not {expected:?}");
}

#[test]
fn labels_of_windows_become_the_labels_of_the_text() {
    let folder = package();
    let engine = serve(&folder);
    let mut random = Random(5);
    for head in ["domain", "topics", "alarm"] {
        for (number, tokens, overlap) in [(40, 16, 4), (61, 12, 0), (14, 16, 4), (15, 16, 4), (90, 33, 16), (30, 5, 2)]
        {
            let words = words(&mut random, number);
            let (read, found) = classify(&engine, head, text(&words), windows(tokens, overlap)).unwrap();
            let cuts = cut(number, tokens - 2, overlap);
            let each: Vec<(usize, Vec<f32>)> = cuts
                .iter()
                .map(|cut| (cut.len(), alone(&engine, head, text(&words[cut.clone()])).probabilities.clone()))
                .collect();
            assert_close(&found.probabilities, &reduced(head, &each));
            assert_eq!((read.tokens, read.windows, read.truncated), (number + 2, cuts.len(), false));
            assert_eq!(read.processed_tokens, cuts.iter().map(|cut| cut.len() + 2).sum::<usize>());
            assert!(!read.is_lower_bound);
            if cuts.len() == 1 {
                assert!(found.windows.is_empty());
                continue;
            }
            for ((cut, window), (_, values)) in cuts.iter().zip(&found.windows).zip(&each) {
                assert_eq!((window.start, window.end), characters(&words, cut.clone()));
                assert_close(&window.probabilities, values);
            }
            assert_eq!(found.windows.len(), cuts.len());
        }
    }
}

#[test]
fn what_stands_across_the_edge_of_two_windows_is_read_between_them() {
    let folder = package();
    let_read_the_mean(&folder, "alarm");
    let engine = serve(&folder);
    let mut random = Random(9);
    for (number, tokens, overlap) in [(40, 16, 4), (61, 12, 0), (90, 33, 16)] {
        let words = words(&mut random, number);
        let (read, found) = classify(&engine, "alarm", text(&words), windows(tokens, overlap)).unwrap();
        let cuts = cut(number, tokens - 2, overlap);
        assert_eq!((read.windows, found.windows.len()), (cuts.len(), 2 * cuts.len() - 1));
        for (cut, window) in cuts.iter().zip(found.windows.iter().step_by(2)) {
            assert_close(&window.probabilities, &alone(&engine, "alarm", text(&words[cut.clone()])).probabilities);
        }
        for (pair, between) in cuts.windows(2).zip(found.windows.iter().skip(1).step_by(2)) {
            let middle = |cut: &Range<usize>| cut.start + cut.len() / 2;
            assert_eq!((between.start, between.end), characters(&words, middle(&pair[0])..middle(&pair[1])));
            assert!((between.probabilities.iter().sum::<f32>() - 1.0).abs() < 1e-5);
        }
        let least = found.windows.iter().min_by(|one, other| one.probabilities[0].total_cmp(&other.probabilities[0]));
        assert_close(&found.probabilities, &least.unwrap().probabilities);
    }
}

#[test]
fn what_is_read_between_two_equal_windows_is_what_each_of_them_says() {
    let folder = package();
    let_read_the_mean(&folder, "alarm");
    let engine = serve(&folder);
    // Windows without overlap over a text that repeats itself are rows of the same tokens.
    let part = words(&mut Random(10), 14);
    let whole: Vec<&str> = part.iter().chain(&part).chain(&part).copied().collect();
    let (_, found) = classify(&engine, "alarm", text(&whole), windows(16, 0)).unwrap();
    assert_eq!(found.windows.len(), 5);
    for window in &found.windows {
        let (one, other) = (&window.probabilities, &found.windows[0].probabilities);
        assert!(one.iter().zip(other).all(|(one, other)| (one - other).abs() < 1e-5), "{one:?} is not {other:?}");
    }
}

#[test]
fn windows_begin_with_a_sentence_where_one_begins_in_time() {
    let folder = package();
    let engine = serve(&folder);
    // Sentences of seven tokens: windows with room for 30 end within the fifth, with which the next one begins.
    let sentence = "the lazy fox is so quick.";
    let whole = [sentence; 12].join(" ");
    let (read, found) = classify(&engine, "topics", ClassifyInput::Text(whole.clone()), windows(32, 4)).unwrap();
    let starts: Vec<usize> = found.windows.iter().map(|window| window.start).collect();
    assert_eq!(starts, [0, 4 * (sentence.len() + 1), 8 * (sentence.len() + 1)]);
    assert_eq!((read.windows, read.processed_tokens), (3, 30 + 30 + 28 + 3 * 2));
    // The same words without sentences are read in windows that share all that they may.
    let (read, _) =
        classify(&engine, "topics", ClassifyInput::Text(whole.replace('.', " so")), windows(32, 4)).unwrap();
    assert_eq!(read.windows, 4);
}

#[test]
fn spans_of_windows_are_the_union_of_what_each_window_finds() {
    let folder = package();
    let engine = serve(&folder);
    let mut random = Random(6);
    let mut across = 0;
    for (number, tokens, overlap) in [(40, 16, 4), (80, 12, 6), (33, 9, 0), (150, 30, 15), (14, 16, 0), (150, 10, 5)] {
        let words = words(&mut random, number);
        let whole = words.join(" ");
        let (read, found) = classify(&engine, "entities", text(&words), windows(tokens, overlap)).unwrap();
        // Spans are painted: per kind every character, and whether it goes on from the one before.
        let length = whole.chars().count();
        let mut painted = vec![vec![(false, false, 0.0_f32); length]; 2];
        let cuts = cut(number, tokens - 2, overlap);
        let mut values = vec![Vec::new(); number];
        for cut in &cuts {
            let part = alone(&engine, "entities", text(&words[cut.clone()]));
            let from = characters(&words, cut.clone()).0;
            for span in &part.spans {
                let kind = usize::from(span.label == "NAME");
                for at in span.start..span.end {
                    let (is_painted, goes_on, probability) = &mut painted[kind][from + at];
                    (*is_painted, *goes_on) = (true, *goes_on || at > span.start);
                    *probability = probability.max(span.probability);
                }
            }
            for (at, token) in cut.clone().zip(part.tokens.as_ref().unwrap()) {
                values[at].clone_from(&token.probabilities);
            }
        }
        let mut expected = Vec::new();
        for (kind, painted) in painted.iter().enumerate() {
            let mut at = 0;
            while at < length {
                if !painted[at].0 {
                    at += 1;
                    continue;
                }
                let end = (at + 1..length).find(|next| !(painted[*next].0 && painted[*next].1)).unwrap_or(length);
                let probability = painted[at..end].iter().map(|place| place.2).fold(0.0, f32::max);
                expected.push((at, end, ["PLACE", "NAME"][kind], probability));
                at = end;
            }
        }
        expected.sort_by_key(|span| (span.0, span.1, span.2 == "NAME"));
        let spans: Vec<_> =
            found.spans.iter().map(|span| (span.start, span.end, span.label.as_str(), span.probability)).collect();
        assert_eq!(spans, expected, "{whole:?}");
        for span in &found.spans {
            let inside: String = whole.chars().skip(span.start).take(span.end - span.start).collect();
            assert_eq!(span.text, inside);
        }
        let told = found.tokens.as_ref().unwrap();
        assert_eq!(told.iter().map(|token| token.probabilities.clone()).collect::<Vec<_>>(), values);
        for (at, token) in told.iter().enumerate() {
            assert_eq!((token.start, token.end), characters(&words, at..at + 1));
        }
        assert_eq!((read.windows, found.windows.len()), (cuts.len(), if cuts.len() > 1 { cuts.len() } else { 0 }));
        let edges: Vec<usize> = cuts.iter().map(|cut| characters(&words, cut.clone()).1).collect();
        across += spans.iter().filter(|span| edges.iter().any(|edge| span.0 < *edge && *edge < span.1)).count();
    }
    assert!(across > 3, "{across} spans cross the edge of a window: the test has lost its subject");
}

#[test]
fn windows_of_a_pair_go_over_its_second_text() {
    let folder = package();
    let engine = serve(&folder);
    let mut random = Random(7);
    for (first, second, tokens, overlap) in
        [(5, 40, 20, 4), (1, 70, 16, 0), (9, 3, 20, 4), (0, 30, 12, 3), (4, 0, 12, 3)]
    {
        let (one, other) = (words(&mut random, first), words(&mut random, second));
        let pair = |other: &[&str]| ClassifyInput::Pair(one.join(" "), other.join(" "));
        let (read, found) = classify(&engine, "topics", pair(&other), windows(tokens, overlap)).unwrap();
        let cuts = cut(second, tokens - 3 - first, overlap);
        let each: Vec<(usize, Vec<f32>)> = cuts
            .iter()
            .map(|cut| (cut.len(), alone(&engine, "topics", pair(&other[cut.clone()])).probabilities.clone()))
            .collect();
        assert_close(&found.probabilities, &reduced("topics", &each));
        assert_eq!((read.tokens, read.windows), (first + second + 3, cuts.len()));
        assert_eq!(read.processed_tokens, cuts.iter().map(|cut| first + cut.len() + 3).sum::<usize>());
        let places: Vec<_> = found.windows.iter().map(|window| (window.start, window.end)).collect();
        let expected: Vec<_> = cuts.iter().map(|cut| characters(&other, cut.clone())).collect();
        assert_eq!(places, if cuts.len() > 1 { expected } else { Vec::new() });
    }
}

#[test]
fn an_answer_is_supported_by_any_window_of_its_context() {
    let folder = package();
    let engine = serve(&folder);
    let mut random = Random(8);
    let mut rescued = 0;
    for (context, question, answer, tokens, overlap) in
        [(60, 4, 9, 32, 4), (30, 0, 5, 20, 2), (10, 3, 4, 40, 4), (100, 2, 12, 30, 0), (0, 2, 3, 20, 2)]
    {
        let [context, question, answer] = [context, question, answer].map(|number| words(&mut random, number));
        let input = |context: &[&str]| ClassifyInput::Grounded {
            context: context.join(" "),
            question: question.join(" "),
            answer: answer.join(" "),
        };
        let (read, found) = classify(&engine, "checked", input(&context), windows(tokens, overlap)).unwrap();
        // The prompt has two more tokens, and the pair three.
        let fixed = question.len() + answer.len() + 2 + 3;
        let cuts = cut(context.len(), tokens - fixed, overlap);
        let each: Vec<_> = cuts.iter().map(|cut| alone(&engine, "checked", input(&context[cut.clone()]))).collect();
        let told = found.tokens.as_ref().unwrap();
        assert_eq!(told.len(), answer.len());
        let mut expected = Vec::new();
        for (at, token) in told.iter().enumerate() {
            let of_windows = each.iter().map(|part| part.tokens.as_ref().unwrap()[at].probabilities.clone());
            let best = of_windows.clone().max_by(|one, other| one[0].total_cmp(&other[0])).unwrap();
            assert_eq!(token.probabilities, best);
            assert_eq!((token.start, token.end), characters(&answer, at..at + 1));
            rescued += usize::from(best[1] < 0.5 && of_windows.clone().any(|values| values[1] >= 0.5));
            expected.push(best[1] >= 0.5);
        }
        let inside = |at: usize| {
            let (start, end) = characters(&answer, at..at + 1);
            found.spans.iter().any(|span| span.label == "invented" && span.start <= start && end <= span.end)
        };
        assert_eq!((0..answer.len()).map(inside).collect::<Vec<_>>(), expected);
        assert_eq!((read.tokens, read.windows), (context.len() + fixed, cuts.len()));
        assert_eq!(read.processed_tokens, cuts.iter().map(|cut| cut.len() + fixed).sum::<usize>());
    }
    assert!(rescued > 0, "no token is supported by one window and not by another: the test has lost its subject");
}

#[test]
fn what_a_question_says_is_no_place_for_the_context() {
    let folder = package();
    let engine = serve(&folder);
    let input = |question: &str| ClassifyInput::Grounded {
        context: "quick fox".to_owned(),
        question: question.to_owned(),
        answer: "lazy dog".to_owned(),
    };
    for question in ["{context}", "{question}", "{context} {context}"] {
        let (alone, _) = classify(&engine, "topics", text(&[question]), ReadingOptions::default()).unwrap();
        let (read, _) = classify(&engine, "checked", input(question), ReadingOptions::default()).unwrap();
        // The prompt has two more tokens than its texts and the pair three; a text alone has two.
        assert_eq!(read.tokens, 2 + 2 + (alone.tokens - 2) + 2 + 3, "{question}");
    }
}
