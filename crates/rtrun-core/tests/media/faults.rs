//! What is refused, and that it is refused before it costs anything.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rtrun_core::media::{Fault, Format, ImageLimits, MediaBytes, MediaKind, check_audio, decode, read_data_url};

use crate::support::image_file;

fn png_url(payload: &str) -> String {
    format!("data:image/png;base64,{payload}")
}

fn image(url: &str) -> Result<MediaBytes, Fault> {
    read_data_url(MediaKind::Image, url, None)
}

fn is_malformed<T>(result: &Result<T, Fault>) -> bool {
    matches!(result, Err(Fault::Malformed(_)))
}

fn is_unsupported_format<T>(result: &Result<T, Fault>) -> bool {
    matches!(result, Err(Fault::UnsupportedFormat(_)))
}

#[test]
fn a_data_url_gives_the_bytes_of_its_file() {
    let bytes = image_file("palette.png");
    let (padded, bare) = (STANDARD.encode(&bytes), STANDARD.encode(&bytes).trim_end_matches('=').to_owned());
    let expected = Ok(MediaBytes { format: Format::Png, bytes });
    for url in [
        png_url(&padded),
        png_url(&bare),
        format!("DATA:IMAGE/PNG;BASE64,{padded}"),
        format!("data:image/png;name=a.png;base64,{padded}"),
    ] {
        assert_eq!(image(&url), expected);
    }
}

#[test]
fn whatever_is_no_base64_data_url_of_its_type_is_malformed() {
    let png = STANDARD.encode(image_file("palette.png"));
    for url in [
        String::new(),
        png.clone(),
        "data:image/png;base64".to_owned(),
        format!("data:image/png,{png}"),
        "file:///etc/passwd".to_owned(),
        png_url(""),
        png_url("not base64!"),
        png_url(&format!("{png}===")),
        png_url(&png.replace('A', "A ")),
        png_url(&png.replace('/', "_")),
        format!("data:image/jpeg;base64,{png}"),
        format!("data:image/webp;base64,{png}"),
        png_url(&STANDARD.encode("GIF89a and so on")),
    ] {
        let found = image(&url);
        assert!(is_malformed(&found), "{found:?} {url}");
    }
}

#[test]
fn remote_addresses_and_other_types_are_refused_by_name() {
    for url in ["http://localhost/a.png", "https://example.com/a.png", "HTTPS://EXAMPLE.COM/a.png"] {
        assert_eq!(image(url), Err(Fault::Remote));
        assert_eq!(read_data_url(MediaKind::Video, url, None), Err(Fault::Remote));
    }
    for url in
        ["data:image/gif;base64,R0lG", "data:video/mp4;base64,AAAA", "data:;base64,AAAA", "data:text/plain;base64,"]
    {
        assert!(is_unsupported_format(&image(url)), "{url}");
    }
}

#[test]
fn byte_limits_hold_to_the_byte() {
    let bytes = image_file("palette.png");
    for extra in 0..3 {
        let bytes = [bytes.clone(), vec![0; extra]].concat();
        let (url, length) = (png_url(&STANDARD.encode(&bytes)), bytes.len() as u64);
        assert!(read_data_url(MediaKind::Image, &url, Some(length)).is_ok());
        assert_eq!(read_data_url(MediaKind::Image, &url, Some(length - 1)), Err(Fault::TooLarge(length - 1)));
    }
    let file = MediaBytes { format: Format::Png, bytes };
    let limits = |max_bytes| ImageLimits { max_bytes, ..ImageLimits::default() };
    let length = file.bytes.len() as u64;
    assert!(decode(&file, limits(length)).is_ok());
    assert_eq!(decode(&file, limits(length - 1)), Err(Fault::TooLarge(length - 1)));
}

#[test]
fn pixel_limits_hold_to_the_pixel_for_every_format() {
    for (name, format, pixels) in [
        ("rgb.png", Format::Png, 150 * 101),
        ("subsampled.jpg", Format::Jpeg, 150 * 101),
        ("lossy.webp", Format::WebP, 150 * 101),
        ("animated.webp", Format::WebP, 40 * 30),
    ] {
        let file = MediaBytes { format, bytes: image_file(name) };
        let limits = |source_max_pixels| ImageLimits { source_max_pixels, ..ImageLimits::default() };
        assert!(decode(&file, limits(pixels)).is_ok(), "{name}");
        assert_eq!(decode(&file, limits(pixels - 1)), Err(Fault::TooManyPixels(pixels - 1)), "{name}");
    }
}

/// The header of a PNG with these sides, and a few bytes of what should follow.
fn png_header(width: u32, height: u32) -> Vec<u8> {
    let mut header = b"IHDR".to_vec();
    header.extend(width.to_be_bytes());
    header.extend(height.to_be_bytes());
    header.extend([8, 2, 0, 0, 0]);
    let mut file = b"\x89PNG\r\n\x1A\n\0\0\0\x0D".to_vec();
    file.extend(&header);
    file.extend(crc(&header).to_be_bytes());
    file.extend(b"\0\0\x10\0IDATx\x9C");
    file
}

fn crc(bytes: &[u8]) -> u32 {
    let step = |crc: u32, _| if crc & 1 == 1 { crc >> 1 ^ 0xEDB8_8320 } else { crc >> 1 };
    !bytes.iter().fold(u32::MAX, |crc, byte| (0..8).fold(crc ^ u32::from(*byte), step))
}

