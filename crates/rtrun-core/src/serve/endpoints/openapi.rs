//! `GET /openapi.yaml`.

use axum::response::Response;

use crate::serve::reply::content;

/// The contract document, as it is.
pub async fn openapi() -> Response {
    content(200, "application/yaml", include_bytes!("../../../openapi.yaml").to_vec())
}
