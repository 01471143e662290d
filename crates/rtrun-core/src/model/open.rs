//! From options to a model that computes: opened, placed, checked, in the precision of its profile.

use super::back_lane::{Behind, Given, back_lane};
use super::blueprint::Blueprint;
use super::golden_check::Candidate;
use super::place::{PlaceRequest, Placed, place};
use super::profile::{Exact, Profile, ProfileReport, choose};
use crate::devices::Device;
use crate::error::Error;
use crate::families::Surfaces;
use crate::media::{ImageLimits, ImageReader};
use crate::options::{EngineOptions, ModelOptions};
use crate::package::{Architecture, Digests, FamilyKind, Package, PackageFolder};
use crate::tokens::TextReader;

/// How far the answer of a row may move under `batching` by sharing a forward, as a part of its largest number: what
/// another order of additions does.
const ROUNDING: f32 = 1e-4;

/// A package whose parts fit each other. Its weights have not been used yet.
pub struct Opened {
    package: Package,
    reader: TextReader,
    blueprint: Blueprint,
    profile: Profile,
}

/// A package that computes and whose answers have been checked.
pub struct Ready {
    pub package: Package,
    pub reader: TextReader,
    pub surfaces: Surfaces,
    pub images: Option<ImageReader>,
    pub placed: Placed,
    /// The lane for long work, where there is one.
    pub back: Option<Behind>,
    pub digests: Digests,
    pub profile: ProfileReport,
}

impl Opened {
    /// Opens the package of a model.
    pub fn begin(asked: &ModelOptions) -> Result<Self, Error> {
        let package = Package::open_at(PackageFolder {
            name: &asked.name,
            folder: &asked.path,
            base: asked.base_path.as_deref(),
            family: asked.family_choice().map_err(Error::InvalidOptions)?,
        })?;
        let profile = asked.profile_choice().map_err(Error::InvalidOptions)?;
        check_profile(profile, package.family, &asked.name)?;
        let is_static = matches!(package.architecture, Architecture::Static(_));
        let reader = TextReader::new(&package.tokenizer, !is_static)
            .map_err(|problem| package.files.invalid("tokenizer.json", problem))?;
        let blueprint = Blueprint::of(&package, &reader)?;
        Ok(Self { package, reader, blueprint, profile })
    }

    /// Bytes the weights will take under `exact`, which every profile begins with.
    pub fn memory_bytes(&self) -> u64 {
        self.blueprint.memory_bytes()
    }

    /// Makes the sessions and checks their answers. `warming` is called when checking begins.
    pub fn place(
        self,
        asked: &ModelOptions,
        options: &EngineOptions,
        warming: &(dyn Fn() + Sync),
    ) -> Result<Ready, Error> {
        let Self { package, reader, blueprint, profile } = self;
        let surfaces = Surfaces::open(&package, &reader, blueprint.dimension())?;
        let request = PlaceRequest {
            library: &options.runtime_library,
            threads: options.threads,
            choice: asked.device_choice().map_err(Error::InvalidOptions)?,
            max_batch_tokens: options.max_batch_tokens,
            closeness: if profile == Profile::Batching { ROUNDING } else { 0.0 },
            warming,
        };
        let images = image_reader(&package);
        let candidate = Candidate { package: &package, surfaces: &surfaces, reader: &reader, images: images.as_ref() };
        // Hashing the weights and making the session both read them once, for about as long.
        let (digests, placed) = std::thread::scope(|scope| {
            let digests = scope.spawn(|| package.digests());
            let placed = place(&candidate, blueprint, &request);
            (digests.join(), placed)
        });
        let mut placed = placed?;
        let digests = digests.map_err(|_| Error::Internal("Hashing the weights failed".to_owned()))??;
        let mut report = ProfileReport::full(profile);
        if profile == Profile::MaxSpeed {
            let verdicts = options.verdicts.as_deref();
            let exact = Exact { candidate: &candidate, digests: &digests, request: &request, verdicts };
            (placed, report) = choose(&exact, placed)?;
            if let Some(reason) = &report.reason {
                tracing::warn!(model = %package.name, reason, "max_speed is not served");
            }
        }
        let is_static = matches!(package.architecture, Architecture::Static(_));
        let has_lanes = !is_static && placed.device == Device::Cpu;
        // A budget is for what models cannot do without.
        let may_copy = asked.memory_budget_bytes.or(options.memory_budget_bytes).is_none();
        let given = Given { has_twin: placed.has_twin, may_copy };
        let back = if has_lanes { back_lane(&candidate, placed.encoder.as_mut(), given) } else { None };
        Ok(Ready { package, reader, surfaces, images, placed, back, digests, profile: report })
    }
}

/// What reads the images of a package whose model takes any.
fn image_reader(package: &Package) -> Option<ImageReader> {
    let Architecture::Towers(towers) = &package.architecture else { return None };
    let tokens = towers.config.image_tokens();
    Some(ImageReader::new(towers.preprocessing.clone(), ImageLimits::default(), tokens))
}

/// Refuses a profile that the family does not have.
fn check_profile(profile: Profile, family: FamilyKind, model: &str) -> Result<(), Error> {
    if profile == Profile::SharedContext && family != FamilyKind::PackedDecisions {
        let (shared, exact) = (profile.as_str(), Profile::Exact.as_str());
        return Err(Error::InvalidOptions(format!(
            "Cannot load model {model:?} with the profile {shared:?}: its family {:?} reads a state anew for every question; use {exact:?}, or a model of the family \"packed_decisions\"",
            family.as_str()
        )));
    }
    Ok(())
}
