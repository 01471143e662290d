//! From the probabilities of a text's windows to those of the text.

/// How windows become one answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reduction {
    /// The mean, each window weighted by its tokens: what the text is about on the whole.
    Mean,
    /// The largest value of every label: whether it applies anywhere.
    Max,
    /// The window that is least of the background label: one bad paragraph is not averaged away by ten good ones.
    LeastBackground(usize),
}

impl Reduction {
    /// The word of the model card.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Mean => "mean",
            Self::Max => "max",
            Self::LeastBackground(_) => "least_background",
        }
    }

    /// The probabilities of a text from those of its windows, each with its number of tokens. There is at least one.
    pub fn apply(self, windows: &[(usize, Vec<f32>)]) -> Vec<f32> {
        let [(_, first), rest @ ..] = windows else { return Vec::new() };
        if rest.is_empty() {
            return first.clone();
        }
        match self {
            Self::Mean => {
                let total: usize = windows.iter().map(|(tokens, _)| tokens).sum();
                let mut mean = vec![0.0; first.len()];
                for (tokens, values) in windows {
                    let weight = *tokens as f32 / total.max(1) as f32;
                    mean.iter_mut().zip(values).for_each(|(mean, value)| *mean += weight * value);
                }
                mean
            }
            Self::Max => rest.iter().fold(first.clone(), |mut largest, (_, values)| {
                largest.iter_mut().zip(values).for_each(|(largest, value)| *largest = largest.max(*value));
                largest
            }),
            Self::LeastBackground(label) => {
                let least =
                    windows.iter().reduce(|least, other| if other.1[label] < least.1[label] { other } else { least });
                least.map(|(_, values)| values.clone()).unwrap_or_default()
            }
        }
    }
}
