//! Puts a model on a device: makes its sessions there, checks its answers, finds out which rows may share a forward.

use std::path::Path;

use super::blueprint::Blueprint;
use super::card::GoldenStatus;
use super::golden_check::{Candidate, check_golden};
use super::graphs::{Graphs, SessionPlan};
use crate::devices::{Device, DeviceChoice, cuda};
use crate::engines::onnxruntime::Runtime;
use crate::engines::{Encoder, ExitEncoder, RowRequest};
use crate::error::Error;
use crate::graph::Reduction;
use crate::package::EncoderConfig;
use crate::schedule::{PackLimits, Sharing, is_twin, probe_sharing};

/// What is asked for.
pub struct PlaceRequest<'p> {
    /// Path of the inference library.
    pub library: &'p Path,
    /// Threads of one forward on the CPU.
    pub threads: usize,
    /// The device.
    pub choice: DeviceChoice,
    /// The most tokens of one forward, whatever the device could take.
    pub max_batch_tokens: usize,
    /// How far the answer of a row may move by sharing a forward, as a part of its largest number.
    pub closeness: f32,
    /// Called when the sessions are made and checking begins.
    pub warming: &'p (dyn Fn() + Sync),
}

/// A model on its device.
pub struct Placed {
    /// What computes.
    pub encoder: Box<dyn Encoder>,
    /// Whether a session whose threads give way answers like this one, bit for bit. `None` where that is not known yet.
    pub has_twin: Option<bool>,
    /// Which engine that is.
    pub engine: &'static str,
    /// Where it computes.
    pub device: Device,
    /// Outcome of the self-check.
    pub golden: GoldenStatus,
    /// Which rows share a forward, and how many.
    pub forward: PackLimits,
}

/// Places a model. Left to choose, it takes the first GPU only where everything that one needs is there and its answers
/// are right, and the CPU otherwise.
pub fn place(candidate: &Candidate, blueprint: Blueprint, request: &PlaceRequest) -> Result<Placed, Error> {
    let name = &candidate.package.name;
    let graphs = match blueprint {
        Blueprint::Graphs(graphs) => graphs,
        Blueprint::Table(mut encoder) => {
            if let DeviceChoice::Only(device @ Device::Cuda(_)) = request.choice {
                return Err(Error::InvalidOptions(format!(
                    "Cannot place model {name:?} on {device}: a table of vectors is read on the CPU; use auto or cpu"
                )));
            }
            (request.warming)();
            let golden = check_golden(candidate, Device::Cpu, &mut encoder)?;
            let forward = PackLimits { tokens: request.max_batch_tokens, sharing: Sharing::Free };
            let encoder = Box::new(encoder);
            return Ok(Placed { encoder, has_twin: None, engine: "static", device: Device::Cpu, golden, forward });
        }
    };
    let runtime = Runtime::load(request.library)?;
    let on = |device| on_device(candidate, &graphs, device, request);
    match request.choice {
        DeviceChoice::Only(device @ Device::Cuda(_)) => match cuda::missing_provider(runtime.library()) {
            Some(missing) => Err(Error::Unavailable(format!("Cannot place model {name:?} on {device}: {missing}"))),
            None => on(device),
        },
        DeviceChoice::Only(Device::Cpu) => on(Device::Cpu),
        DeviceChoice::Auto if cuda::problem(runtime.library()).is_some() => on(Device::Cpu),
        DeviceChoice::Auto => {
            let placed =
                on(Device::Cuda(0)).and_then(|placed| like_the_cpu(placed, &graphs.made_up_rows(), || on(Device::Cpu)));
            placed.or_else(|error| {
                tracing::warn!(model = %name, %error, "the GPU is not used");
                on(Device::Cpu)
            })
        }
    }
}

fn on_device(candidate: &Candidate, graphs: &Graphs, device: Device, request: &PlaceRequest) -> Result<Placed, Error> {
    let plan = SessionPlan { library: request.library, threads: request.threads, device };
    open(candidate, graphs, plan, request, &|encoder| {
        (request.warming)();
        check_golden(candidate, device, encoder)
    })
}

/// The same model on the CPU with matmuls in reduced precision. `golden` is what the self-check of the exact one found:
/// recorded answers bind that one alone.
pub fn place_reduced(
    candidate: &Candidate,
    config: &EncoderConfig,
    (reduction, golden): (Reduction, GoldenStatus),
    request: &PlaceRequest,
) -> Result<Placed, Error> {
    let graphs = Graphs::reduced(candidate.package, config, reduction)?;
    let plan = SessionPlan { library: request.library, threads: request.threads, device: Device::Cpu };
    open(candidate, &graphs, plan, request, &|_| Ok(golden.clone()))
}

