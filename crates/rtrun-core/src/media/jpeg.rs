//! Whether a JPEG file is whole. The decoder fills what is missing with grey and says nothing.

const START_OF_SCAN: u8 = 0xDA;
const END_OF_IMAGE: u8 = 0xD9;

/// Walks from marker to marker, so that a thumbnail inside a segment cannot end the image.
pub fn is_whole(bytes: &[u8]) -> bool {
    // Behind the marker that every file begins with.
    let mut at = 2;
    loop {
        let Some(marker) = marker(bytes, &mut at) else { return false };
        match marker {
            END_OF_IMAGE => return true,
            // Markers without a segment.
            0x01 | 0xD0..=0xD8 => {}
            _ => {
                let Some(length) = bytes.get(at..at + 2) else { return false };
                at += usize::from(u16::from_be_bytes([length[0], length[1]])).max(2);
                if marker == START_OF_SCAN {
                    skip_scan(bytes, &mut at);
                }
            }
        }
    }
}

/// The next marker; `at` moves behind it. Fill bytes may stand in front.
fn marker(bytes: &[u8], at: &mut usize) -> Option<u8> {
    while *bytes.get(*at)? != 0xFF {
        *at += 1;
    }
    while *bytes.get(*at)? == 0xFF {
        *at += 1;
    }
    let marker = bytes[*at];
    *at += 1;
    Some(marker)
}

/// Moves to the marker behind coded data, in which a zero follows every byte that would look like one.
fn skip_scan(bytes: &[u8], at: &mut usize) {
    while let Some(pair) = bytes.get(*at..*at + 2) {
        if pair[0] == 0xFF && !matches!(pair[1], 0 | 0xD0..=0xD7 | 0xFF) {
            return;
        }
        *at += 1;
    }
    *at = bytes.len();
}
