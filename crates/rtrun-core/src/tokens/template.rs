//! The special tokens that a tokenizer puts around one text or a pair of texts.

use tokenizers::Tokenizer;

/// The ids in front of and behind the text's own.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Template {
    /// In front.
    pub before: Vec<u32>,
    /// Behind.
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
    pub fn special_tokens(&self) -> usize {
        self.before.len() + self.after.len()
    }
}

/// The ids in front of, between and behind the texts of a pair.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PairTemplate {
    before: Vec<u32>,
    between: Vec<u32>,
    after: Vec<u32>,
    /// How many of the ids between belong to the first segment; `None` where the tokenizer counts all as one segment.
    first_of_between: Option<usize>,
}

impl PairTemplate {
    /// Learns the template from probes; `None` if the tokenizer does not put two texts into one row in this order.
    pub fn learn(tokenizer: &Tokenizer, single: &Template) -> Option<Self> {
        let bare = |text: &str| tokenizer.encode_fast(text, false).ok().map(|encoding| encoding.get_ids().to_vec());
        let framed = |one: &str, other: &str| {
            // The fast way of encoding does not tell segments.
            let encoding = tokenizer.encode((one, other), true).ok()?;
            let types = encoding.get_type_ids();
            let second_from = types.iter().position(|kind| *kind == 1).unwrap_or(types.len());
            // A second segment reaches to the end.
            let is_known = types[second_from..].iter().all(|kind| *kind == 1)
                && types[..second_from].iter().all(|kind| *kind == 0);
            is_known.then(|| (encoding.get_ids().to_vec(), second_from))
        };
        let (one, other) = ("a probe", "two words");
        let (first, second, (both, second_from)) = (bare(one)?, bare(other)?, framed(one, other)?);
        let rest = both.strip_prefix(single.before.as_slice())?.strip_prefix(first.as_slice())?;
        let first_of_between = match second_from {
            from if from == both.len() => None,
            from => Some(from.checked_sub(both.len() - rest.len())?),
        };
        let template = (0..=rest.len().checked_sub(second.len())?)
            .filter(|at| rest[*at..].starts_with(&second))
            .map(|at| Self {
                before: single.before.clone(),
                between: rest[..at].to_vec(),
                after: rest[at + second.len()..].to_vec(),
                first_of_between,
            })
            .find(|template| Some(template.frame(&[], &[])) == framed("", ""))?;
        [("b", ""), ("", "c"), ("Two words.", "1 2 3")]
            .iter()
            .all(|(one, other)| match (bare(one), bare(other)) {
                (Some(first), Some(second)) => Some(template.frame(&first, &second)) == framed(one, other),
                _ => false,
            })
            .then_some(template)
    }

    /// The ids of a pair with their frame, and where the second segment begins: the number of ids where the tokenizer
    /// counts both texts as one segment.
    pub fn frame(&self, first: &[u32], second: &[u32]) -> (Vec<u32>, usize) {
        let ids = [self.before.as_slice(), first, &self.between, second, &self.after].concat();
        let second_from = self.first_of_between.map_or(ids.len(), |between| self.before.len() + first.len() + between);
        (ids, second_from)
    }

    /// Where the ids of the first text begin in a framed row.
    pub fn first_from(&self) -> usize {
        self.before.len()
    }

    /// Where the ids of the second text begin in a framed row whose first text has `first` ids.
    pub fn second_from(&self, first: usize) -> usize {
        self.before.len() + first + self.between.len()
    }

    /// Number of special tokens.
    pub fn special_tokens(&self) -> usize {
        self.before.len() + self.between.len() + self.after.len()
    }
}
