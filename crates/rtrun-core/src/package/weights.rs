//! `*.safetensors`: the bytes of a file and the places of its tensors.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use half::{bf16, f16};
use safetensors::tensor::{Metadata, SafeTensors};

use super::file_bytes::FileBytes;
use super::files::PackageFiles;
use crate::error::Error;

/// The element types that weights may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dtype {
    /// 32-bit float.
    F32,
    /// 16-bit float.
    F16,
    /// 16-bit float with the exponent of a 32-bit one.
    Bf16,
    /// Signed byte, scaled per row by a companion tensor.
    I8,
}

/// Where a tensor lies in its file.
#[derive(Debug, Clone)]
pub struct TensorPlace {
    /// Element type.
    pub dtype: Dtype,
    /// Sizes, outermost first.
    pub shape: Vec<usize>,
    /// First byte, counted from the start of the file.
    pub offset: usize,
    /// Length in bytes.
    pub bytes: usize,
    /// The tensor itself where it is in no file: 32-bit floats, whose offset counts from the first of them.
    pub held: Option<Arc<[f32]>>,
}

/// Tensors that an adapter has changed or added, as 32-bit floats in memory.
#[derive(Debug, Default)]
pub struct Merged(BTreeMap<String, (Vec<usize>, Arc<[f32]>)>);

impl Merged {
    /// Adds a tensor under the base's name for it.
    pub fn insert(&mut self, tensor: String, shape: Vec<usize>, values: Vec<f32>) {
        self.0.insert(tensor, (shape, values.into()));
    }
}

/// One open weights file.
#[derive(Debug)]
pub struct Weights {
    package: String,
    file: String,
    path: PathBuf,
    content: FileBytes,
    metadata: Metadata,
    data_start: usize,
    merged: Merged,
}

impl Weights {
    /// Opens a file of the package and checks its header against its length.
    pub fn open(package: &PackageFiles, package_name: &str, file: &str) -> Result<Self, Error> {
        let path = package.require(file)?;
        let unreadable = |error: std::io::Error| package.invalid(file, format_args!("cannot be read: {error}"));
        let opened = File::open(&path).map_err(unreadable)?;
        let content = FileBytes::of(&opened).map_err(unreadable)?;
        package.watch(file, &path, opened)?;
        let (header, metadata) = SafeTensors::read_metadata(&content)
            .map_err(|error| package.invalid(file, format_args!("is not a whole safetensors file: {error}")))?;
        let data_start = 8 + header;
        if data_start + metadata.data_len() != content.len() {
            let (expected, found) = (data_start + metadata.data_len(), content.len());
            return Err(package.invalid(file, format_args!("has {found} bytes; its header describes {expected}")));
        }
        Ok(Self {
            package: package_name.to_owned(),
            file: file.to_owned(),
            path,
            content,
            metadata,
            data_start,
            merged: Merged::default(),
        })
    }

    /// The same file with some tensors taken from elsewhere.
    #[must_use]
    pub fn with_merged(self, merged: Merged) -> Self {
        Self { merged, ..self }
    }

    /// The real path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Bytes of all tensors as stored.
    pub fn stored_bytes(&self) -> u64 {
        self.metadata.data_len() as u64
    }

    /// Whether the file has the tensor.
    pub fn has(&self, tensor: &str) -> bool {
        self.merged.0.contains_key(tensor) || self.metadata.info(tensor).is_some()
    }

    /// The names of all tensors of the file.
    pub fn names(&self) -> Vec<String> {
        self.metadata.offset_keys()
    }

    /// The error for a tensor of this file.
    pub fn invalid(&self, tensor: &str, problem: impl std::fmt::Display) -> Error {
        Error::InvalidPackage(format!(
            "Cannot use package {:?}: {}: tensor {tensor:?} {problem}",
            self.package, self.file
        ))
    }

