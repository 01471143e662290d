//! From an image of any size to the pixels of a model, as the author's image processor makes them.

use std::ops::Range;

use super::decode::Rgb;
use super::resample::{Filter, resample};

/// What `preprocessor_config.json` says.
#[derive(Debug, Clone, PartialEq)]
pub struct Preprocessing {
    /// Height and width of what the model reads.
    pub size: (usize, usize),
    /// How an image is scaled first.
    pub resize: Resize,
    /// How pixels are weighted while scaling.
    pub filter: Filter,
    /// What a byte is multiplied by.
    pub factor: f64,
    /// What is then subtracted, by channel.
    pub mean: [f32; 3],
    /// What the rest is divided by, by channel.
    pub deviation: [f32; 3],
}

/// How an image is scaled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Resize {
    /// Its shorter edge gets this length, its sides keep their ratio, and the middle is cut out.
    ShortestEdge(usize),
    /// It gets this height and width, whatever its ratio is, and the middle is cut out.
    Exact(usize, usize),
}

impl Preprocessing {
    /// The pixels that the model reads, `[3, height, width]` bytes, not normalized yet.
    pub fn pixels(&self, image: &Rgb) -> Vec<u8> {
        let (height, width) = self.size;
        let (wide, high) = self.resize.sides(image.width, image.height);
        let (columns, left) = middle(wide, width);
        let (rows, top) = middle(high, height);
        let kept = columns.end - columns.start;
        let found = resample(image, (wide, high), (columns, rows), self.filter);
        let (found, _) = found.as_chunks::<3>();
        // What is smaller than the cut lies on black.
        let mut pixels = vec![0; 3 * height * width];
        for (at, pixel) in (0_u64..).zip(found) {
            let place = (top + index(at / kept)) * width + left + index(at % kept);
            for (channel, value) in pixel.iter().enumerate() {
                pixels[channel * height * width + place] = *value;
            }
        }
        pixels
    }

    /// The normalized values that the bytes of [`Self::pixels`] stand for, as a gain and an offset by channel.
    #[allow(clippy::cast_possible_truncation, reason = "the nearest float is what is wanted")]
    pub fn gains(&self) -> [(f32, f32); 3] {
        let gain = |channel: usize| {
            let (mean, deviation) = (f64::from(self.mean[channel]), f64::from(self.deviation[channel]));
            ((self.factor / deviation) as f32, (-mean / deviation) as f32)
        };
        [gain(0), gain(1), gain(2)]
    }
}

impl Resize {
    /// Width and height behind scaling.
    fn sides(self, width: usize, height: usize) -> (u64, u64) {
        match self {
            Self::Exact(height, width) => (width as u64, height as u64),
            Self::ShortestEdge(edge) => {
                let (short, long) = (width.min(height) as u64, width.max(height) as u64);
                // The published code divides floats and cuts; below 2^53 that is the same.
                let scaled = edge as u64 * long / short;
                if width <= height { (edge as u64, scaled) } else { (scaled, edge as u64) }
            }
        }
    }
}

/// The part of a side that is kept when `wanted` pixels are cut out of its middle, and where it begins in them.
fn middle(side: u64, wanted: usize) -> (Range<u64>, usize) {
    let wanted = wanted as u64;
    if side < wanted {
        (0..side, index((wanted - side).div_ceil(2)))
    } else {
        let start = (side - wanted) / 2;
        (start..start + wanted, 0)
    }
}

fn index(value: u64) -> usize {
    usize::try_from(value).unwrap_or(usize::MAX)
}
