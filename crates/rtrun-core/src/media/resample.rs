//! Resampling as Pillow does it: separable, antialiased, in fixed point, so that models see the very pixels they were
//! trained on. Only the part of the result that is kept is ever computed.

use std::f64::consts::PI;
use std::ops::Range;

use super::decode::Rgb;

/// How source pixels are weighted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Filter {
    /// Pillow's 2.
    Bilinear,
    /// Pillow's 3.
    Bicubic,
    /// Pillow's 1.
    Lanczos,
}

/// The bits behind the point; eight are left for a pixel and two for weights beyond one.
const PRECISION_BITS: u32 = 32 - 8 - 2;

/// The source pixels that one pixel of the result is made of.
struct Taps {
    first: usize,
    weights: Vec<i32>,
}

/// What is added before the bits behind the point are cut off.
const HALF: i32 = 1 << (PRECISION_BITS - 1);

/// The part `columns` × `rows` of the image as it is when resized to `width` × `height`, as `[rows, columns, 3]` bytes.
pub fn resample(
    source: &Rgb,
    (width, height): (u64, u64),
    (columns, rows): (Range<u64>, Range<u64>),
    filter: Filter,
) -> Vec<u8> {
    let lost = |from: usize, to: u64| from as f64 - to as f64;
    let (lower, narrower) = (lost(source.height, height), lost(source.width, width));
    let wide = taps(source.width, width, columns, filter);
    let high = taps(source.height, height, rows, filter);
    // Pillow rounds to bytes between the two passes, so their order is part of the result: since its version 13 the
    // height goes first where it shrinks by more than twice as much.
    if lower > 0.0 && lower > 2.0 * narrower {
        let read = span(&wide);
        across(&down(source, read.clone(), &high, 0), 0..high.len(), &wide, read.start).pixels
    } else {
        let read = span(&high);
        down(&across(source, read.clone(), &wide, 0), 0..wide.len(), &high, read.start).pixels
    }
}

/// The pixels of a line that some taps read.
fn span(taps: &[Taps]) -> Range<usize> {
    let first = taps.iter().map(|taps| taps.first).min().unwrap_or(0);
    first..taps.iter().map(|taps| taps.first + taps.weights.len()).max().unwrap_or(first)
}

/// Some rows in their new width. The image begins `offset` pixels behind what taps count from.
fn across(image: &Rgb, rows: Range<usize>, taps: &[Taps], offset: usize) -> Rgb {
    let (width, height) = (taps.len(), rows.len());
    let mut pixels = Vec::with_capacity(height * width * 3);
    for row in rows {
        let row = &image.pixels[row * image.width * 3..][..image.width * 3];
        for Taps { first, weights } in taps {
            let (read, _) = row[(first - offset) * 3..].as_chunks::<3>();
            let mut sums = [HALF; 3];
            for (pixel, weight) in read.iter().zip(weights) {
                add(&mut sums, pixel, *weight);
            }
            pixels.extend(sums.map(byte));
        }
    }
    Rgb { width, height, pixels }
}

/// Some columns in their new height. The image begins `offset` pixels below what taps count from.
fn down(image: &Rgb, columns: Range<usize>, taps: &[Taps], offset: usize) -> Rgb {
    let (width, height) = (columns.len(), taps.len());
    let mut pixels = Vec::with_capacity(height * width * 3);
    let mut sums = vec![HALF; width * 3];
    for Taps { first, weights } in taps {
        sums.fill(HALF);
        for (row, weight) in (first - offset..).zip(weights) {
            let start = (row * image.width + columns.start) * 3;
            add(&mut sums, &image.pixels[start..start + width * 3], *weight);
        }
        pixels.extend(sums.iter().map(|sum| byte(*sum)));
    }
    Rgb { width, height, pixels }
}

fn add(sums: &mut [i32], values: &[u8], weight: i32) {
    for (sum, value) in sums.iter_mut().zip(values) {
        *sum += i32::from(*value) * weight;
    }
}

fn byte(sum: i32) -> u8 {
    u8::try_from((sum >> PRECISION_BITS).clamp(0, 255)).unwrap_or(u8::MAX)
}

/// The taps of some places of a line of `output` pixels made of `input` ones.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "places lie inside a line of at most 65,535 pixels, and weights are near one"
)]
fn taps(input: usize, output: u64, places: Range<u64>, filter: Filter) -> Vec<Taps> {
    let scale = input as f64 / output as f64;
    // Between more pixels there is nothing to average: the filter keeps its own width.
    let stretch = scale.max(1.0);
    let support = filter.support() * stretch;
    let tap = |place: u64| {
        let center = (place as f64 + 0.5) * scale;
        let first = (center - support + 0.5).max(0.0) as usize;
        let end = ((center + support + 0.5) as usize).min(input);
        let weight = |at: usize| filter.weight((at as f64 - center + 0.5) * (1.0 / stretch));
        let weights: Vec<f64> = (first..end).map(weight).collect();
        let sum: f64 = weights.iter().sum();
        let fixed = |weight: f64| {
            let scaled = (if sum == 0.0 { weight } else { weight / sum }) * f64::from(1 << PRECISION_BITS);
            (scaled + 0.5_f64.copysign(scaled)) as i32
        };
        Taps { first, weights: weights.into_iter().map(fixed).collect() }
    };
    places.map(tap).collect()
}

impl Filter {
    /// How far the filter reaches from its middle, in source pixels.
    fn support(self) -> f64 {
        match self {
            Self::Bilinear => 1.0,
            Self::Bicubic => 2.0,
            Self::Lanczos => 3.0,
        }
    }

    fn weight(self, at: f64) -> f64 {
        const A: f64 = -0.5;
        let sinc = |at: f64| if at == 0.0 { 1.0 } else { (at * PI).sin() / (at * PI) };
        let distance = at.abs();
        match self {
            Self::Bilinear => (1.0 - distance).max(0.0),
            Self::Bicubic if distance < 1.0 => ((A + 2.0) * distance - (A + 3.0)) * distance * distance + 1.0,
            Self::Bicubic if distance < 2.0 => (((distance - 5.0) * distance + 8.0) * distance - 4.0) * A,
            Self::Lanczos if distance < 3.0 => sinc(at) * sinc(at / 3.0),
            Self::Bicubic | Self::Lanczos => 0.0,
        }
    }
}
