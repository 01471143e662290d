//! The accept loop: a cap on connections, time limits on headers and on unread answers, an orderly end.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::sync::{Semaphore, watch};

use super::client_limits::ClientLimits;
use super::listen::Listener;
use super::unstalled::Unstalled;

/// More than any pool of one router; it bounds what strangers on a host can hold open.
const MAX_CONNECTIONS: usize = 1024;

/// A client has this long to send the head of a request, which also ends idle connections. Clients' pools give up
/// sooner, so that none writes into a connection that is being closed.
const HEADER_TIMEOUT: Duration = Duration::from_mins(1);

/// After an error that comes from a lack of resources, such as descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Serves until `stop` becomes true, then waits for the running requests.
pub async fn serve_connections(
    listener: Listener,
    routes: Router,
    limits: ClientLimits,
    mut stop: watch::Receiver<bool>,
) {
    let graceful = GracefulShutdown::new();
    let places = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    loop {
        let place = tokio::select! {
            place = Arc::clone(&places).acquire_owned() => place,
            _ = stop.wait_for(|stop| *stop) => break,
        };
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            _ = stop.wait_for(|stop| *stop) => break,
        };
        let stream = match accepted {
            Ok(stream) => stream,
            Err(error) => {
                tracing::warn!(%error, "a connection could not be accepted");
                tokio::time::sleep(ACCEPT_PAUSE).await;
                continue;
            }
        };
        let stream = Unstalled::new(stream, limits.write_stall);
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(HEADER_TIMEOUT)
            .serve_connection(TokioIo::new(stream), TowerToHyperService::new(routes.clone()));
        let connection = graceful.watch(connection);
        tokio::spawn(async move {
            // A client that breaks off is not worth a line.
            let _ = connection.await;
            drop(place);
        });
    }
    drop(listener);
    graceful.shutdown().await;
}
