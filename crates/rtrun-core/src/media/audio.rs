//! Audio parts: base64 beside the name of its format, as chat messages have them.

use super::data_url::{decode_base64, known};
use super::fault::{Fault, MediaKind};
use super::format::Format;

/// Checks that `data` is a file of the named format, `wav` or `mp3`.
pub fn check_audio(data: &str, format: &str) -> Result<(), Fault> {
    let media_type = format!("audio/{format}");
    let format = Format::of_media_type(MediaKind::Audio, &media_type)
        .ok_or(Fault::UnsupportedFormat(known(MediaKind::Audio)))?;
    if format.begins(&decode_base64(data, None)?) {
        Ok(())
    } else {
        Err(Fault::Malformed("does not hold what its format says"))
    }
}
