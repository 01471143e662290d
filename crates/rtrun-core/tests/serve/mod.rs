mod closing;
mod contract;
mod decisions_garbage;
mod decisions_openai;
mod decisions_questions;
mod decisions_request;
mod decisions_response;
mod endpoints;
mod images;
mod limits;
mod metrics;
mod panics;
mod slow_clients;
mod sockets;
mod thresholds;

use crate::support::client;
