//! The clock of one request: the `Server-Timing` header and the request metrics.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::engine::Engine;
use crate::metrics::Endpoint;
use crate::task::Phases;

/// Measures one request from the start of its handler. If it is dropped before it is told a status, the client has left.
pub struct Clock {
    engine: Arc<Engine>,
    endpoint: Endpoint,
    start: Instant,
    /// From the start to the parsed request, the client's sending included.
    pub parse: Duration,
    /// What the engine reports.
    pub phases: Phases,
    /// From answers to bytes.
    pub serialize: Duration,
    is_answered: bool,
}

/// The status of a request whose client has left, as web servers count it.
const CLIENT_LEFT: u16 = 499;

impl Clock {
    /// Starts the clock.
    pub fn start(engine: Arc<Engine>, endpoint: &'static str) -> Self {
        Self {
            engine,
            endpoint: Endpoint(endpoint),
            start: Instant::now(),
            parse: Duration::ZERO,
            phases: Phases::default(),
            serialize: Duration::ZERO,
            is_answered: false,
        }
    }

    /// The moment that deadlines count from.
    pub fn started(&self) -> Instant {
        self.start
    }

    /// The request has been read and understood.
    pub fn parsed(&mut self) {
        self.parse = self.start.elapsed();
    }

    /// Stops the clock and returns the header's value.
    pub fn stop(mut self, status: u16) -> String {
        self.is_answered = true;
        let total = self.start.elapsed();
        self.engine.metrics().answered(self.endpoint, status, total);
        let Phases { tokenize, queue, forward, post } = self.phases;
        let entries = [
            ("parse", self.parse),
            ("tokenize", tokenize),
            ("queue", queue),
            ("forward", forward),
            ("post", post),
            ("serialize", self.serialize),
            ("total", total),
        ];
        let entry = |(name, took): (&str, Duration)| format!("{name};dur={:.3}", took.as_secs_f64() * 1e3);
        entries.map(entry).join(", ")
    }
}

impl Drop for Clock {
    fn drop(&mut self) {
        if !self.is_answered {
            self.engine.metrics().answered(self.endpoint, CLIENT_LEFT, self.start.elapsed());
        }
    }
}
