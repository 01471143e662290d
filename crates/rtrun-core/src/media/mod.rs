//! Images, videos and audio in requests: data URLs in, pictures that a model reads out. Nothing is ever fetched.

mod audio;
mod data_url;
mod decode;
mod fault;
mod format;
mod jpeg;
mod preprocess;
mod reader;
mod resample;

pub use audio::check_audio;
pub use data_url::{MediaBytes, read_data_url};
pub use decode::{ImageLimits, Rgb, decode};
pub use fault::{Fault, MediaKind};
pub use format::Format;
pub use preprocess::{Preprocessing, Resize};
pub use reader::ImageReader;
pub use resample::{Filter, resample};
