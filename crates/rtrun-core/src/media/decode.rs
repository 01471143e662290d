//! From the bytes of an image to its pixels, under limits that hold before anything is decoded.

use std::io::Cursor;

use image::{DynamicImage, ImageDecoder, ImageError, ImageFormat, Limits};

use super::data_url::MediaBytes;
use super::fault::Fault;
use super::format::Format;
use super::jpeg;

/// What an image may be at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImageLimits {
    /// Bytes of the file.
    pub max_bytes: u64,
    /// Pixels of the image as it is sent.
    pub source_max_pixels: u64,
}

impl Default for ImageLimits {
    fn default() -> Self {
        // A decoded image takes up to eight bytes a pixel: 32 megapixels take 256 MiB, one at a time.
        Self { max_bytes: 16 << 20, source_max_pixels: 32 << 20 }
    }
}

/// The longest side. Formats other than PNG cannot have a longer one, and resampling tables grow with it.
const LONGEST_SIDE: u32 = 65_535;

/// The most bytes that one pixel takes: four channels of two.
const PIXEL_BYTES: u64 = 8;

/// What a decoder may take besides the pixels, for tables and metadata.
const DECODER_BYTES: u64 = 64 << 20;

/// An image: `[height, width, 3]` bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rgb {
    /// Pixels of a row.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Red, green and blue of every pixel.
    pub pixels: Vec<u8>,
}

/// Decodes an image, upright. Transparency lies on white, as image processors have it; of an animation the first frame
/// is taken.
pub fn decode(file: &MediaBytes, limits: ImageLimits) -> Result<Rgb, Fault> {
    let format = match file.format {
        Format::Png => ImageFormat::Png,
        Format::Jpeg => ImageFormat::Jpeg,
        _ => ImageFormat::WebP,
    };
    if file.bytes.len() as u64 > limits.max_bytes {
        return Err(Fault::TooLarge(limits.max_bytes));
    }
    let mut allowed = Limits::default();
    allowed.max_alloc = Some(limits.source_max_pixels.saturating_mul(PIXEL_BYTES).saturating_add(DECODER_BYTES));
    let mut reader = image::ImageReader::with_format(Cursor::new(file.bytes.as_slice()), format);
    reader.limits(allowed);
    let mut decoder = reader.into_decoder().map_err(|error| unreadable(&error, limits))?;
    let (width, height) = decoder.dimensions();
    if u64::from(width) * u64::from(height) > limits.source_max_pixels {
        return Err(Fault::TooManyPixels(limits.source_max_pixels));
    }
    if width.max(height) > LONGEST_SIDE {
        return Err(Fault::TooLong(u64::from(LONGEST_SIDE)));
    }
    if width == 0 || height == 0 || (file.format == Format::Jpeg && !jpeg::is_whole(&file.bytes)) {
        return Err(Fault::Malformed(BROKEN));
    }
    let orientation = decoder.orientation().map_err(|error| unreadable(&error, limits))?;
    let mut image = DynamicImage::from_decoder(decoder).map_err(|error| unreadable(&error, limits))?;
    image.apply_orientation(orientation);
    let (width, height) = (image.width() as usize, image.height() as usize);
    let pixels = if image.color().has_alpha() { on_white(&image.into_rgba8()) } else { image.into_rgb8().into_raw() };
    Ok(Rgb { width, height, pixels })
}

const BROKEN: &str = "is damaged or cut off; send the whole file";

fn unreadable(error: &ImageError, limits: ImageLimits) -> Fault {
    match error {
        ImageError::Limits(_) => Fault::TooManyPixels(limits.source_max_pixels),
        ImageError::Unsupported(_) => Fault::UnsupportedFormat("uses a part of its format that is not supported"),
        _ => Fault::Malformed(BROKEN),
    }
}

/// The arithmetic of Pillow's `alpha_composite` over opaque white.
fn on_white(pixels: &[u8]) -> Vec<u8> {
    let over = |value: u8, alpha: u8| {
        let (value, alpha) = (u32::from(value), u32::from(alpha));
        let sum = ((value * alpha + 255 * (255 - alpha)) << 7) + (0x80 << 7);
        u8::try_from((((sum >> 8) + sum) >> 8) >> 7).unwrap_or(u8::MAX)
    };
    let (pixels, _) = pixels.as_chunks::<4>();
    pixels.iter().flat_map(|[red, green, blue, alpha]| [red, green, blue].map(|value| over(*value, *alpha))).collect()
}
