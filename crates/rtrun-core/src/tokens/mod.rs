//! From text to token ids: only as much of a text is read as its budget decides.

mod added;
mod boundary;
mod check;
mod kept_words;
mod normal;
mod pieces;
mod places;
mod prefix;
mod reach;
mod reader;
mod sentences;
mod template;
mod unknown;
mod windows;
mod words;

pub use boundary::CutKind;
pub use places::Place;
pub use reader::{Overflow, Reading, TextReader, TextTokens, too_long};
pub use sentences::begins;
pub use template::{PairTemplate, Template};
pub use windows::Windows;
