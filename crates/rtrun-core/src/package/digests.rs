//! The digests that tell one model from every other.

use std::path::Path;

use super::files::PackageFiles;
use super::manifest::{hash_file, hash_text};
use crate::error::Error;

/// SHA-256 digests in lower-case hexadecimal digits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Digests {
    /// Of the weights that answer. For an adapter, of the two digests of its files, each on a line.
    pub model: String,
    /// Of the files of an adapter.
    pub adapter: Option<AdapterDigests>,
}

/// The two files that the weights of an adapted model follow from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AdapterDigests {
    /// Of `adapter_model.safetensors`.
    pub adapter: String,
    /// Of the base's `model.safetensors`.
    pub base: String,
}

/// A weights file and its package.
#[derive(Debug, Clone, Copy)]
pub struct WeightsFile<'w> {
    pub files: &'w PackageFiles,
    pub file: &'w str,
    pub path: &'w Path,
}

impl Digests {
    /// Those of a package whose weights are in one file.
    pub fn of_package(weights: WeightsFile) -> Result<Self, Error> {
        Ok(Self { model: weights.sha256()?, adapter: None })
    }

    /// Those of an adapter.
    pub fn of_adapter(adapter: WeightsFile, base: WeightsFile) -> Result<Self, Error> {
        let (adapter, base) = (adapter.sha256()?, base.sha256()?);
        Ok(Self { model: hash_text(&format!("{base}\n{adapter}\n")), adapter: Some(AdapterDigests { adapter, base }) })
    }
}

impl WeightsFile<'_> {
    /// What the manifest records and opening the package has found to be right; without a manifest, read now.
    fn sha256(self) -> Result<String, Error> {
        let Self { files, file, path } = self;
        match files.checked_sha256(file) {
            Some(sha256) => Ok(sha256.to_owned()),
            None => hash_file(path).map_err(|error| files.invalid(file, format_args!("cannot be read: {error}"))),
        }
    }
}
