//! A running server: its threads, its address, its end.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::runtime::Runtime;
use tokio::sync::watch;

use super::client_limits::ClientLimits;
use super::connection::serve_connections;
use super::listen::{Address, Listener};
use super::router::router;
use crate::engine::Engine;
use crate::error::Error;

/// Where a server listens: a Unix socket, or else a host and port.
#[derive(Debug, Clone, Default)]
pub struct ServeOptions {
    /// Path of a Unix socket.
    pub uds: Option<PathBuf>,
    /// Host to bind; 127.0.0.1 if absent.
    pub host: Option<String>,
    /// Port to bind; 8100 if absent, any free one if 0.
    pub port: Option<u16>,
    /// What clients may hold.
    pub limits: ClientLimits,
}

/// A server. Dropping it stops it at once.
pub struct Server {
    address: Address,
    runtime: Mutex<Option<Runtime>>,
    stop: watch::Sender<bool>,
    stopped: watch::Receiver<bool>,
}

/// HTTP work of one request is well under a millisecond; two threads keep a large body from delaying the next request.
const THREADS: usize = 2;

impl Server {
    /// Binds and starts to serve.
    pub fn start(engine: Arc<Engine>, options: &ServeOptions) -> Result<Self, Error> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(THREADS)
            .max_blocking_threads(4)
            .thread_name("rtrun http")
            .enable_io()
            .enable_time()
            .build()
            .map_err(|error| Error::Internal(format!("Cannot start the server's threads: {error}")))?;
        let (listener, address) = runtime.block_on(Listener::bind(options))?;
        let (stop, stop_seen) = watch::channel(false);
        let (stopped_sender, stopped) = watch::channel(false);
        let (routes, limits) = (router(engine), options.limits);
        tracing::info!(address = %address, "listening");
        runtime.spawn(async move {
            serve_connections(listener, routes, limits, stop_seen).await;
            stopped_sender.send_replace(true);
        });
        Ok(Self { address, runtime: Mutex::new(Some(runtime)), stop, stopped })
    }

    /// Where it listens.
    pub fn address(&self) -> &Address {
        &self.address
    }

    /// Waits until the server has stopped.
    pub async fn closed(&self) {
        let mut stopped = self.stopped.clone();
        // The sender is dropped with the runtime, which is an end too.
        let _ = stopped.wait_for(|stopped| *stopped).await;
    }

    /// Stops accepting, lets running requests end until `grace` is over, then drops the connections.
    pub async fn close(&self, grace: Duration) {
        self.stop.send_replace(true);
        let _ = tokio::time::timeout(grace, self.closed()).await;
        self.shut_down();
    }

    fn shut_down(&self) {
        if let Some(runtime) = self.runtime.lock().unwrap_or_else(PoisonError::into_inner).take() {
            runtime.shutdown_background();
        }
        if let Address::Unix(path) = &self.address {
            // Gone already if the listener was dropped in order.
            let _ = std::fs::remove_file(path);
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shut_down();
    }
}
