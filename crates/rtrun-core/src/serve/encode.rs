//! Vectors on the wire.

use base64::display::Base64Display;
use base64::engine::general_purpose::STANDARD;
use serde::{Serialize, Serializer};

use super::requests::EncodingFormat;
use crate::engines::RowVector;

/// A vector and how it is written.
pub struct Vector<'a> {
    pub values: &'a RowVector,
    pub format: EncodingFormat,
}

impl Serialize for Vector<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.format {
            EncodingFormat::Float => self.values.serialize(serializer),
            EncodingFormat::Base64 => {
                let bytes: Vec<u8> = self.values.iter().flat_map(|value| value.to_le_bytes()).collect();
                serializer.collect_str(&Base64Display::new(&bytes, &STANDARD))
            }
        }
    }
}
