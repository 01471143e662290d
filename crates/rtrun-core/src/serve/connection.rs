//! The accept loop: a cap on connections, with an answer for those above it, time limits on headers and on unread answers, an
//! orderly end.

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

/// Connections that are refused at the same time with an answer. Beyond them they are closed without one.
const REFUSED_AT_ONCE: usize = 256;

/// A refused client has this long to send the head of a request, before which it reads no answer.
const REFUSED_HEADER_TIMEOUT: Duration = Duration::from_secs(2);

/// A client has this long to send the head of a request, which also ends idle connections. Clients' pools give up
/// sooner, so that none writes into a connection that is being closed.
const HEADER_TIMEOUT: Duration = Duration::from_mins(1);

/// After an error that comes from a lack of resources, such as descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Who answers.
pub struct Answers {
    pub routes: Router,
    /// What connections above the most get.
    pub refusal: Router,
}

/// Serves until `stop` becomes true, then waits for the running requests.
pub async fn serve_connections(
    listener: Listener,
    Answers { routes, refusal }: Answers,
    limits: ClientLimits,
    mut stop: watch::Receiver<bool>,
) {
    let graceful = GracefulShutdown::new();
    let places = Arc::new(Semaphore::new(limits.connections));
    let refused_places = Arc::new(Semaphore::new(REFUSED_AT_ONCE));
    loop {
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
        let mut http = http1::Builder::new();
        http.timer(TokioTimer::new());
        let (place, answers) = if let Ok(place) = Arc::clone(&places).try_acquire_owned() {
            http.header_read_timeout(HEADER_TIMEOUT);
            (place, routes.clone())
        } else if let Ok(place) = Arc::clone(&refused_places).try_acquire_owned() {
            http.header_read_timeout(REFUSED_HEADER_TIMEOUT).keep_alive(false);
            (place, refusal.clone())
        } else {
            continue;
        };
        let connection = http.serve_connection(TokioIo::new(stream), TowerToHyperService::new(answers));
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
