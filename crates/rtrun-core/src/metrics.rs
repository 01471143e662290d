//! The metrics of an engine. Labels are model names, endpoints and statuses: bounded, and nothing of a request.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use prometheus_client::encoding::text::encode;
use prometheus_client::encoding::{EncodeLabelSet, EncodeLabelValue, LabelValueEncoder};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;

use crate::faults::{FaultPlace, Faults};
use crate::model::LoadedModel;
use crate::schedule::Observer;

/// All metrics of one engine.
#[derive(Clone)]
pub struct Metrics {
    registry: Arc<Registry>,
    requests: Family<RequestLabels, Counter>,
    request_seconds: Histograms<EndpointLabels>,
    queue_seconds: Histograms<ModelLabels>,
    forward_seconds: Histograms<ModelLabels>,
    batch_rows: Histograms<ModelLabels>,
    batch_tokens: Histograms<ModelLabels>,
    bundle_tasks: Histogram,
    cache: Family<CacheLabels, Counter>,
    queue_depth: Family<ModelLabels, Gauge>,
    ready: Family<ModelLabels, Gauge>,
    restarts: Family<ModelLabels, Counter>,
    info: Family<InfoLabels, Gauge>,
    memory: Family<ModelLabels, Gauge<u64, AtomicU64>>,
}

type Histograms<Labels> = Family<Labels, Histogram, fn() -> Histogram>;