/// Makes the sessions, checks the first one, and finds out beside that which rows may share a forward.
fn open(
    candidate: &Candidate,
    graphs: &Graphs,
    plan: SessionPlan,
    request: &PlaceRequest,
    check: &dyn Fn(&mut dyn Encoder) -> Result<GoldenStatus, Error>,
) -> Result<Placed, Error> {
    let probe = || probe(candidate, graphs, plan, request.closeness);
    let (encoders, probed) = std::thread::scope(|scope| {
        let probed = scope.spawn(probe);
        (graphs.encoders(candidate.package, plan), probed.join())
    });
    let mut encoders = encoders?;
    let probed = probed.map_err(|_| Error::Internal("Probing the model failed".to_owned()))??;
    let golden = check(encoders[0].as_mut())?;
    let (mut sharing, has_twin) = probed.map_or((Sharing::Padded, None), |found| (found.sharing, found.has_twin));
    // Exits compute without the reordered weights of the whole encoder, so each is asked itself.
    let asked = if probed.is_none() { &mut encoders[..] } else { &mut encoders[1..] };
    for encoder in asked {
        sharing = stricter(sharing, candidate.sharing(encoder.as_mut(), request.closeness)?);
    }
    tracing::debug!(model = %candidate.package.name, device = %plan.device, ?sharing, "rows may share a forward");
    let mut encoders = encoders.into_iter();
    let encoder = match (encoders.next(), encoders.len()) {
        (Some(whole), 0) => whole,
        (Some(whole), _) => Box::new(ExitEncoder::new(whole, encoders.collect())),
        (None, _) => return Err(Error::Internal("A model has no session; this is a bug".to_owned())),
    };
    let forward = PackLimits { tokens: request.max_batch_tokens.min(plan.device.forward_tokens()), sharing };
    Ok(Placed { encoder, has_twin, engine: "onnxruntime", device: plan.device, golden, forward })
}

/// What an encoder of a few layers tells about the whole one, in a fraction of its time.
#[derive(Debug, Clone, Copy)]
struct Probed {
    sharing: Sharing,
    /// See [`Placed::has_twin`].
    has_twin: Option<bool>,
}

/// `None` where there is no shorter encoder.
fn probe(candidate: &Candidate, graphs: &Graphs, plan: SessionPlan, closeness: f32) -> Result<Option<Probed>, Error> {
    let Some(mut probe) = graphs.probe(candidate.package, plan)? else { return Ok(None) };
    let sharing = candidate.sharing(probe.as_mut(), closeness)?;
    let mut has_twin = None;
    if let Some(background) = probe.background() {
        has_twin = match (background.open)() {
            Ok(mut background) => Some(candidate.is_twin(probe.as_mut(), background.as_mut())?),
            Err(error) => {
                tracing::debug!(%error, "threads that give way cannot be probed");
                None
            }
        };
    }
    Ok(Some(Probed { sharing, has_twin }))
}

impl Candidate<'_> {
    fn sharing(&self, encoder: &mut dyn Encoder, closeness: f32) -> Result<Sharing, Error> {
        probe_sharing(encoder, self.reader.vocabulary(), self.package.max_tokens, closeness)
    }

    /// Whether two sessions of the candidate answer alike, bit for bit.
    pub fn is_twin(&self, one: &mut dyn Encoder, other: &mut dyn Encoder) -> Result<bool, Error> {
        is_twin(one, other, self.reader.vocabulary(), self.package.max_tokens)
    }
}

/// Without recorded answers, those of the CPU are what a device that nobody asked for by name has to give.
fn like_the_cpu(
    mut placed: Placed,
    rows: &[RowRequest],
    cpu: impl FnOnce() -> Result<Placed, Error>,
) -> Result<Placed, Error> {
    if placed.golden.checked > 0 {
        return Ok(placed);
    }
    let mut reference = cpu()?.encoder;
    for row in rows.iter().map(std::slice::from_ref) {
        let (found, expected) = (placed.encoder.encode(row)?.remove(0), reference.encode(row)?.remove(0));
        let (found, expected) = (found.sentence.unwrap_or_default(), expected.sentence.unwrap_or_default());
        let difference = found.iter().zip(expected.iter()).map(|(one, other)| (one - other).abs()).fold(0.0, f32::max);
        let tolerance = placed.device.tolerance(0.0);
        // A value that is not a number is not within any tolerance, and the maximum passes over it.
        if difference > tolerance || found.iter().any(|value| !value.is_finite()) {
            return Err(Error::SelfCheckFailed(format!(
                "The answers of {} are off by {difference} from the CPU's; {tolerance} is allowed",
                placed.device
            )));
        }
    }
    Ok(placed)
}

fn stricter(one: Sharing, other: Sharing) -> Sharing {
    let both = [one, other];
    let order = [Sharing::Alone, Sharing::EqualLengths, Sharing::Padded];
    order.into_iter().find(|sharing| both.contains(sharing)).unwrap_or(Sharing::Free)
}
