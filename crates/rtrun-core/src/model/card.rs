//! What a model says about itself.

use std::collections::BTreeMap;

use serde::Serialize;

use super::loaded::LoadedModel;
use super::profile::{Profile, ProfileReport};
use super::slot::{ModelState, Slot};
use crate::families::{DecisionCard, EmbeddingCard, Head, HeadInputs, Surfaces};
use crate::media::ImageReader;
use crate::options::MAX_INPUTS;
use crate::package::Scores;
use crate::schedule::Lanes;

/// One entry of `GET /v1/models`. Everything that is only known of a loaded model is absent before.
#[derive(Debug, Clone, Serialize)]
pub struct ModelCard {
    id: String,
    /// The same again: clients of typed questions look for it under this name.
    name: String,
    description: String,
    object: &'static str,
    status: &'static str,
    ready: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// Only of a package that failed its self-check; a loaded one tells below.
    #[serde(skip_serializing_if = "Option::is_none")]
    golden: Option<FailedGolden>,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    loaded: Option<LoadedCard>,
}

#[derive(Debug, Clone, Serialize)]
struct FailedGolden {
    status: &'static str,
}

#[derive(Debug, Clone, Serialize)]
struct LoadedCard {
    family: &'static str,
    surfaces: Vec<&'static str>,
    question_types: Vec<&'static str>,
    modalities: &'static [&'static str],
    heads: Vec<HeadCard>,
    #[serde(skip_serializing_if = "Option::is_none")]
    embedding: Option<EmbeddingEntry>,
    limits: LimitsCard,
    profile: &'static str,
    profiles: Vec<&'static str>,
    profile_report: ProfileReport,
    engine: &'static str,
    device: String,
    dtype: String,
    threads: usize,
    /// Absent where long requests and short ones take turns.
    #[serde(skip_serializing_if = "Option::is_none")]
    long_lane: Option<LongLaneCard>,
    model_sha256: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    manifest_sha256: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    adapter: Option<AdapterCard>,
    #[serde(skip_serializing_if = "Option::is_none")]
    licence: Option<String>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    scores: Scores,
    golden: GoldenStatus,
}

/// What is computed beside short questions, on threads that give way to them.
#[derive(Debug, Clone, Serialize)]
struct LongLaneCard {
    over_tokens: usize,
    /// `request` or `row`: whose tokens count.
    of: &'static str,
}

#[derive(Debug, Clone, Serialize)]
struct AdapterCard {
    adapter_sha256: String,
    base_sha256: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    base_manifest_sha256: Option<String>,
}

#[derive(Debug, Clone, Serialize)]
struct HeadCard {
    name: String,
    kind: &'static str,
    labels: Vec<String>,
    inputs: Vec<&'static str>,
    default_threshold: f32,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    thresholds: BTreeMap<String, f32>,
    overflow: [&'static str; 3],
    #[serde(skip_serializing_if = "Option::is_none")]
    window: Option<WindowCard>,
    reduction: &'static str,
}

#[derive(Debug, Clone, Serialize)]
struct WindowCard {
    tokens: usize,
    overlap: usize,
}

#[derive(Debug, Clone, Serialize)]
struct EmbeddingEntry {
    dimension: usize,
    dimensions: Vec<usize>,
    layers: Vec<usize>,
    input_types: [&'static str; 2],
    normalized: bool,
    pooling: &'static str,
    modalities: &'static [&'static str],
}

#[derive(Debug, Clone, Serialize)]
struct LimitsCard {
    max_input_tokens: usize,
    max_scan_tokens: usize,
    truncate_tokens: usize,
    max_inputs: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_options: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    image_max_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    image_source_max_pixels: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    image_max_pixels: Option<usize>,
}

/// Outcome of the self-check.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GoldenStatus {
    /// `matched` or `unverified`; a package that fails is not served.
    pub status: &'static str,
    /// Number of probes.
    pub checked: usize,
    /// Which implementation gave the recorded answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// The allowed difference.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tolerance: Option<f32>,
}

impl ModelCard {
    /// The card of a slot as it is now.
    pub fn of(slot: &Slot) -> Self {
        let ModelState { name, status, reason, has_failed_self_check } = slot.state();
        let golden = has_failed_self_check.then_some(FailedGolden { status: "failed" });
        let loaded = slot.loaded().ok().map(|model| LoadedCard::of(&model));
        let description = loaded.as_ref().map_or_else(|| status.as_str().to_owned(), LoadedCard::description);
        Self {
            id: name.clone(),
            name,
            description,
            object: "model",
            status: status.as_str(),
            ready: loaded.is_some(),
            reason,
            golden,
            loaded,
        }
    }
}

impl LoadedCard {
    /// One line for people.
    fn description(&self) -> String {
        let Self { family, surfaces, engine, device, limits, .. } = self;
        let (surfaces, tokens) = (surfaces.join(", "), limits.max_input_tokens);
        format!("{family}: {surfaces}; {tokens} tokens a row; {engine} on {device}")
    }

