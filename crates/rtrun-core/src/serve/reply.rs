//! From results to HTTP responses.

use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderValue, Method, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::Response;
use serde::Serialize;

use super::timing::Clock;
use crate::caught::caught;
use crate::error::{BrokenLimit, Error, shown};

const SERVER_TIMING: &str = "server-timing";

#[derive(Serialize)]
struct ErrorBody<'e> {
    error: ErrorEntry<'e>,
}

/// An error inside a response.
#[derive(Serialize)]
pub struct ErrorEntry<'e> {
    code: &'static str,
    message: std::borrow::Cow<'e, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'e str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    limit: Option<LimitEntry>,
}

/// The limit that an image or a video broke.
#[derive(Serialize)]
struct LimitEntry {
    name: &'static str,
    value: u64,
}

impl<'e> From<&'e Error> for ErrorEntry<'e> {
    fn from(error: &'e Error) -> Self {
        let media = error.media();
        let limit = media.and_then(|media| media.limit);
        Self {
            code: error.code(),
            message: error.to_string().into(),
            reason: media.map(|media| media.reason.as_str()),
            limit: limit.map(|BrokenLimit { name, value }| LimitEntry { name, value }),
        }
    }
}

/// A JSON response.
pub fn json<T: Serialize>(status: u16, value: &T) -> Response {
    match serde_json::to_vec(value) {
        Ok(bytes) => content(status, "application/json", bytes),
        Err(error) => {
            let error = Error::Internal(format!("The response could not be written: {error}"));
            failure(&error)
        }
    }
}

/// The response to a request that cannot be served.
pub fn failure(error: &Error) -> Response {
    let body = ErrorBody { error: error.into() };
    // A struct of strings and a number always serializes.
    let bytes = serde_json::to_vec(&body).unwrap_or_default();
    let mut response = content(error.status(), "application/json", bytes);
    if let Some(seconds) = error.retry_after_seconds() {
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    response
}

/// A response with ready bytes.
pub fn content(status: u16, kind: &'static str, bytes: Vec<u8>) -> Response {
    let mut response = Response::new(Body::from(bytes));
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}

/// Stops the clock and writes its header.
pub fn timed(mut response: Response, clock: Clock) -> Response {
    let timing = clock.stop(response.status().as_u16());
    if let Ok(value) = HeaderValue::from_str(&timing) {
        response.headers_mut().insert(SERVER_TIMING, value);
    }
    response
}

/// Answers a request whose handler panics, where the connection would break off.
pub async fn answer_panics(request: Request, next: Next) -> Response {
    let answered = caught(async { Ok(next.run(request).await) }).await;
    answered.unwrap_or_else(|error| failure(&error))
}

/// The answer to an unknown path.
pub async fn path_not_found(uri: Uri) -> Response {
    failure(&Error::PathNotFound(format!("There is nothing at {}; see GET /v1/models", shown(uri.path()))))
}

/// The answer to a known path with another method.
pub async fn method_not_allowed(method: Method, uri: Uri) -> Response {
    failure(&Error::MethodNotAllowed(format!("{} does not take {}", shown(uri.path()), shown(method.as_str()))))
}

#[cfg(test)]
mod tests {
    use axum::Router;
    use axum::middleware::from_fn;
    use axum::routing::get;
    use hyper::service::Service;
    use hyper_util::service::TowerToHyperService;

    use super::{Body, Request, Response, answer_panics};

    async fn panic() -> Response {
        panic!("as asked")
    }

    #[tokio::test]
    async fn a_panic_in_any_handler_answers_500() {
        let routes = Router::new().route("/", get(panic)).layer(from_fn(answer_panics));
        let answered = TowerToHyperService::new(routes).call(Request::new(Body::empty())).await;
        assert_eq!(answered.map(|response| response.status().as_u16()), Ok(500));
    }
}
