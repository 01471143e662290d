//! Generated texts that hold everything a tokenizer treats specially.

/// A small generator with a fixed seed.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % bound
    }
}

const PIECES: &[&str] = &[
    "hello",
    "world",
    "Quick",
    "a",
    "I",
    "token",
    "ing",
    "über",
    "naïve",
    "x",
    "7",
    "2026",
    "don't",
    "e.g.",
    "[SEP]",
    "[MASK]",
    "[UNK",
    "]",
    "中文",
    "日本",
    "カタカナ",
    "한국어",
    "ไทย",
    "привет",
    "שלום",
    "مرحبا",
    "ß",
    "İ",
    "ſ",
    "ﬁ",
    "🙂",
    "👩\u{200d}👩\u{200d}👧",
    "🇩🇪",
    "e\u{301}",
    "o\u{308}\u{323}",
    "\u{200d}",
    "\u{200b}",
    "\u{feff}",
    "\u{0}",
    "\u{ad}",
    "\u{85}",
    "\u{fffd}",
    "€",
    "™",
    "½",
    "²",
    "→",
    "…",
    "—",
    "“",
    "”",
    "¿",
    "$",
    "+",
    "_",
    "-",
    "--",
    "...",
    "!!",
    "(",
    ")",
    "/",
    "\\",
    "#",
    "@",
];
const GAPS: &[&str] = &["", "", " ", " ", " ", "  ", "\n", "\r\n", "\t", "\u{a0}", "\u{3000}", "\u{2009}"];

/// A text of about `pieces` pieces.
pub fn text(random: &mut Random, pieces: usize) -> String {
    let mut text = String::new();
    for _ in 0..pieces {
        match random.below(40) {
            // A run without a boundary, around the length at which WordPiece gives up on a word.
            0 => text.push_str(&"abcxyz019".repeat(random.below(60))),
            1 => text.push_str(&"é".repeat(random.below(150))),
            2 => text.push_str(&" ".repeat(random.below(80))),
            3 => text.push_str(&"!?.".repeat(random.below(40))),
            4 => text.push_str(&"漢".repeat(random.below(80))),
            _ => text.push_str(PIECES[random.below(PIECES.len())]),
        }
        text.push_str(GAPS[random.below(GAPS.len())]);
    }
    text
}