    /// The place of a tensor of any supported type.
    pub fn place(&self, tensor: &str) -> Result<TensorPlace, Error> {
        if let Some((shape, values)) = self.merged.0.get(tensor) {
            let (shape, held) = (shape.clone(), Some(Arc::clone(values)));
            return Ok(TensorPlace { dtype: Dtype::F32, shape, offset: 0, bytes: 4 * values.len(), held });
        }
        let info = self.metadata.info(tensor).ok_or_else(|| self.invalid(tensor, "is missing"))?;
        let dtype = match info.dtype {
            safetensors::Dtype::F32 => Dtype::F32,
            safetensors::Dtype::F16 => Dtype::F16,
            safetensors::Dtype::BF16 => Dtype::Bf16,
            safetensors::Dtype::I8 => Dtype::I8,
            other => return Err(self.invalid(tensor, format_args!("has type {other:?}; use F32, F16, BF16 or I8"))),
        };
        let (start, end) = info.data_offsets;
        let (shape, offset) = (info.shape.clone(), self.data_start + start);
        Ok(TensorPlace { dtype, shape, offset, bytes: end - start, held: None })
    }

    /// The place of a tensor that must have this shape.
    pub fn place_of_shape(&self, tensor: &str, shape: &[usize]) -> Result<TensorPlace, Error> {
        let place = self.place(tensor)?;
        if place.shape != shape {
            return Err(self.invalid(tensor, format_args!("has shape {:?}; {shape:?} is expected", place.shape)));
        }
        Ok(place)
    }

    /// The per-row scale of an I8 tensor as `(name, place)`, `None` if the file has none.
    pub fn scale_of(&self, tensor: &str, rows: usize) -> Result<Option<(String, TensorPlace)>, Error> {
        let name = format!("{tensor}_scale");
        if !self.has(&name) {
            return Ok(None);
        }
        let place = self.place_of_shape(&name, &[rows])?;
        if place.dtype != Dtype::F32 {
            return Err(self.invalid(&name, "must have type F32"));
        }
        if !floats(self.bytes(&place)).iter().all(|scale| scale.is_finite()) {
            return Err(self.invalid(&name, "has a number that is not finite: the file is damaged"));
        }
        Ok(Some((name, place)))
    }

    /// A tensor of the given shape as 32-bit floats; an I8 tensor is multiplied by its scale, if it has one.
    pub fn read_f32(&self, tensor: &str, shape: &[usize]) -> Result<Vec<f32>, Error> {
        let place = self.place_of_shape(tensor, shape)?;
        if let Some(held) = place.held {
            return Ok(held.to_vec());
        }
        let bytes = self.bytes(&place);
        Ok(match place.dtype {
            Dtype::F32 => floats(bytes),
            Dtype::F16 => bytes.as_chunks::<2>().0.iter().map(|pair| f16::from_le_bytes(*pair).to_f32()).collect(),
            Dtype::Bf16 => bytes.as_chunks::<2>().0.iter().map(|pair| bf16::from_le_bytes(*pair).to_f32()).collect(),
            Dtype::I8 => {
                let rows = shape.first().copied().unwrap_or(1);
                let scale = match self.scale_of(tensor, rows)? {
                    Some((_, place)) => floats(self.bytes(&place)),
                    None => vec![1.0; rows],
                };
                let width = (bytes.len() / rows.max(1)).max(1);
                let value = |(row, bytes): (&[u8], f32)| {
                    row.iter().map(|byte| f32::from(byte.cast_signed()) * bytes).collect::<Vec<_>>()
                };
                bytes.chunks(width).zip(scale).flat_map(value).collect()
            }
        })
    }

    /// The whole file; offsets of [`TensorPlace`] count from its start.
    pub fn content(&self) -> &[u8] {
        &self.content
    }

    /// The bytes of a place in this file.
    pub fn bytes(&self, place: &TensorPlace) -> &[u8] {
        &self.content[place.offset..place.offset + place.bytes]
    }
}

fn floats(bytes: &[u8]) -> Vec<f32> {
    bytes.as_chunks::<4>().0.iter().map(|word| f32::from_le_bytes(*word)).collect()
}