/// What an endpoint is called in metrics.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Endpoint(pub &'static str);

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RequestLabels {
    endpoint: Endpoint,
    status: u16,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct EndpointLabels {
    endpoint: Endpoint,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ModelLabels {
    model: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct CacheLabels {
    model: String,
    outcome: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct InfoLabels {
    model: String,
    family: String,
    engine: String,
    device: String,
    profile: String,
    model_sha256: String,
}

impl Metrics {
    /// The metrics of an engine that serves these models.
    pub fn new(models: &[String]) -> Self {
        let mut registry = Registry::with_prefix("rtrun");
        let metrics = Self {
            requests: Family::default(),
            request_seconds: Family::new_with_constructor(seconds),
            queue_seconds: Family::new_with_constructor(seconds),
            forward_seconds: Family::new_with_constructor(seconds),
            batch_rows: Family::new_with_constructor(rows),
            batch_tokens: Family::new_with_constructor(tokens),
            bundle_tasks: rows(),
            cache: Family::default(),
            queue_depth: Family::default(),
            ready: Family::default(),
            restarts: Family::default(),
            info: Family::default(),
            memory: Family::default(),
            registry: Arc::new(Registry::default()),
        };
        registry.register("requests", "Answered requests", metrics.requests.clone());
        registry.register("request_duration_seconds", "Time to answer a request", metrics.request_seconds.clone());
        registry.register(
            "queue_duration_seconds",
            "Time a request waited for forwards",
            metrics.queue_seconds.clone(),
        );
        registry.register("forward_duration_seconds", "Time of one forward", metrics.forward_seconds.clone());
        registry.register("batch_rows", "Rows of one forward", metrics.batch_rows.clone());
        registry.register("batch_tokens", "Tokens of one forward, padding included", metrics.batch_tokens.clone());
        registry.register("bundle_tasks", "Tasks of one bundle", metrics.bundle_tasks.clone());
        registry.register("result_cache", "Look-ups of kept results", metrics.cache.clone());
        registry.register("queue_depth", "Unanswered requests of a model", metrics.queue_depth.clone());
        registry.register("ready", "Whether a model is ready", metrics.ready.clone());
        registry.register("model_restarts", "Times a panic took a model out of service", metrics.restarts.clone());
        registry.register("model_info", "What serves a model", metrics.info.clone());
        registry.register("model_memory_bytes", "Bytes of a model's weights in memory", metrics.memory.clone());
        for model in models {
            metrics.ready.get_or_create(&model_labels(model)).set(0);
            metrics.queue_depth.get_or_create(&model_labels(model)).set(0);
            let _ = metrics.restarts.get_or_create(&model_labels(model));
        }
        Self { registry: Arc::new(registry), ..metrics }
    }

    /// The text exposition.
    pub fn exposition(&self) -> String {
        let mut text = String::new();
        // Writing into a String does not fail.
        let _ = encode(&mut text, &self.registry);
        text
    }

    /// A panic took a model out of service.
    pub fn model_panicked(&self, model: &str) {
        self.restarts.get_or_create(&model_labels(model)).inc();
    }

    /// A request was answered, or its client left (status 499).
    pub fn answered(&self, endpoint: Endpoint, status: u16, took: Duration) {
        self.requests.get_or_create(&RequestLabels { endpoint, status }).inc();
        self.request_seconds.get_or_create(&EndpointLabels { endpoint }).observe(took.as_secs_f64());
    }

    /// A bundle arrived.
    pub fn bundle(&self, tasks: usize) {
        self.bundle_tasks.observe(tasks as f64);
    }

    /// A request waited for its forwards.
    pub fn queued(&self, model: &str, waited: Duration) {
        self.queue_seconds.get_or_create(&model_labels(model)).observe(waited.as_secs_f64());
    }

    /// Results were looked up.
    pub fn cache_lookups(&self, model: &str, hits: u64, misses: u64) {
        for (outcome, count) in [("hit", hits), ("miss", misses)] {
            if count > 0 {
                let labels = CacheLabels { model: model.to_owned(), outcome: outcome.to_owned() };
                self.cache.get_or_create(&labels).inc_by(count);
            }
        }
    }

    /// The queue of a model has this many requests.
    pub fn queue_depth(&self, model: &str, depth: usize) {
        self.queue_depth.get_or_create(&model_labels(model)).set(i64::try_from(depth).unwrap_or(i64::MAX));
    }

    /// A model serves now.
    pub fn model_is_ready(&self, model: &LoadedModel) {
        self.ready.get_or_create(&model_labels(&model.name)).set(1);
        self.memory.get_or_create(&model_labels(&model.name)).set(model.memory_bytes);
        let labels = InfoLabels {
            model: model.name.clone(),
            family: model.kind.as_str().to_owned(),
            engine: model.engine.to_owned(),
            device: model.device.clone(),
            profile: model.profile.served.to_owned(),
            model_sha256: model.digests.model.clone(),
        };
        self.info.get_or_create(&labels).set(1);
    }

    /// A model that served does not any longer.
    pub fn model_is_out_of_service(&self, model: &str) {
        self.ready.get_or_create(&model_labels(model)).set(0);
    }

    /// What a model's worker tells of its forwards.
    pub fn forward_observer(&self, model: &str, faults: &Faults) -> Arc<dyn Observer> {
        let labels = model_labels(model);
        Arc::new(ForwardMetrics {
            seconds: self.forward_seconds.get_or_create_owned(&labels),
            rows: self.batch_rows.get_or_create_owned(&labels),
            tokens: self.batch_tokens.get_or_create_owned(&labels),
            faults: faults.clone(),
        })
    }
}

struct ForwardMetrics {
    seconds: Histogram,
    rows: Histogram,
    tokens: Histogram,
    faults: Faults,
}

impl Observer for ForwardMetrics {
    fn forward(&self, rows: usize, tokens: usize, took: Duration) {
        self.faults.at(FaultPlace::Owner);
        self.seconds.observe(took.as_secs_f64());
        self.rows.observe(rows as f64);
        self.tokens.observe(tokens as f64);
    }
}

impl EncodeLabelValue for Endpoint {
    fn encode(&self, encoder: &mut LabelValueEncoder) -> Result<(), std::fmt::Error> {
        self.0.encode(encoder)
    }
}

fn model_labels(model: &str) -> ModelLabels {
    ModelLabels { model: model.to_owned() }
}

/// From a tenth of a millisecond to ten seconds.
fn seconds() -> Histogram {
    Histogram::new([
        0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0,
    ])
}

fn rows() -> Histogram {
    Histogram::new([1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0])
}

fn tokens() -> Histogram {
    Histogram::new([16.0, 32.0, 64.0, 128.0, 256.0, 512.0, 1024.0, 2048.0, 4096.0, 8192.0])
}
