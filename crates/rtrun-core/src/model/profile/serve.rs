//! Which precision `max_speed` gets: the first candidate whose answers agree with those of `exact`.

use std::path::Path;

use super::agreement::{Agreement, Observed, compare, observe, wanted};
use super::ladder::{Rung, rungs};
use super::probes::probe_rows;
use super::report::{Profile, ProfileReport};
use super::verdict::{Verdict, keep, kept, verdict_path};
use crate::engines::{Encoder, RowRequest};
use crate::error::Error;
use crate::families::Surfaces;
use crate::graph::{Graph, reduced_trunk_graph};
use crate::package::{Architecture, Dtype, Package};
use crate::tokens::TextReader;

/// Probes that a candidate answers before the rest is spent on it.
const FIRST: usize = 32;

/// A model that is checked and computes exactly.
pub struct Exact<'m> {
    /// The package.
    pub package: &'m Package,
    /// What it serves.
    pub surfaces: &'m Surfaces,
    /// Its tokenizer.
    pub reader: &'m TextReader,
    /// The folder that verdicts are kept in; without one, every load compares again.
    pub verdicts: Option<&'m Path>,
}

/// Makes an encoder of something.
pub type Open<'o, T> = &'o dyn Fn(&T) -> Result<Box<dyn Encoder>, Error>;

/// What `max_speed` became.
pub struct Chosen {
    /// The encoder in reduced precision; `None` where `exact` is served.
    pub encoder: Option<Box<dyn Encoder>>,
    /// What became of the profile.
    pub report: ProfileReport,
}

/// Chooses the precision of a model. `open` makes an encoder of a graph.
pub fn choose(model: &Exact, exact: &mut dyn Encoder, open: Open<'_, Graph>) -> Result<Chosen, Error> {
    let fallback = |reason: &str| Ok(Chosen { encoder: None, report: ProfileReport::fallback(reason) });
    let Architecture::Transformer(config) = &model.package.architecture else {
        return fallback("only graphs that are generated over model.safetensors have a reduced form");
    };
    let weights = model.package.weights()?;
    let is_bytes = |name: &String| weights.place(name).is_ok_and(|place| place.dtype == Dtype::I8);
    let candidates = rungs(weights.names().iter().any(is_bytes));
    if candidates.is_empty() {
        return fallback("the processor has neither AVX-512 VNNI nor AVX-512 BF16");
    }
    let reduced = |rung: &Rung| open(&reduced_trunk_graph(weights, config, None, rung.reduction)?);
    let path = model.verdicts.map(|folder| verdict_path(folder, model.package));
    if let Some(verdict) = path.as_deref().and_then(kept) {
        let rung = candidates.iter().find(|rung| Some(rung.name) == verdict.rung.as_deref());
        return Ok(Chosen { encoder: rung.map(reduced).transpose()?, report: report(&verdict) });
    }
    let (encoder, verdict) = test(model, exact, &candidates, &reduced)?;
    if let Some(path) = path
        && let Err(error) = keep(&path, &verdict)
    {
        let folder = path.parent().unwrap_or(&path).display().to_string();
        tracing::warn!(folder, %error, "the verdict on max_speed cannot be kept; the next load compares again");
    }
    Ok(Chosen { encoder, report: report(&verdict) })
}

fn test(
    model: &Exact,
    exact: &mut dyn Encoder,
    candidates: &[Rung],
    reduced: Open<'_, Rung>,
) -> Result<(Option<Box<dyn Encoder>>, Verdict), Error> {
    let surfaces = model.surfaces;
    let probes: Vec<RowRequest> = probe_rows(model.package, model.reader, wanted(surfaces))?;
    let expected: Observed = observe(exact, surfaces, &probes)?;
    let (mut last, mut shortfalls) = (None, Vec::new());
    for rung in candidates {
        let mut encoder = reduced(rung)?;
        let shortfall = match found(encoder.as_mut(), surfaces, &probes, &expected) {
            Ok(agreement) => {
                tracing::debug!(precision = rung.name, ?agreement, "compared with exact");
                if agreement.is_enough() {
                    return Ok((Some(encoder), Verdict::passed(rung.name, probes.len(), agreement)));
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
    surfaces: &Surfaces,
    probes: &[RowRequest],
    expected: &Observed,
) -> Result<Agreement, Error> {
    let first = compare(expected, &observe(encoder, surfaces, &probes[..probes.len().min(FIRST)])?);
    if first.is_hopeless() {
        return Ok(first);
    }
    Ok(compare(expected, &observe(encoder, surfaces, probes)?))
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
