//! The one error type and the closed list of codes that leave this crate.

/// Everything that can go wrong, as seen by a caller.
///
/// The text of a variant is the message: it says the action, the value and what would be right. It never holds request
/// text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The request cannot be served as it is written.
    #[error("{0}")]
    InvalidRequest(String),
    /// An image, a video or a piece of audio cannot be read, or not by this model.
    #[error("{}", .0.message)]
    InvalidMedia(Box<InvalidMedia>),
    /// The path is not one of the worker's.
    #[error("{0}")]
    PathNotFound(String),
    /// The path is known and the method is not.
    #[error("{0}")]
    MethodNotAllowed(String),
    /// The client took too long to send its request.
    #[error("{0}")]
    RequestTimeout(String),
    /// No served model has the name.
    #[error("{0}")]
    ModelNotFound(String),
    /// The request is over a size limit.
    #[error("{0}")]
    RequestTooLarge(String),
    /// The model does not serve this endpoint.
    #[error("{0}")]
    UnsupportedSurface(String),
    /// The queue of the model is full.
    #[error("{0}")]
    Overloaded(String),
    /// The model is not loaded, or the engine closes.
    #[error("{0}")]
    NotReady(String),
    /// The deadline of the request passed.
    #[error("{0}")]
    DeadlineExceeded(String),
    /// A fault of this program or of the inference library.
    #[error("{0}")]
    Internal(String),
    /// One input has more tokens than its budget and was not to be truncated.
    #[error("{0}")]
    MaxLengthExceeded(String),
    /// One input has more tokens than may be read of it in windows. None of it was read.
    #[error("{0}")]
    ScanBudgetExceeded(String),
    /// A question cannot be asked as it is written, or not of this model.
    #[error("{0}")]
    InvalidQuestion(String),
    /// One input cannot be read.
    #[error("{0}")]
    InvalidInput(String),
    /// The model answered one input with a number that is not finite.
    #[error("{0}")]
    InvalidModelOutput(String),
    /// An option that the engine was opened with is impossible.
    #[error("{0}")]
    InvalidOptions(String),
    /// A model package is damaged, incomplete or not of a supported kind. Loading it again does not help.
    #[error("{0}")]
    InvalidPackage(String),
    /// A model package does not give the answers that were recorded for it. Loading it again does not help.
    #[error("{0}")]
    SelfCheckFailed(String),
    /// The inference library cannot be loaded, or a file cannot be read now. Loading it again may help.
    #[error("{0}")]
    Unavailable(String),
}

/// What is wrong with an image, a video or a piece of audio.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidMedia {
    /// Says where it stands in the request and what would be right; never holds any of it.
    pub message: String,
    /// The word of the wire, such as `image_malformed`.
    pub reason: String,
    /// The limit that was broken.
    pub limit: Option<BrokenLimit>,
}

/// A limit of the model card.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BrokenLimit {
    /// Its name on the card.
    pub name: &'static str,
    /// Its value there.
    pub value: u64,
}

/// Every code an error can carry, with the HTTP status it has on its own. The TypeScript side compares its list with this one.
pub const CODES: &[(&str, u16)] = &[
    ("invalid_request", 400),
    ("model_not_found", 404),
    ("request_too_large", 413),
    ("unsupported_surface", 422),
    ("overloaded", 429),
    ("not_ready", 503),
    ("deadline_exceeded", 504),
    ("internal_error", 500),
    ("max_length_exceeded", 400),
    ("scan_budget_exceeded", 400),
    ("invalid_question", 400),
    ("invalid_input", 400),
    ("invalid_model_output", 500),
    ("invalid_options", 400),
    ("invalid_package", 500),
    ("unavailable", 503),
];

/// Names that clients chose are cut in messages, so that no client decides how long an error is.
pub(crate) const LONGEST_NAME: usize = 64;

/// A name that a client chose, quoted and cut.
pub(crate) fn shown(name: &str) -> String {
    let mut cut: String = name.chars().take(LONGEST_NAME).collect();
    if cut.len() < name.len() {
        cut.push('…');
    }
    format!("{cut:?}")
}

impl Error {
    /// The wire code, one of [`CODES`].
    pub fn code(&self) -> &'static str {
        match self {
            Self::InvalidRequest(_)
            | Self::InvalidMedia(_)
            | Self::PathNotFound(_)
            | Self::MethodNotAllowed(_)
            | Self::RequestTimeout(_) => "invalid_request",
            Self::ModelNotFound(_) => "model_not_found",
            Self::RequestTooLarge(_) => "request_too_large",
            Self::UnsupportedSurface(_) => "unsupported_surface",
            Self::Overloaded(_) => "overloaded",
            Self::NotReady(_) => "not_ready",
            Self::DeadlineExceeded(_) => "deadline_exceeded",
            Self::Internal(_) => "internal_error",
            Self::MaxLengthExceeded(_) => "max_length_exceeded",
            Self::ScanBudgetExceeded(_) => "scan_budget_exceeded",
            Self::InvalidQuestion(_) => "invalid_question",
            Self::InvalidInput(_) => "invalid_input",
            Self::InvalidModelOutput(_) => "invalid_model_output",
            Self::InvalidOptions(_) => "invalid_options",
            Self::InvalidPackage(_) | Self::SelfCheckFailed(_) => "invalid_package",
            Self::Unavailable(_) => "unavailable",
        }
    }

    /// The HTTP status of a response whose only content is this error.
    pub fn status(&self) -> u16 {
        match self {
            Self::PathNotFound(_) => 404,
            Self::MethodNotAllowed(_) => 405,
            Self::RequestTimeout(_) => 408,
            _ => CODES.iter().find(|(code, _)| *code == self.code()).map_or(500, |(_, status)| *status),
        }
    }

    /// What is wrong with an image, a video or a piece of audio, if this is about one.
    pub fn media(&self) -> Option<&InvalidMedia> {
        match self {
            Self::InvalidMedia(media) => Some(media),
            _ => None,
        }
    }

    /// Seconds after which a caller may try again, for the `Retry-After` header.
    pub fn retry_after_seconds(&self) -> Option<u32> {
        match self {
            Self::Overloaded(_) => Some(1),
            Self::NotReady(_) => Some(5),
            _ => None,
        }
    }

    /// Whether loading a model again can succeed without a change to its package or its options.
    pub fn is_retryable_load(&self) -> bool {
        matches!(self, Self::Unavailable(_) | Self::Internal(_))
    }
}