    fn of(model: &LoadedModel) -> Self {
        let Surfaces { embedding, heads, rerank, decisions } = &model.surfaces;
        let decisions: Option<&DecisionCard> = decisions.as_ref().map(|layout| layout.card());
        let surfaces = [
            decisions.map(|_| "decisions"),
            (!heads.is_empty()).then_some("classify"),
            embedding.as_ref().map(|_| "embeddings"),
            rerank.as_ref().map(|_| "rerank"),
            Some("bundle"),
        ];
        Self {
            family: model.kind.as_str(),
            surfaces: surfaces.into_iter().flatten().collect(),
            question_types: decisions.map(|card| card.question_types.clone()).unwrap_or_default(),
            modalities: modalities(model),
            heads: heads.iter().map(|head| head_card(head, model.reader.pair().is_some())).collect(),
            embedding: embedding.as_ref().map(|card| embedding_entry(card, modalities(model))),
            limits: LimitsCard {
                max_input_tokens: model.max_tokens,
                max_scan_tokens: model.max_scan_tokens,
                truncate_tokens: model.max_tokens,
                max_inputs: MAX_INPUTS,
                max_options: decisions.map(|card| card.max_options),
                image_max_bytes: model.images.as_ref().map(|images| images.limits().max_bytes),
                image_source_max_pixels: model.images.as_ref().map(|images| images.limits().source_max_pixels),
                image_max_pixels: model.images.as_ref().map(ImageReader::pixels),
            },
            profile: model.profile.served,
            profiles: profiles(decisions, model.can_be_reduced),
            profile_report: model.profile.clone(),
            engine: model.engine,
            device: model.device.clone(),
            dtype: model.profile.precision.clone(),
            threads: model.threads,
            long_lane: long_lane_card(model.lanes),
            model_sha256: model.digests.model.clone(),
            manifest_sha256: model.manifest_sha256.clone(),
            adapter: model.digests.adapter.as_ref().map(|digests| AdapterCard {
                adapter_sha256: digests.adapter.clone(),
                base_sha256: digests.base.clone(),
                base_manifest_sha256: model.base_manifest_sha256.clone(),
            }),
            licence: model.licence.clone(),
            scores: model.scores.clone(),
            golden: model.golden.clone(),
        }
    }
}

/// The profiles that the model may be asked for.
fn profiles(decisions: Option<&DecisionCard>, can_be_reduced: bool) -> Vec<&'static str> {
    let shares_context = decisions.is_some_and(|card| card.is_packed);
    let has = |profile: &Profile| match profile {
        Profile::SharedContext => shares_context,
        Profile::MaxSpeed => can_be_reduced,
        Profile::Exact | Profile::Batching => true,
    };
    Profile::ALL.into_iter().filter(has).map(Profile::as_str).collect()
}

fn long_lane_card(lanes: Lanes) -> Option<LongLaneCard> {
    match lanes {
        Lanes::One => None,
        Lanes::LongRows(over_tokens) => Some(LongLaneCard { over_tokens, of: "row" }),
        Lanes::LongGroups(over_tokens) => Some(LongLaneCard { over_tokens, of: "request" }),
    }
}

fn head_card(head: &Head, takes_pairs: bool) -> HeadCard {
    let labels = head.scheme.as_ref().map_or(&head.labels, |scheme| &scheme.kinds);
    let named = labels.iter().cloned().zip(head.thresholds.iter().copied());
    HeadCard {
        name: head.name.clone(),
        kind: head.kind.as_str(),
        labels: head.labels.clone(),
        inputs: match (&head.inputs, &head.scheme) {
            (HeadInputs::Grounded(_), _) => vec!["grounded"],
            (HeadInputs::Text, None) if takes_pairs => vec!["text", "pair"],
            (HeadInputs::Text, _) => vec!["text"],
        },
        default_threshold: head.default_threshold,
        thresholds: named.filter(|(_, threshold)| threshold.to_bits() != head.default_threshold.to_bits()).collect(),
        overflow: ["reject", "truncate", "window"],
        window: head.window.map(|(tokens, overlap)| WindowCard { tokens, overlap }),
        reduction: if head.scheme.is_some() { "union" } else { head.reduction.as_str() },
    }
}

/// What a model reads.
fn modalities(model: &LoadedModel) -> &'static [&'static str] {
    if model.images.is_some() { &["text", "image"] } else { &["text"] }
}

fn embedding_entry(card: &EmbeddingCard, modalities: &'static [&'static str]) -> EmbeddingEntry {
    EmbeddingEntry {
        dimension: card.dimension,
        dimensions: card.dimensions.clone(),
        layers: card.layers.clone(),
        input_types: ["query", "document"],
        normalized: card.normalized,
        pooling: card.pooling,
        modalities,
    }
}
