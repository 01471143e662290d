//! Choices that people write as words.

/// The one of `all` that has this word. The error is the part of a message that says what is wrong and what would be right.
pub fn named<T: Copy, const N: usize>(all: [T; N], word: fn(T) -> &'static str, written: &str) -> Result<T, String> {
    all.into_iter()
        .find(|one| word(*one) == written)
        .ok_or_else(|| format!("{written:?} is not supported yet; use {}", all.map(word).join(" or ")))
}
