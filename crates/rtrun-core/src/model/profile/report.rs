//! The profiles there are, and what a model card says about the one that was asked for.

use std::str::FromStr;

use serde::Serialize;

use crate::named::named;

/// How far a model may leave 32-bit arithmetic and the company of single rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Profile {
    /// 32-bit floats; rows share a forward only where that changes no bit of their answers.
    Exact,
    /// 32-bit floats; rows share a forward where that changes no more than rounding does.
    Batching,
    /// A state is read once for all its questions; the same numbers as those of `exact`.
    SharedContext,
    /// Matmuls in reduced precision, where the package's answers stay the same.
    MaxSpeed,
}

impl Profile {
    /// Every profile, in the order in which messages and cards name them.
    pub const ALL: [Self; 4] = [Self::Exact, Self::Batching, Self::SharedContext, Self::MaxSpeed];

    /// The word of the options and the card.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Batching => "batching",
            Self::SharedContext => "shared_context",
            Self::MaxSpeed => "max_speed",
        }
    }
}

impl FromStr for Profile {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        named(Self::ALL, Self::as_str, name)
    }
}

/// What became of the profile that was asked for.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ProfileReport {
    /// The profile that was asked for.
    pub asked: &'static str,
    /// The profile that is served.
    pub served: &'static str,
    /// In which precision matmuls are computed.
    pub precision: String,
    /// Texts on which the answers were compared; 0 where there was nothing to compare.
    pub probes: usize,
    /// The part of the labels that agree with `exact`; absent where the package has no labels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label_agreement: Option<f64>,
    /// The least cosine of a vector with that of `exact`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub least_cosine: Option<f64>,
    /// Why another profile is served than was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// The precision of everything but `max_speed`.
pub const FULL_PRECISION: &str = "float32";

impl ProfileReport {
    /// The report of a profile that computes in full precision.
    pub fn full(profile: Profile) -> Self {
        Self {
            asked: profile.as_str(),
            served: profile.as_str(),
            precision: FULL_PRECISION.to_owned(),
            probes: 0,
            label_agreement: None,
            least_cosine: None,
            reason: None,
        }
    }

    /// The report of a model that serves `exact` because `max_speed` is out of the question.
    pub fn fallback(reason: impl Into<String>) -> Self {
        Self { served: Profile::Exact.as_str(), reason: Some(reason.into()), ..Self::full(Profile::MaxSpeed) }
    }

    /// What decides a kept result besides the model: two precisions give two results.
    pub fn conditions(&self) -> String {
        format!("{} {}", self.served, self.precision)
    }
}
