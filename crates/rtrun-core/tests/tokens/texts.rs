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
    // Tokens that tokenizers find before anything else, and what looks like one only after normalization.
    "<mask>",
    "  <mask>  ",
    "</s>",
    "[UNK]",
    "［UNK］",
    "|||IP_ADDRESS|||",
    "\n\n\n",
    "▁",
    "▁▁",
    // Characters that normalization expands, joins or turns into white space.
    "ﷺ",
    "㎏",
    "⑴",
    "①",
    "ŀ.",
    "´",
    "‗",
    "﹉",
    "ｶﾞ",
    "漢ﾞ",
    "ำ",
    "ᄒ",
    "ᅡ",
    "ᆫ",
    "＜",
    "≠",
    "<\u{338}",
    "K",
    "Ａ",
    "\u{1}",
    "\u{c}",
    "⸘",
    "𝕳",
    "𠀀𠀁",
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

/// A text with a stretch of one kind that is longer than what is read beyond a budget to find a better cut.
pub fn stretched(random: &mut Random) -> String {
    const SEEDS: &[&str] = &[
        "a",
        "ab1",
        "0123456789",
        "hello",
        "é",
        "привет",
        " ",
        "\n",
        "\r\n",
        "\t ",
        ".",
        "-",
        "!?",
        "。",
        "中",
        "漢字",
        "哈哈",
        "🙂",
        "€+",
        "カタカナ",
        "\u{a0}",
        "e\u{301}",
        "ไทย",
        "한국어",
        "\u{200b}",
        "token ",
        "don't ",
        "ﬁ",
        "𠀀",
        "👩\u{200d}👧",
    ];
    let seed = SEEDS[random.below(SEEDS.len())];
    let length = 6_000 + random.below(6_000);
    let (before, after) = (random.below(12), random.below(12));
    [text(random, before), seed.repeat(length / seed.len()), text(random, after)].concat()
}
