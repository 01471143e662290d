//! What the handlers of one server share.

use std::sync::Arc;

use axum::extract::FromRef;

use super::body_budget::BodyBudget;
use super::client_limits::ClientLimits;
use super::last_call::LastCall;
use crate::engine::Engine;

/// The engine, and what bounds its requests.
#[derive(Clone)]
pub struct Served {
    /// Answers.
    pub engine: Arc<Engine>,
    /// Bounds the bodies that are being read.
    pub bodies: Arc<BodyBudget>,
    /// Ends requests when the server closes.
    pub last_call: Arc<LastCall>,
}

impl Served {
    /// What the handlers of a server with these limits share.
    pub fn new(engine: Arc<Engine>, limits: ClientLimits, last_call: Arc<LastCall>) -> Self {
        let bodies = BodyBudget::new(limits.body_bytes.max(engine.options().max_request_bytes));
        Self { engine, bodies, last_call }
    }
}

impl FromRef<Served> for Arc<Engine> {
    fn from_ref(served: &Served) -> Self {
        Self::clone(&served.engine)
    }
}
