//! Any bytes as the body of a request: the answer is one that the contract allows, and no fault of the worker.

use std::path::PathBuf;
use std::sync::Arc;

use rtrun_core::serve::Server;
use rtrun_core::{Engine, EngineOptions};
use tempfile::TempDir;

use crate::support::client::{request, serve_unix};
use crate::support::{fixture, open_ready, options};

/// Everything that takes a body.
const SURFACES: [&str; 6] =
    ["/v1/decisions", "/v1/systemone", "/v1/classify", "/v1/embeddings", "/v1/rerank", "/v1/bundle"];

/// Small, so that bodies of this size are tried.
const MAX_REQUEST_BYTES: usize = 8 << 10;

/// No error needs more: each of a request's questions may have its reason in it, cut to a bounded length.
const LONGEST_ERROR_BYTES: usize = 64 << 10;

/// A worker that serves a fixture package of every family.
pub struct Target {
    engine: Arc<Engine>,
    server: Server,
    _folder: TempDir,
}

impl Target {
    pub fn start() -> Self {
        let packages: Vec<(&str, PathBuf)> = [
            ("heads", "heads-int8"),
            ("static", "static"),
            ("spans", "tokens/bert"),
            ("rerank", "classifiers/rerank"),
            ("marker", "decisions/marker"),
            ("packed", "decisions/packed"),
            ("pictures", "towers/clip"),
        ]
        .map(|(name, folder)| (name, fixture(folder)))
        .into();
        let models: Vec<_> = packages.iter().map(|(name, folder)| (*name, folder.as_path())).collect();
        let engine = open_ready(EngineOptions { max_request_bytes: MAX_REQUEST_BYTES, threads: 1, ..options(&models) });
        let (server, folder) = serve_unix(&engine);
        Self { engine, server, _folder: folder }
    }

    /// Sends an input: its first line is a path, the rest a body. Returns the status, and panics if the answer is
    /// none that the contract allows or tells of a fault of the worker.
    pub fn hold(&self, input: &[u8]) -> u16 {
        let (first, body) = input.split_at(input.iter().position(|&byte| byte == b'\n').unwrap_or(0));
        let named = SURFACES.into_iter().find(|path| path.as_bytes() == first);
        let path = named.unwrap_or(SURFACES[usize::from(*first.first().unwrap_or(&0)) % SURFACES.len()]);
        // The client holds what comes back against the contract document.
        let reply = request(&self.server, "POST", path, body);
        let is_fault = reply.status >= 500 && !(reply.status == 504 && contains(body, b"deadline_ms"));
        assert!(!is_fault, "{} for a request: {}", reply.status, reply.body);
        assert!(reply.status == 200 || reply.body.len() < LONGEST_ERROR_BYTES, "{} bytes of error", reply.body.len());
        reply.status
    }

    /// Panics if anything of what was sent still waits.
    pub fn assert_idle(&self) {
        let metrics = self.engine.exposition();
        let depths: Vec<&str> = metrics.lines().filter(|line| line.starts_with("rtrun_queue_depth{")).collect();
        assert!(!depths.is_empty() && depths.iter().all(|line| line.ends_with(" 0")), "{depths:?}");
    }
}

fn contains(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}
