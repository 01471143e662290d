//! Reading a request body: bounded in bytes and in time, and strict JSON.

use std::time::Duration;

use axum::body::Body;
use http_body_util::BodyExt;
use serde::de::DeserializeOwned;
use tokio::sync::Semaphore;

use super::body_budget::{BodyShare, FREE_BYTES};
use crate::error::{Error, LONGEST_NAME};

/// A client has this long to send a body, however large: a megabyte a second is slow for a local socket.
const BODY_TIMEOUT: Duration = Duration::from_secs(30);

/// At most so much of a refused request is read, and for so long.
const DISCARDED_BYTES: usize = 8 << 20;
const DISCARD_TIMEOUT: Duration = Duration::from_secs(1);

/// Parsing more than this is left to a thread that may block.
const INLINE_BYTES: usize = FREE_BYTES;

/// Large bodies that are parsed at a time: what they become takes several times their bytes.
static PARSERS: Semaphore = Semaphore::const_new(4);

/// Reads and parses a body of at most `limit` bytes, within its share of what all bodies may take.
pub async fn read_json<T>(mut body: Body, limit: usize, mut share: BodyShare) -> Result<T, Error>
where
    T: DeserializeOwned + Send + 'static,
{
    let late =
        |_| Error::RequestTimeout(format!("The request body did not arrive within {} s", BODY_TIMEOUT.as_secs()));
    let read = tokio::time::timeout(BODY_TIMEOUT, read(&mut body, limit, &mut share)).await.map_err(late)?;
    if let Err(Error::RequestTooLarge(_)) = read {
        discard(body).await;
    }
    let bytes = read?;
    if bytes.len() <= INLINE_BYTES {
        return parse(&bytes);
    }
    // The semaphore is never closed.
    let turn = PARSERS.acquire().await.ok();
    let parsed = tokio::task::spawn_blocking(move || {
        let parsed = parse(&bytes);
        // Turn and share are held as long as the bytes are, whether or not the client still waits.
        drop((bytes, share, turn));
        parsed
    });
    let parsed = parsed.await;
    parsed.unwrap_or_else(|_| Err(Error::Internal("The request could not be parsed".to_owned())))
}

async fn read(body: &mut Body, limit: usize, share: &mut BodyShare) -> Result<Vec<u8>, Error> {
    let too_large = || Error::RequestTooLarge(format!("The request body has more than {limit} bytes"));
    let announced = http_body::Body::size_hint(body);
    if announced.lower() > limit as u64 {
        return Err(too_large());
    }
    // What is announced is not believed: memory follows what has arrived.
    let most = announced.upper().and_then(|upper| usize::try_from(upper).ok()).unwrap_or(limit).min(limit);
    let mut bytes = Vec::with_capacity(most.min(FREE_BYTES));
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|_| Error::InvalidRequest("The request body broke off".to_owned()))?;
        if let Ok(data) = frame.into_data() {
            let needed = bytes.len() + data.len();
            if needed > limit {
                return Err(too_large());
            }
            if needed > bytes.capacity() {
                let capacity = needed.max(most.min(2 * bytes.capacity()));
                share.grow(capacity)?;
                bytes.reserve_exact(capacity - bytes.len());
            }
            bytes.extend_from_slice(&data);
        }
    }
    Ok(bytes)
}

/// Reads what a client sends and keeps none of it. A connection that is closed with unread bytes is reset, and the reset can
/// overtake the answer. Of a body that is announced larger than what would be read, nothing is: its client may wait for the
/// answer before it sends any.
pub async fn discard(mut body: Body) {
    if http_body::Body::size_hint(&body).lower() > DISCARDED_BYTES as u64 {
        return;
    }
    let reading = async {
        let mut bytes = 0;
        while let Some(Ok(frame)) = body.frame().await {
            bytes += frame.data_ref().map_or(0, bytes::Bytes::len);
            if bytes > DISCARDED_BYTES {
                break;
            }
        }
    };
    // Who sends slower is answered all the same.
    let _ = tokio::time::timeout(DISCARD_TIMEOUT, reading).await;
}

/// Parses JSON; an error names what is wrong and no value.
pub fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Error> {
    serde_json::from_slice(bytes).map_err(|error| {
        Error::InvalidRequest(format!("The request is not valid: {}", without_values(&error.to_string())))
    })
}

/// serde's message without the value that it quotes: that may be somebody's text.
pub fn without_values(message: &str) -> String {
    if let Some(rest) = message.strip_prefix("unknown field `") {
        let (name, rest) = rest.rsplit_once("`, expected").unwrap_or((rest, ""));
        let name: String = name.chars().take(LONGEST_NAME).collect();
        return format!("unknown field `{name}`, expected{rest}");
    }
    if let Some(rest) = message.strip_prefix("unknown variant `") {
        let rest = rest.rsplit_once("`, expected").map_or("", |(_, rest)| rest);
        return format!("unknown value, expected{rest}");
    }
    let quotes = message.starts_with("invalid type: string") || message.starts_with("invalid value: string");
    match (message.find('"'), message.rfind('"')) {
        (Some(first), Some(last)) if quotes && last > first => {
            format!("{}…{}", &message[..first], &message[last + 1..])
        }
        _ => message.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::without_values;

    #[test]
    fn errors_say_what_is_wrong_without_the_value() {
        for (message, expected) in [
            ("missing field `input` at line 1 column 2", "missing field `input` at line 1 column 2"),
            ("invalid type: string \"my \"secret\" text\", expected u32", "invalid type: string …, expected u32"),
            ("unknown variant `my ` text`, expected `float`", "unknown value, expected `float`"),
            ("unknown field `inptu`, expected `input`", "unknown field `inptu`, expected `input`"),
        ] {
            assert_eq!(without_values(message), expected);
        }
        let long = format!("unknown field `{}`, expected `input`", "x".repeat(1000));
        assert!(without_values(&long).len() < 150);
    }
}
