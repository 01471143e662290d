//! Reads images for one model: data URL, limits, decoder, preprocessing.

use std::sync::{Arc, Mutex, PoisonError};

use super::data_url::{MediaBytes, read_data_url};
use super::decode::{ImageLimits, decode};
use super::fault::{Fault, MediaKind};
use super::preprocess::Preprocessing;
use crate::engines::Picture;

/// What reads the images of one model.
#[derive(Debug)]
pub struct ImageReader {
    preprocessing: Preprocessing,
    limits: ImageLimits,
    /// What an image costs its model.
    tokens: usize,
    /// Held while an image is decoded: one image at a time bounds the memory that images take unscaled.
    decoding: Mutex<()>,
}

impl ImageReader {
    /// A reader for a model that computes `tokens` tokens for an image.
    pub fn new(preprocessing: Preprocessing, limits: ImageLimits, tokens: usize) -> Self {
        Self { preprocessing, limits, tokens, decoding: Mutex::new(()) }
    }

    /// What an image may be at most.
    pub fn limits(&self) -> ImageLimits {
        self.limits
    }

    /// Pixels that the model reads of an image.
    pub fn pixels(&self) -> usize {
        self.preprocessing.size.0 * self.preprocessing.size.1
    }

    /// Reads a data URL.
    pub fn read(&self, url: &str) -> Result<Arc<Picture>, Fault> {
        self.read_file(&read_data_url(MediaKind::Image, url, Some(self.limits.max_bytes))?)
    }

    /// Reads the bytes of an image file.
    pub fn read_file(&self, file: &MediaBytes) -> Result<Arc<Picture>, Fault> {
        let _alone = self.decoding.lock().unwrap_or_else(PoisonError::into_inner);
        let pixels = self.preprocessing.pixels(&decode(file, self.limits)?);
        Ok(Arc::new(Picture::new(pixels, self.tokens)))
    }
}
