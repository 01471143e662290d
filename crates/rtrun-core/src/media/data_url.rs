//! `data:image/png;base64,…`: the only form in which requests hold files.

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use super::fault::{Fault, MediaKind};
use super::format::Format;

/// A file out of a data URL, which begins as its media type says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MediaBytes {
    /// What it is.
    pub format: Format,
    /// The whole file.
    pub bytes: Vec<u8>,
}

/// Clients leave the padding away or keep it.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// Reads a data URL. A file of more than `max_bytes` is refused before it is decoded.
pub fn read_data_url(kind: MediaKind, url: &str, max_bytes: Option<u64>) -> Result<MediaBytes, Fault> {
    let advice = || Fault::Malformed(form(kind));
    if ["http://", "https://"].iter().any(|scheme| strip_ignoring_case(url, scheme).is_some()) {
        return Err(Fault::Remote);
    }
    let (head, payload) = strip_ignoring_case(url, "data:").and_then(|rest| rest.split_once(',')).ok_or_else(advice)?;
    let mut parameters = head.split(';');
    let media_type = parameters.next().unwrap_or_default().trim();
    if !parameters.any(|parameter| parameter.trim().eq_ignore_ascii_case("base64")) {
        return Err(advice());
    }
    let format = Format::of_media_type(kind, media_type).ok_or(Fault::UnsupportedFormat(known(kind)))?;
    let bytes = decode_base64(payload, max_bytes)?;
    if !format.begins(&bytes) {
        return Err(Fault::Malformed("does not hold what its media type says"));
    }
    Ok(MediaBytes { format, bytes })
}

/// Decodes base64 of at most `max_bytes` bytes.
pub fn decode_base64(payload: &str, max_bytes: Option<u64>) -> Result<Vec<u8>, Fault> {
    let digits = payload.trim_end_matches('=').len() as u64;
    match max_bytes {
        Some(limit) if digits * 3 / 4 > limit => Err(Fault::TooLarge(limit)),
        _ => BASE64.decode(payload).map_err(|_| Fault::Malformed("is not valid base64")),
    }
}

fn form(kind: MediaKind) -> &'static str {
    match kind {
        MediaKind::Image => "is no base64 data URL; it must look like \"data:image/png;base64,…\"",
        MediaKind::Video => "is no base64 data URL; it must look like \"data:video/mp4;base64,…\"",
        MediaKind::Audio => "is no base64 data URL; it must look like \"data:audio/wav;base64,…\"",
    }
}

/// What is said of a format that is not read.
pub fn known(kind: MediaKind) -> &'static str {
    match kind {
        MediaKind::Image => "has a media type that is not supported; image/png, image/jpeg and image/webp are",
        MediaKind::Video => {
            "has a media type that is not supported; video/mp4, video/webm, video/quicktime and video/x-matroska are"
        }
        MediaKind::Audio => "has a format that is not supported; wav and mp3 are",
    }
}

fn strip_ignoring_case<'u>(url: &'u str, prefix: &str) -> Option<&'u str> {
    let (head, rest) = url.split_at_checked(prefix.len())?;
    head.eq_ignore_ascii_case(prefix).then_some(rest)
}
