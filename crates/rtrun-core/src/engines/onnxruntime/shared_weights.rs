//! Weights that several sessions compute with. The library packs matrices for its kernels at load; sessions that were lent
//! the same tensors and the same container share the packed ones too, so another session costs about 3 MB.

use std::collections::HashMap;
use std::ffi::CString;
use std::path::Path;

use ort::AsPointer;
use ort::session::builder::{PrepackedWeights, SessionBuilder};
use ort::value::TensorRef;
use prost::Message;

use crate::graph::onnx::{Model, Tensor, data_type};
use crate::package::FileBytes;

/// The weights of one graph.
pub struct SharedWeights {
    /// Views into the files, which outlive every session that was lent them.
    tensors: Vec<(CString, TensorRef<'static, f32>)>,
    packed: PrepackedWeights,
    files: HashMap<String, FileBytes>,
}

// SAFETY: the views are read-only and never change; the container has a lock of its own.
#[allow(unsafe_code)]
unsafe impl Send for SharedWeights {}
#[allow(unsafe_code)]
// SAFETY: as above.
unsafe impl Sync for SharedWeights {}

impl SharedWeights {
    /// Opens the weights of a graph. `None` where a session expands them at load, so that there is nothing to share: all
    /// have to be stored as 32-bit floats in files of `folder`.
    pub fn open(model: &[u8], folder: &Path) -> Option<Self> {
        let graph = Model::decode(model).ok()?.graph?;
        let mut files = HashMap::new();
        let mut tensors = Vec::with_capacity(graph.initializer.len());
        // What stands in the graph itself is small, and every session has its own.
        for tensor in graph.initializer.iter().filter(|tensor| !tensor.external_data.is_empty()) {
            let file = entry(tensor, "location")?;
            if !files.contains_key(file) {
                files.insert(file.to_owned(), FileBytes::open(&folder.join(file)).ok()?);
            }
            tensors.push((CString::new(tensor.name.clone()?).ok()?, view(tensor, &files[file])?));
        }
        Some(Self { tensors, packed: PrepackedWeights::new(), files })
    }

    /// Lends the weights to a session that is about to be made.
    ///
    /// # Safety
    /// The session is dropped before the weights are, or never.
    #[allow(unsafe_code)]
    #[allow(clippy::result_large_err, reason = "the builder of the library carries itself in its errors")]
    pub unsafe fn lend(&self, mut builder: SessionBuilder) -> ort::Result<SessionBuilder> {
        for (name, tensor) in &self.tensors {
            // SAFETY: builder, name and tensor are alive, and the caller keeps the tensor alive as long as the session.
            unsafe {
                let status = (ort::api().AddInitializer)(builder.ptr_mut(), name.as_ptr(), tensor.ptr());
                ort::Error::result_from_status(status)?;
            }
        }
        builder.with_prepacked_weights(&self.packed).map_err(|error| ort::Error::new(error.to_string()))
    }

    /// Gives the pages of mapped files back that a new session has read to pack them.
    pub fn release_pages(&self) {
        self.files.values().for_each(FileBytes::release_pages);
    }
}

/// A tensor as it lies in its file, if it is stored as 32-bit floats.
fn view(tensor: &Tensor, file: &[u8]) -> Option<TensorRef<'static, f32>> {
    if tensor.data_type != Some(data_type::FLOAT) {
        return None;
    }
    let number = |key: &str| entry(tensor, key)?.parse::<usize>().ok();
    let start = number("offset")?;
    let bytes = file.get(start..start.checked_add(number("length")?)?)?;
    #[allow(unsafe_code)]
    // SAFETY: any four bytes are a float. The lifetime is that of the file's bytes, which live as long as the view.
    let floats: &'static [f32] = unsafe {
        let (before, floats, after) = bytes.align_to::<f32>();
        if !before.is_empty() || !after.is_empty() {
            return None;
        }
        std::slice::from_raw_parts(floats.as_ptr(), floats.len())
    };
    TensorRef::from_array_view((tensor.dims.clone(), floats)).ok()
}

fn entry<'t>(tensor: &'t Tensor, key: &str) -> Option<&'t str> {
    tensor.external_data.iter().find(|entry| entry.key.as_deref() == Some(key))?.value.as_deref()
}
