//! A running server: its threads, its address, its end.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::runtime::Runtime;
use tokio::sync::watch;

use super::client_limits::ClientLimits;
use super::connection::{Answers, serve_connections};
use super::last_call::LastCall;
use super::listen::{Address, Listener};
use super::router::{refusal, router};
use super::served::Served;
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
    /// What waits to be served, until it is.
    bound: Mutex<Option<Bound>>,
    limits: ClientLimits,
    stop: watch::Sender<bool>,
    stopped: watch::Receiver<bool>,
    last_call: Arc<LastCall>,
}

/// A bound socket and who is told when it has been served.
type Bound = (Listener, watch::Sender<bool>);

/// HTTP work of one request is well under a millisecond; two threads keep a large body from delaying the next request.
const THREADS: usize = 2;

/// Threads for large bodies and for the reading of requests. How many of each there are at a time is limited where they
/// begin; this is only more than that.
const READERS: usize = 256;

/// The end of the grace, in which requests that were not finished are answered 503.
const FAREWELL: Duration = Duration::from_secs(1);

/// An answer of some hundred bytes needs that long at most, even where there is no grace.
const SHORTEST_FAREWELL: Duration = Duration::from_millis(100);

impl Server {
    /// Binds and starts to serve.
    pub fn start(engine: Arc<Engine>, options: &ServeOptions) -> Result<Self, Error> {
        let server = Self::bind(options)?;
        server.serve(engine);
        Ok(server)
    }

    /// Binds alone, so that an address that cannot be had is known before any model is loaded. Clients wait until
    /// [`Server::serve`].
    pub fn bind(options: &ServeOptions) -> Result<Self, Error> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(THREADS)
            .max_blocking_threads(READERS)
            .thread_name("rtrun http")
            .enable_io()
            .enable_time()
            .build()
            .map_err(|error| Error::Internal(format!("Cannot start the server's threads: {error}")))?;
        let (listener, address) = runtime.block_on(Listener::bind(options))?;
        let (told_stopped, stopped) = watch::channel(false);
        Ok(Self {
            address,
            runtime: Mutex::new(Some(runtime)),
            bound: Mutex::new(Some((listener, told_stopped))),
            limits: options.limits,
            stop: watch::Sender::new(false),
            stopped,
            last_call: Arc::new(LastCall::new()),
        })
    }

    /// Starts to serve what was bound; does nothing where that has begun or the server is closed.
    pub fn serve(&self, engine: Arc<Engine>) {
        let runtime = self.runtime.lock().unwrap_or_else(PoisonError::into_inner);
        let bound = self.bound.lock().unwrap_or_else(PoisonError::into_inner).take();
        let (Some(runtime), Some((listener, told_stopped))) = (&*runtime, bound) else { return };
        let (limits, stop) = (self.limits, self.stop.subscribe());
        let refusal = refusal(Arc::clone(&engine), limits.connections);
        let routes = router(Served::new(engine, limits, Arc::clone(&self.last_call)));
        tracing::info!(address = %self.address, "listening");
        runtime.spawn(async move {
            serve_connections(listener, Answers { routes, refusal }, limits, stop).await;
            told_stopped.send_replace(true);
        });
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

    /// Stops accepting and lets running requests end. Those that have not when `grace` is nearly over are answered 503;
    /// then the connections are dropped.
    pub async fn close(&self, grace: Duration) {
        if !self.stop.send_replace(true) {
            tracing::info!(address = %self.address, grace_ms = grace.as_millis(), "closing: running requests may end");
        }
        // Where nothing was served, nobody is waited for.
        drop(self.bound.lock().unwrap_or_else(PoisonError::into_inner).take());
        let farewell = FAREWELL.min(grace / 2);
        if tokio::time::timeout(grace.saturating_sub(farewell), self.closed()).await.is_err() {
            self.last_call.end();
            let _ = tokio::time::timeout(farewell.max(SHORTEST_FAREWELL), self.closed()).await;
            let requests = self.last_call.refused();
            if requests > 0 {
                tracing::warn!(requests, "requests were not finished in time and answered 503");
            }
        }
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
