//! Where the windows over a text begin.

use rtrun_core::tokens::{Place, Windows, begins};

use super::Random;

/// Whether a sentence or a line is said to begin at the mark, which is left out of the text; the token there has one letter.
fn begins_at_mark(text: &str) -> bool {
    let start = text.find('|').unwrap();
    let text = text.replace('|', "");
    let end = start + text[start..].chars().next().unwrap().len_utf8();
    begins(&text, Place { start: u32::try_from(start).unwrap(), end: u32::try_from(end).unwrap(), word: 0 })
}

#[test]
fn sentences_and_lines_begin_behind_their_marks() {
    for text in [
        "Three. |Four",
        "Really?  |Yes",
        "Stop! \u{a0}|Go",
        "He said \"never.\" |So",
        "(It is done today.) |So",
        "It was late… |So",
        "- one\n|- two",
        "a heading\r\n\r\n|text",
        "cell\u{b}\t\t\t\t\t\t\t|cell",
        // The token of a byte tokenizer has the space before its word, or is the line itself.
        "Three.| Four",
        "one|\ntwo",
        "完了。|次",
        "本当？|次",
    ] {
        assert!(begins_at_mark(text), "{text:?}");
    }
    for text in [
        "|One",
        "one |two",
        "one, |two",
        "3.|5",
        "example.|com",
        "St. |Gallen",
        "J. |Doe",
        "Prof. |Doe",
        "e.g. |this",
        "wait...|what",
        "\"one\" |two",
        "a) |b",
    ] {
        assert!(!begins_at_mark(text), "{text:?}");
    }
}

#[test]
fn windows_share_as_little_as_beginnings_allow() {
    let mut random = Random(3);
    for _ in 0..2000 {
        let (tokens, room) = (random.below(400), 1 + random.below(60));
        let overlap = random.below(room);
        let every = 1 + random.below(40);
        let starts: Vec<bool> = (0..=tokens).map(|_| random.below(every) == 0).collect();
        let windows = Windows::new(tokens, room, overlap);
        let found = windows.at_beginnings(|token| starts[token]);
        let said = format!("{tokens} tokens, room {room}, overlap {overlap}: {found:?}");
        assert!(found.len() <= windows.count(), "{said}");
        assert_eq!((found[0].start, found.last().unwrap().end), (0, tokens), "{said}");
        for pair in found.windows(2) {
            let end = pair[0].start + room;
            let last = (end - overlap..=end - overlap.div_ceil(4)).rfind(|at| starts[*at]);
            assert_eq!((pair[0].end, pair[1].start), (end, last.unwrap_or(end - overlap)), "{said}");
            assert!(pair[0].start < pair[1].start, "{said}");
        }
    }
}

#[test]
fn without_a_beginning_windows_share_all_that_they_may() {
    for (tokens, room, overlap) in [(0, 10, 3), (10, 10, 3), (11, 10, 3), (100, 10, 3), (100, 10, 0), (37, 8, 7)] {
        let windows = Windows::new(tokens, room, overlap);
        assert_eq!(windows.at_beginnings(|_| false), windows.iter().collect::<Vec<_>>());
        assert_eq!(windows.iter().count(), windows.count());
    }
}
