//! How a package that answers typed questions describes itself: its own object in `rtrun.json`, or a public layout.

mod abstention;
mod calibration;
mod laya;
mod marker;
mod packed;
mod questions;

use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::files::PackageFiles;
use super::recognize::FamilyKind;
use super::weights::Weights;
use crate::error::Error;

pub use abstention::Abstention;
pub use calibration::{Calibration, CalibrationSettings};
pub use laya::LayaFiles;
pub use marker::{MarkerHeadSettings, MarkerSettings, StatementSettings};
pub use packed::{Markers, PackedHeadSettings, PackedSettings};
pub use questions::{QuestionSettings, QuestionType, SpanSettings};

/// The settings of a package that answers typed questions, and the file that holds its heads.
#[derive(Debug)]
pub struct Decisions {
    /// The family's settings.
    pub settings: DecisionSettings,
    /// The weights of the heads.
    pub weights: Arc<Weights>,
}

/// The settings of the two families.
#[derive(Debug, Clone)]
pub enum DecisionSettings {
    /// One row a question.
    Marker(MarkerSettings),
    /// All questions in one row.
    Packed(PackedSettings),
}

impl Decisions {
    /// Opens the file that holds the heads; `encoder` is the name of the encoder's file and the file, opened already.
    pub fn open(
        files: &PackageFiles,
        name: &str,
        settings: DecisionSettings,
        (encoder_file, encoder): (&str, &Arc<Weights>),
    ) -> Result<Self, Error> {
        let file = match &settings {
            DecisionSettings::Marker(settings) => &settings.head.file,
            DecisionSettings::Packed(settings) => &settings.head.file,
        };
        let weights =
            if file == encoder_file { Arc::clone(encoder) } else { Arc::new(Weights::open(files, name, file)?) };
        Ok(Self { settings, weights })
    }
}

impl DecisionSettings {
    /// The settings of a family: those of `rtrun.json`, or what a public layout stands for; `None` of other families.
    pub fn of(
        files: &PackageFiles,
        family: FamilyKind,
        object: Option<&Value>,
        laya: Option<LayaFiles>,
    ) -> Result<Option<Self>, Error> {
        let name = family.as_str();
        let settings = match (family, laya) {
            (FamilyKind::MarkerDecisions, Some(laya)) if object.is_none() => Ok(Self::Marker(laya.settings)),
            (FamilyKind::MarkerDecisions, _) => parse(name, object).map(Self::Marker),
            (FamilyKind::PackedDecisions, _) => parse(name, object).map(Self::Packed),
            (_, _) if object.is_none() => return Ok(None),
            (_, _) => {
                Err(format!("decisions needs the family \"marker_decisions\" or \"packed_decisions\", not {name:?}"))
            }
        };
        settings.map(Some).map_err(|problem| files.invalid("rtrun.json", problem))
    }
}

/// Parses the object of one family. The error says what is wrong with it.
fn parse<T: DeserializeOwned + Checked>(family: &str, object: Option<&Value>) -> Result<T, String> {
    let object = object.ok_or_else(|| format!("decisions is missing; the family {family:?} needs it"))?;
    let settings = T::deserialize(object).map_err(|error| format!("decisions: {error}"))?;
    settings.check().map_err(|problem| format!("decisions: {problem}"))?;
    Ok(settings)
}

/// Settings whose values can be wrong although their types are right.
trait Checked {
    /// Says which value is wrong and what would be right.
    fn check(&self) -> Result<(), String>;
}
