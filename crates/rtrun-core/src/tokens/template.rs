//! The special tokens that a tokenizer puts around one text.

use tokenizers::Tokenizer;

/// The ids in front of and behind the text's own.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Template {
    pub before: Vec<u32>,
    pub after: Vec<u32>,
}

impl Template {
    /// Learns the template from probes; `None` if it is not a fixed frame.
    pub fn learn(tokenizer: &Tokenizer) -> Option<Self> {
        let ids =
            |text: &str, special| tokenizer.encode_fast(text, special).ok().map(|encoding| encoding.get_ids().to_vec());
        let probe = "a probe";
        let (bare, framed) = (ids(probe, false)?, ids(probe, true)?);
        let template = (0..=framed.len().checked_sub(bare.len())?)
            .filter(|at| framed[*at..].starts_with(&bare))
            .map(|at| Self { before: framed[..at].to_vec(), after: framed[at + bare.len()..].to_vec() })
            .find(|template| Some(template.frame(&[])) == ids("", true))?;
        ["b", "Two words.", "1 2 3"]
            .iter()
            .all(|text| ids(text, false).map(|bare| template.frame(&bare)) == ids(text, true))
            .then_some(template)
    }

    /// The ids with their frame.
    pub fn frame(&self, ids: &[u32]) -> Vec<u32> {
        [self.before.as_slice(), ids, &self.after].concat()
    }

    /// Number of special tokens.
    pub fn len(&self) -> usize {
        self.before.len() + self.after.len()
    }
}
