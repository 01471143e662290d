//! Reading a request body: bounded in bytes and in time, and strict JSON.

use std::time::Duration;

use axum::body::Body;
use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt;
use serde::de::DeserializeOwned;

use crate::error::Error;

/// A client has this long to send a body, however large: a megabyte a second is slow for a local socket.
const BODY_TIMEOUT: Duration = Duration::from_secs(30);

/// Parsing more than this is left to a thread that may block.
const INLINE_BYTES: usize = 64 << 10;

/// Reads and parses a body of at most `limit` bytes.
pub async fn read_json<T>(body: Body, limit: usize) -> Result<T, Error>
where
    T: DeserializeOwned + Send + 'static,
{
    let late =
        |_| Error::RequestTimeout(format!("The request body did not arrive within {} s", BODY_TIMEOUT.as_secs()));
    let bytes = tokio::time::timeout(BODY_TIMEOUT, read(body, limit)).await.map_err(late)??;
    if bytes.len() <= INLINE_BYTES {
        return parse(&bytes);
    }
    let parsed = tokio::task::spawn_blocking(move || parse(&bytes)).await;
    parsed.unwrap_or_else(|_| Err(Error::Internal("The request could not be parsed".to_owned())))
}

async fn read(mut body: Body, limit: usize) -> Result<Bytes, Error> {
    let too_large = || Error::RequestTooLarge(format!("The request body has more than {limit} bytes"));
    let announced = http_body::Body::size_hint(&body);
    if announced.lower() > limit as u64 {
        return Err(too_large());
    }
    let mut bytes = BytesMut::with_capacity(usize::try_from(announced.lower()).unwrap_or(0));
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|_| Error::InvalidRequest("The request body broke off".to_owned()))?;
        if let Ok(data) = frame.into_data() {
            if bytes.len() + data.len() > limit {
                return Err(too_large());
            }
            bytes.extend_from_slice(&data);
        }
    }
    Ok(bytes.freeze())
}

fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Error> {
    serde_json::from_slice(bytes).map_err(|error| Error::InvalidRequest(format!("The request is not valid: {error}")))
}
