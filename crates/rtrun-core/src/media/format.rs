//! The file types that requests may hold, told by their media type and by their first bytes.

use super::fault::MediaKind;

/// A file type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say all there is")]
pub enum Format {
    Png,
    Jpeg,
    WebP,
    Mp4,
    QuickTime,
    WebM,
    Matroska,
    Wav,
    Mp3,
}

const TYPES: &[(MediaKind, &str, Format)] = &[
    (MediaKind::Image, "image/png", Format::Png),
    (MediaKind::Image, "image/jpeg", Format::Jpeg),
    (MediaKind::Image, "image/jpg", Format::Jpeg),
    (MediaKind::Image, "image/webp", Format::WebP),
    (MediaKind::Video, "video/mp4", Format::Mp4),
    (MediaKind::Video, "video/quicktime", Format::QuickTime),
    (MediaKind::Video, "video/webm", Format::WebM),
    (MediaKind::Video, "video/x-matroska", Format::Matroska),
    (MediaKind::Video, "video/matroska", Format::Matroska),
    (MediaKind::Audio, "audio/wav", Format::Wav),
    (MediaKind::Audio, "audio/x-wav", Format::Wav),
    (MediaKind::Audio, "audio/mpeg", Format::Mp3),
    (MediaKind::Audio, "audio/mp3", Format::Mp3),
];

/// The bytes in front of every WebM and Matroska file.
const EBML: &[u8] = &[0x1A, 0x45, 0xDF, 0xA3];

/// The type of a WebM or Matroska file stands in its first element, which takes a few dozen bytes.
const EBML_HEADER_BYTES: usize = 64;

impl Format {
    /// The format of a media type, in any case.
    pub fn of_media_type(kind: MediaKind, media_type: &str) -> Option<Self> {
        let same = |name: &str| name.eq_ignore_ascii_case(media_type);
        TYPES.iter().find(|(of, name, _)| *of == kind && same(name)).map(|(.., format)| *format)
    }

    /// Whether a file begins as this format does.
    pub fn begins(self, bytes: &[u8]) -> bool {
        let is_riff = |kind: &[u8]| bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(kind);
        let is_box = |names: &[&[u8]]| bytes.get(4..8).is_some_and(|name| names.contains(&name));
        match self {
            Self::Png => bytes.starts_with(b"\x89PNG\r\n\x1A\n"),
            Self::Jpeg => bytes.starts_with(&[0xFF, 0xD8, 0xFF]),
            Self::WebP => is_riff(b"WEBP"),
            Self::Mp4 => is_box(&[b"ftyp"]),
            // Files of the first versions begin with one of their other boxes.
            Self::QuickTime => is_box(&[b"ftyp", b"moov", b"mdat", b"wide", b"free", b"skip", b"pnot"]),
            Self::WebM => is_ebml(bytes, &[b"webm"]),
            Self::Matroska => is_ebml(bytes, &[b"matroska", b"webm"]),
            Self::Wav => is_riff(b"WAVE"),
            Self::Mp3 => bytes.starts_with(b"ID3") || matches!(bytes, [0xFF, second, ..] if second & 0xE0 == 0xE0),
        }
    }

    /// What a file of this format is called in messages.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Png => "PNG",
            Self::Jpeg => "JPEG",
            Self::WebP => "WebP",
            Self::Mp4 => "MP4",
            Self::QuickTime => "QuickTime",
            Self::WebM => "WebM",
            Self::Matroska => "Matroska",
            Self::Wav => "WAV",
            Self::Mp3 => "MP3",
        }
    }
}

fn is_ebml(bytes: &[u8], types: &[&[u8]]) -> bool {
    let header = &bytes[..bytes.len().min(EBML_HEADER_BYTES)];
    bytes.starts_with(EBML) && types.iter().any(|name| header.windows(name.len()).any(|part| part == *name))
}
