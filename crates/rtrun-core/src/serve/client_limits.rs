//! What clients may hold of a server.

use std::time::Duration;

/// Limits on clients that are slow or do not care. The defaults suit every worker; tests set smaller ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClientLimits {
    /// Most connections that are served. Further ones are told to come back: somebody who waits for a place cannot tell a
    /// full server from a dead one.
    pub connections: usize,
    /// How long a client may take nothing of an answer before its connection is broken off.
    pub write_stall: Duration,
    /// Bytes of all bodies that are being read, beyond the first 64 KiB of each. At least one body of the largest size
    /// that a request may have fits, whatever stands here.
    pub body_bytes: usize,
}

impl Default for ClientLimits {
    fn default() -> Self {
        // More than any pool of one router.
        Self { connections: 1024, write_stall: Duration::from_secs(30), body_bytes: 256 << 20 }
    }
}
