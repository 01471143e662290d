//! What an answer says of the words that its model did not see.

use rtrun_core::families::ReadInput;
use rtrun_core::{ClassifyInput, ReadingOptions};

use super::heads::{classify, package, serve, windows, words};
use crate::tokens::Random;

/// A word of which the vocabulary has nothing.
const STRANGE: &str = "ꙮꙮ";

#[test]
fn words_that_a_model_does_not_see_are_counted_in_every_window_and_once() {
    let folder = package();
    let engine = serve(&folder);
    let mut random = Random(3);
    let mut parts = words(&mut random, 50);
    for at in [0, 17, 30, 50] {
        parts.insert(at, STRANGE);
    }
    let text = parts.join(" ");
    for head in ["domain", "entities"] {
        let read = |options: ReadingOptions| -> ReadInput {
            classify(&engine, head, ClassifyInput::Text(text.clone()), options).unwrap().0
        };
        let windowed = read(windows(16, 8));
        assert!(windowed.windows > 4, "{windowed:?}");
        let whole = read(ReadingOptions::default());
        for input in [windowed, whole] {
            assert_eq!((input.tokens, input.special_tokens, input.unknown_tokens), (56, 2, 4), "{head}");
        }
    }
}

#[test]
fn those_of_both_texts_of_a_pair_and_of_a_context_count() {
    let folder = package();
    let engine = serve(&folder);
    let strange = |text: &str| text.replace('?', STRANGE);
    let pair = ClassifyInput::Pair(strange("hello ? world"), strange("? quick ?"));
    let (input, _) = classify(&engine, "domain", pair, ReadingOptions::default()).unwrap();
    assert_eq!((input.tokens, input.special_tokens, input.unknown_tokens), (9, 3, 3));
    let grounded = ClassifyInput::Grounded {
        context: strange("hello ? world ?"),
        question: "so".to_owned(),
        answer: strange("the ? dog"),
    };
    let (input, _) = classify(&engine, "checked", grounded, ReadingOptions::default()).unwrap();
    assert_eq!((input.special_tokens, input.unknown_tokens), (3, 3));
}