#[test]
fn a_header_that_announces_more_than_the_limit_is_enough_to_refuse_an_image() {
    let limits = ImageLimits::default();
    let refuse = |width, height| {
        decode(&MediaBytes { format: Format::Png, bytes: png_header(width, height) }, limits).unwrap_err()
    };
    assert_eq!(refuse(60_000, 60_000), Fault::TooManyPixels(limits.source_max_pixels));
    assert_eq!(refuse(u32::MAX >> 1, u32::MAX >> 1), Fault::TooManyPixels(limits.source_max_pixels));
    assert_eq!(refuse(1_000_000, 1), Fault::TooLong(65_535));
    assert!(matches!(refuse(100, 100), Fault::Malformed(_)));
    assert!(matches!(refuse(0, 100), Fault::Malformed(_)));
}

#[test]
fn damaged_and_cut_files_are_malformed() {
    for (name, format) in [
        ("rgb.png", Format::Png),
        ("palette.png", Format::Png),
        ("turned.jpg", Format::Jpeg),
        ("progressive.jpg", Format::Jpeg),
        ("lossy.webp", Format::WebP),
        ("lossless.webp", Format::WebP),
        ("animated.webp", Format::WebP),
    ] {
        let whole = image_file(name);
        let read = |bytes: Vec<u8>| decode(&MediaBytes { format, bytes }, ImageLimits::default());
        assert!(read(whole.clone()).is_ok(), "{name}");
        for kept in [16, whole.len() / 10, whole.len() / 2, whole.len() - 40] {
            // Of an animation the first frame is enough.
            if name != "animated.webp" || kept < whole.len() / 3 {
                assert!(is_malformed(&read(whole[..kept].to_vec())), "{name}: {kept} of {} bytes", whole.len());
            }
        }
        let noise = (0..2000_u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 24) as u8);
        assert!(is_malformed(&read(whole[..16].iter().copied().chain(noise).collect())), "{name}");
    }
}

#[test]
fn bytes_behind_a_whole_image_do_no_harm() {
    for (name, format) in [("turned.jpg", Format::Jpeg), ("rgb.png", Format::Png)] {
        let file = |bytes| MediaBytes { format, bytes };
        let whole = decode(&file(image_file(name)), ImageLimits::default());
        let longer = decode(&file([image_file(name), vec![7; 100]].concat()), ImageLimits::default());
        assert_eq!(whole, longer, "{name}");
    }
}

#[test]
fn videos_are_told_by_their_containers() {
    let read = |media_type: &str, bytes: &[u8]| {
        let url = format!("data:{media_type};base64,{}", STANDARD.encode(bytes));
        read_data_url(MediaKind::Video, &url, None).map(|file| file.format)
    };
    let (mp4, quick_time, old) = (b"\0\0\0\x18ftypisom", b"\0\0\0\x14ftypqt  ", b"\0\0\0\x08wide");
    let webm = b"\x1A\x45\xDF\xA3\x9F\x42\x86\x81\x01\x42\x82\x84webm";
    let matroska = b"\x1A\x45\xDF\xA3\x9F\x42\x86\x81\x01\x42\x82\x88matroska";
    assert_eq!(read("video/mp4", mp4), Ok(Format::Mp4));
    assert_eq!(read("video/quicktime", quick_time), Ok(Format::QuickTime));
    assert_eq!(read("video/quicktime", old), Ok(Format::QuickTime));
    assert_eq!(read("video/webm", webm), Ok(Format::WebM));
    assert_eq!(read("video/x-matroska", matroska), Ok(Format::Matroska));
    for (media_type, bytes) in [
        ("video/mp4", webm.as_slice()),
        ("video/mp4", b"\0\0\0\x18"),
        ("video/webm", matroska),
        ("video/webm", mp4),
        ("video/x-matroska", b"\x1A\x45\xDF\xA3"),
        ("video/quicktime", b"RIFF    AVI "),
    ] {
        assert!(is_malformed(&read(media_type, bytes)), "{media_type} {bytes:?}");
    }
    assert!(is_unsupported_format(&read("video/x-msvideo", b"RIFF    AVI ")));
}

#[test]
fn audio_is_told_by_its_first_bytes() {
    assert_eq!(check_audio(&STANDARD.encode(b"RIFF\0\0\0\0WAVEfmt "), "wav"), Ok(()));
    assert_eq!(check_audio(&STANDARD.encode(b"ID3\x04"), "mp3"), Ok(()));
    assert!(is_malformed(&check_audio(&STANDARD.encode(b"ID3\x04"), "wav")));
    assert!(is_malformed(&check_audio("not base64", "wav")));
    assert!(is_unsupported_format(&check_audio("AAAA", "flac")));
}

#[test]
fn errors_hold_nothing_of_what_they_refuse() {
    let secret = "c2VjcmV0c2VjcmV0";
    for url in
        [png_url(secret), format!("https://user:{secret}@example.com/"), format!("data:image/{secret};base64,AAAA")]
    {
        let error = image(&url).unwrap_err().at(MediaKind::Image, "input[0]", "model");
        assert!(!error.to_string().contains(secret) && !error.to_string().contains("example.com"), "{error}");
        assert!(error.to_string().starts_with("input[0] "), "{error}");
    }
}
