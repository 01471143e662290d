//! From text to token ids: only as much of a text is read as its budget decides.

mod boundary;
mod check;
mod prefix;
mod reader;
mod template;
mod words;

pub use boundary::CutKind;
pub use reader::{Overflow, Place, Reading, TextReader, TextTokens, too_long};
pub use template::{PairTemplate, Template};
