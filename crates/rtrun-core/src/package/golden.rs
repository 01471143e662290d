//! `golden.json`: probe inputs and the answers an independent implementation gave.

use serde::Deserialize;

use super::files::PackageFiles;
use super::golden_decisions::GoldenDecisions;
use crate::error::Error;

const GOLDEN: &str = "golden.json";

/// The recorded probes of a package.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Golden {
    schema: u32,
    /// Which implementation gave the answers.
    pub reference: String,
    /// The largest absolute difference that still counts as equal.
    pub tolerance: f32,
    /// Probes of the sentence vector.
    #[serde(default)]
    pub embeddings: Vec<GoldenEmbedding>,
    /// Probes of the vector of an image.
    #[serde(default)]
    pub images: Vec<GoldenImage>,
    /// Probes of heads.
    #[serde(default)]
    pub classify: Vec<GoldenClassify>,
    /// Probes of typed questions.
    #[serde(default)]
    pub decisions: Vec<GoldenDecisions>,
}

/// One text and its whole sentence vector.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GoldenEmbedding {
    /// The probe.
    pub text: String,
    /// The recorded answer.
    pub vector: Vec<f32>,
}

/// One image and its whole vector.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GoldenImage {
    /// The probe, a data URL. Other decoders may differ where a format loses something, so it is best a PNG.
    pub image: String,
    /// The recorded answer.
    pub vector: Vec<f32>,
}

/// One text and the probabilities of one head.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GoldenClassify {
    /// The head that answers.
    pub head: String,
    /// The probe.
    pub text: String,
    /// The recorded answer, in label order.
    pub probabilities: Vec<f32>,
}

impl Golden {
    /// Reads the file; `None` if the package has none.
    pub fn open(package: &PackageFiles) -> Result<Option<Self>, Error> {
        let Some(golden) = package.read_json::<Self>(GOLDEN)? else { return Ok(None) };
        if golden.schema != 1 {
            return Err(package.invalid(GOLDEN, format_args!("schema is {}; only 1 is known", golden.schema)));
        }
        if !(golden.tolerance.is_finite() && golden.tolerance >= 0.0) {
            return Err(package.invalid(GOLDEN, "tolerance must be a number of at least 0"));
        }
        if let Some(at) = golden.decisions.iter().position(|probe| probe.questions.is_empty()) {
            return Err(package.invalid(GOLDEN, format_args!("decisions[{at}].questions is empty; ask at least one")));
        }
        if golden.probes() == 0 {
            return Err(package.invalid(GOLDEN, "has no probe; record at least one"));
        }
        Ok(Some(golden))
    }

    /// How many probes there are.
    pub fn probes(&self) -> usize {
        self.embeddings.len() + self.images.len() + self.classify.len() + self.decisions.len()
    }
}
