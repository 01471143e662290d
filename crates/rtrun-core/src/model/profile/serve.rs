//! Which precision `max_speed` gets: the first candidate whose answers agree with those of `exact`.

use std::path::Path;

use super::agreement::{Agreement, Observed, compare, observe};
use super::ladder::{Rung, rungs};
use super::probes::{Probe, probes};
use super::report::{Profile, ProfileReport};
use super::verdict::{Verdict, keep, kept, verdict_path};
use crate::devices::Device;
use crate::engines::Encoder;
use crate::error::Error;
use crate::model::golden_check::Candidate;
use crate::model::place::{PlaceRequest, Placed, place_reduced};
use crate::package::{Architecture, Digests, Dtype, EncoderConfig};

/// Probes that a candidate answers before the rest is spent on it.
const FIRST: usize = 32;

/// A model that computes exactly.
pub struct Exact<'m> {
    /// The package, what it serves and its tokenizer.
    pub candidate: &'m Candidate<'m>,
    /// The digests of its weights.
    pub digests: &'m Digests,
    /// How it was placed.
    pub request: &'m PlaceRequest<'m>,
    /// The folder that verdicts are kept in; without one, every load compares again.
    pub verdicts: Option<&'m Path>,
}

/// Makes a candidate of the ladder.
type Reduced<'r> = &'r dyn Fn(&Rung) -> Result<Placed, Error>;

/// The encoder whose matmuls have a reduced form on this device. The error is why there is none.
pub fn reducible(architecture: &Architecture, device: Device) -> Result<&EncoderConfig, String> {
    let Architecture::Transformer(config) = architecture else {
        return Err("only graphs that are generated over model.safetensors have a reduced form".to_owned());
    };
    if device != Device::Cpu {
        return Err(format!("reduced precision is computed on the CPU only and the model is on {device}"));
    }
    Ok(config)
}

/// Chooses the precision of a model under `max_speed`. Gives `exact` back where no candidate may stand for it.
pub fn choose(model: &Exact, mut exact: Placed) -> Result<(Placed, ProfileReport), Error> {
    let package = model.candidate.package;
    let config = match reducible(&package.architecture, exact.device) {
        Ok(config) => config,
        Err(reason) => return Ok((exact, ProfileReport::fallback(reason))),
    };
    let weights = package.weights()?;
    let is_bytes = |name: &String| weights.place(name).is_ok_and(|place| place.dtype == Dtype::I8);
    let candidates = rungs(weights.names().iter().any(is_bytes));
    if candidates.is_empty() {
        let reason = "the processor lacks AVX2 or FMA";
        return Ok((exact, ProfileReport::fallback(reason)));
    }
    let golden = exact.golden.clone();
    let reduced = |rung: &Rung| place_reduced(model.candidate, config, (rung.reduction, golden.clone()), model.request);
    let path = model.verdicts.map(|folder| verdict_path(folder, package, model.digests));
    if let Some(verdict) = path.as_deref().and_then(|path| kept(path, &candidates)) {
        let rung = candidates.iter().find(|rung| Some(rung.name) == verdict.rung.as_deref());
        let placed = rung.map(reduced).transpose()?;
        return Ok((placed.unwrap_or(exact), report(&verdict)));
    }
    let (placed, verdict) = test(model.candidate, exact.encoder.as_mut(), &candidates, &reduced)?;
    if let Some(path) = path
        && let Err(error) = keep(&path, &verdict)
    {
        let folder = path.parent().unwrap_or(&path).display().to_string();
        tracing::warn!(folder, %error, "the verdict on max_speed cannot be kept; the next load compares again");
    }
    Ok((placed.unwrap_or(exact), report(&verdict)))
}

fn test(
    candidate: &Candidate,
    exact: &mut dyn Encoder,
    candidates: &[Rung],
    reduced: Reduced<'_>,
) -> Result<(Option<Placed>, Verdict), Error> {
    let probes = probes(candidate)?;
    let expected: Observed = observe(exact, candidate, &probes)?;
    let (mut last, mut shortfalls) = (None, Vec::new());
    for rung in candidates {
        let mut placed = reduced(rung)?;
        let shortfall = match found(placed.encoder.as_mut(), candidate, &probes, &expected) {
            Ok(agreement) => {
                tracing::debug!(precision = rung.name, ?agreement, "compared with exact");
                if agreement.is_enough() {
                    return Ok((Some(placed), Verdict::passed(rung.name, probes.len(), agreement)));
                }
                last = Some(agreement);
                agreement.shortfall()
            }
            Err(Error::InvalidModelOutput(_)) => "some answers are not finite".to_owned(),
            Err(other) => return Err(other),
        };
        shortfalls.push(format!("{}: {shortfall}", rung.name));
    }
    let reason = format!("no precision agrees with exact on {} probes ({})", probes.len(), shortfalls.join("; "));
    Ok((None, Verdict::failed(probes.len(), last, reason)))
}

/// How far a candidate agrees; after the first probes only, where these settle it.
fn found(
    encoder: &mut dyn Encoder,
    candidate: &Candidate,
    probes: &[Probe],
    expected: &Observed,
) -> Result<Agreement, Error> {
    let first = compare(expected, &observe(encoder, candidate, &probes[..probes.len().min(FIRST)])?);
    if first.is_hopeless() {
        return Ok(first);
    }
    Ok(compare(expected, &observe(encoder, candidate, probes)?))
}

fn report(verdict: &Verdict) -> ProfileReport {
    let compared = ProfileReport {
        probes: verdict.probes,
        label_agreement: verdict.labels,
        least_cosine: verdict.cosine,
        ..ProfileReport::full(Profile::MaxSpeed)
    };
    match &verdict.rung {
        Some(rung) => ProfileReport { precision: rung.clone(), ..compared },
        None => ProfileReport { served: Profile::Exact.as_str(), reason: verdict.reason.clone(), ..compared },
    }
}
