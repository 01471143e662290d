//! The input of a row that is an image.

use std::hash::{Hash, Hasher};

use sha2::{Digest, Sha256};

/// The pixels of an image as its model reads them. Equal pixels are told by their digest, so that comparing costs nothing.
#[derive(Debug, Clone)]
pub struct Picture {
    /// `[3, height, width]` bytes.
    pixels: Box<[u8]>,
    tokens: usize,
    digest: [u8; 32],
}

impl Picture {
    /// Takes pixels for which the model computes `tokens` tokens.
    pub fn new(pixels: Vec<u8>, tokens: usize) -> Self {
        Self { digest: Sha256::digest(&pixels).into(), pixels: pixels.into(), tokens }
    }

    /// `[3, height, width]` bytes.
    pub fn pixels(&self) -> &[u8] {
        &self.pixels
    }

    /// Tokens that a forward computes for it.
    pub fn tokens(&self) -> usize {
        self.tokens
    }
}

impl PartialEq for Picture {
    fn eq(&self, other: &Self) -> bool {
        self.digest == other.digest
    }
}

impl Eq for Picture {}

impl Hash for Picture {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.digest.hash(state);
    }
}
