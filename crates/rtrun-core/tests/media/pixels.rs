//! Pixels are those that Pillow and the published image processors make: exactly so where a format loses nothing.

use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rtrun_core::media::{Filter, Format, ImageLimits, MediaBytes, Preprocessing, Resize, Rgb, decode};
use serde_json::Value;

use crate::support::fixture;

/// By file: how far a byte may be off, and how far all bytes may be off on average. JPEG decoders differ in how they round
/// and how they scale colours up.
const TOLERANCES: [(&str, u8, f64); 11] = [
    ("rgb.png", 0, 0.0),
    ("palette.png", 0, 0.0),
    ("transparent.png", 0, 0.0),
    ("lossless.webp", 0, 0.0),
    ("transparent.webp", 0, 0.0),
    ("animated.webp", 0, 0.0),
    ("grey.jpg", 1, 0.05),
    ("turned.jpg", 1, 0.05),
    ("subsampled.jpg", 2, 0.5),
    ("progressive.jpg", 2, 0.5),
    ("lossy.webp", 0, 0.0),
];

fn preprocessing(name: &str) -> Preprocessing {
    let (resize, filter) = match name {
        "clip" => (Resize::ShortestEdge(32), Filter::Bicubic),
        "siglip" => (Resize::Exact(32, 32), Filter::Bilinear),
        "lanczos" => (Resize::ShortestEdge(21), Filter::Lanczos),
        other => panic!("{other}"),
    };
    let mean = [0.481_454_66, 0.457_827_5, 0.408_210_73];
    let deviation = [0.268_629_55, 0.261_302_6, 0.275_777_1];
    Preprocessing { size: (32, 32), resize, filter, factor: 1.0 / 255.0, mean, deviation }
}

fn expected() -> Value {
    serde_json::from_slice(&std::fs::read(fixture("images/expected.json")).unwrap()).unwrap()
}

fn pixels(name: &str, how: &Preprocessing) -> Vec<u8> {
    let format = match Path::new(name).extension().unwrap().to_str().unwrap() {
        "png" => Format::Png,
        "jpg" => Format::Jpeg,
        _ => Format::WebP,
    };
    let bytes = std::fs::read(fixture("images").join(name)).unwrap();
    how.pixels(&decode(&MediaBytes { format, bytes }, ImageLimits::default()).unwrap())
}

#[test]
fn every_format_becomes_the_pixels_of_the_published_processors() {
    for (name, most, mean) in TOLERANCES {
        for (how, recorded) in expected()["pixels"][name].as_object().unwrap() {
            let recorded = STANDARD.decode(recorded.as_str().unwrap()).unwrap();
            let found = pixels(name, &preprocessing(how));
            assert_eq!(found.len(), recorded.len(), "{name} {how}");
            let differences: Vec<u8> = found.iter().zip(&recorded).map(|(one, other)| one.abs_diff(*other)).collect();
            let worst = differences.iter().max().unwrap();
            let average = differences.iter().map(|value| f64::from(*value)).sum::<f64>() / differences.len() as f64;
            assert!(*worst <= most && average <= mean, "{name} {how}: {worst} at most, {average} on average");
        }
    }
}

#[test]
fn normalized_values_are_those_of_the_published_processor() {
    let recorded: Vec<Vec<f32>> = serde_json::from_value(expected()["first_row_of_rgb_normalized"].clone()).unwrap();
    let how = preprocessing("clip");
    let found = pixels("rgb.png", &how);
    for (channel, row) in recorded.iter().enumerate() {
        let (gain, offset) = how.gains()[channel];
        for (byte, value) in found[channel * 32 * 32..].iter().zip(row) {
            assert!((f32::from(*byte) * gain + offset - value).abs() < 1e-6, "{byte} {value}");
        }
    }
}

#[test]
fn an_image_of_extreme_sides_costs_no_more_than_what_is_kept_of_it() {
    // Scaled as a whole, the image would have two million rows.
    let pixels = (0..65_535_u32).flat_map(|row| [u8::try_from(row % 256).unwrap(); 3]).collect();
    let found = preprocessing("clip").pixels(&Rgb { width: 1, height: 65_535, pixels });
    assert_eq!(found.len(), 3 * 32 * 32);
    // The 32 rows that are kept lie within row 32767, which is white; the next one is black.
    assert!(found[16 * 32..17 * 32].iter().all(|value| *value >= 250), "{}", found[16 * 32]);
    assert!((100..=160).contains(&found[31 * 32]), "{}", found[31 * 32]);
}
