//! Why something in a request is refused, before it is known where it stands there.

use crate::error::{BrokenLimit, Error, InvalidMedia};

/// What a request can hold beside text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MediaKind {
    /// An image.
    Image,
    /// A video.
    Video,
    /// A piece of audio.
    Audio,
}

/// What is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// It is the address of something elsewhere.
    Remote,
    /// It is not a whole file of its type; the text says what would be right.
    Malformed(&'static str),
    /// Its type is not one that is read; the text names those that are.
    UnsupportedFormat(&'static str),
    /// It has more bytes than the limit.
    TooLarge(u64),
    /// It has more pixels than the limit.
    TooManyPixels(u64),
    /// One of its sides is longer than this.
    TooLong(u64),
    /// The model does not read anything of the kind.
    Unsupported,
}

impl MediaKind {
    /// The word that reasons and limits begin with.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Image => "image",
            Self::Video => "video",
            Self::Audio => "audio",
        }
    }

    fn noun(self) -> &'static str {
        match self {
            Self::Image => "an image",
            Self::Video => "a video",
            Self::Audio => "audio",
        }
    }
}

impl Fault {
    /// The error of a request. `place` is where the item stands in it, such as `input[0]`; `model` is the one that was
    /// asked.
    pub fn at(self, kind: MediaKind, place: &str, model: &str) -> Error {
        let word = kind.as_str();
        let limit = |name, value| Some(BrokenLimit { name, value });
        let (ending, problem, limit) = match self {
            Self::Remote => {
                let problem = "is a remote address, which is never fetched; give the content as a base64 data URL";
                ("remote_url", problem.to_owned(), None)
            }
            Self::Malformed(advice) => ("malformed", advice.to_owned(), None),
            Self::UnsupportedFormat(advice) => ("unsupported_format", advice.to_owned(), None),
            Self::TooLarge(bytes) => {
                ("too_large", format!("has more than {bytes} bytes"), limit("image_max_bytes", bytes))
            }
            Self::TooManyPixels(pixels) => {
                let problem = format!("has more than {pixels} pixels; scale it down");
                ("too_many_pixels", problem, limit("image_source_max_pixels", pixels))
            }
            Self::TooLong(side) => ("too_many_pixels", format!("is longer than {side} pixels; scale it down"), None),
            Self::Unsupported => {
                let problem = format!("is {}; model {model:?} does not read any", kind.noun());
                ("unsupported", problem, None)
            }
        };
        let message = format!("{place} {problem}");
        Error::InvalidMedia(Box::new(InvalidMedia { message, reason: format!("{word}_{ending}"), limit }))
    }
}
