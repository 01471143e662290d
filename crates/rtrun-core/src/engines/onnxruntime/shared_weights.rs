//! Weights that several sessions compute with. The library packs matrices for its kernels at load; sessions that were lent
//! the same tensors and the same container share the packed ones too, so another session costs about 3 MB.

use std::collections::HashMap;
use std::ffi::CString;
use std::fs::File;
use std::path::Path;

use memmap2::{Mmap, UncheckedAdvice};
use ort::AsPointer;
use ort::session::builder::{PrepackedWeights, SessionBuilder};
use ort::value::TensorRef;
use prost::Message;

use crate::graph::onnx::{Model, Tensor, data_type};

/// The weights of one graph.
pub struct SharedWeights {
    /// Views into the maps, which outlive every session that was lent them.
    tensors: Vec<(CString, TensorRef<'static, f32>)>,
    packed: PrepackedWeights,
    maps: HashMap<String, Mmap>,
}

// SAFETY: the views are read-only and never change; the container has a lock of its own.
#[allow(unsafe_code)]
unsafe impl Send for SharedWeights {}
#[allow(unsafe_code)]
// SAFETY: as above.
unsafe impl Sync for SharedWeights {}

impl SharedWeights {
    /// Maps the weights of a graph. `None` where a session expands them at load, so that there is nothing to share: all
    /// have to be stored as 32-bit floats in files of `folder`.
    pub fn open(model: &[u8], folder: &Path) -> Option<Self> {
        let graph = Model::decode(model).ok()?.graph?;
        let mut maps = HashMap::new();
        let mut tensors = Vec::with_capacity(graph.initializer.len());
        // What stands in the graph itself is small, and every session has its own.
        for tensor in graph.initializer.iter().filter(|tensor| !tensor.external_data.is_empty()) {
            let file = entry(tensor, "location")?;
            if !maps.contains_key(file) {
                maps.insert(file.to_owned(), map(&folder.join(file))?);
            }
            tensors.push((CString::new(tensor.name.clone()?).ok()?, view(tensor, &maps[file])?));
        }
        Some(Self { tensors, packed: PrepackedWeights::new(), maps })
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

    /// Gives the pages back that a new session has read to pack them; what is read later is mapped again.
    pub fn release_pages(&self) {
        for map in self.maps.values() {
            #[allow(unsafe_code)]
            // SAFETY: nothing is ever written to the map, so its pages are those of the file whenever they come back.
            // A failure leaves the pages where they are.
            let _ = unsafe { map.unchecked_advise(UncheckedAdvice::DontNeed) };
        }
    }
}

/// A tensor as it lies in its file, if it is stored as 32-bit floats.
fn view(tensor: &Tensor, map: &Mmap) -> Option<TensorRef<'static, f32>> {
    if tensor.data_type != Some(data_type::FLOAT) {
        return None;
    }
    let number = |key: &str| entry(tensor, key)?.parse::<usize>().ok();
    let start = number("offset")?;
    let bytes = map.get(start..start.checked_add(number("length")?)?)?;
    #[allow(unsafe_code)]
    // SAFETY: any four bytes are a float. The lifetime is that of the map, which lives as long as the view.
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

#[allow(unsafe_code)]
fn map(path: &Path) -> Option<Mmap> {
    // SAFETY: the map is private and read-only. A package is replaced by renaming a new file into its place, as the
    // package format demands; whoever overwrites a file of a loaded package in place breaks that contract.
    unsafe { Mmap::map(&File::open(path).ok()?) }.ok()
}
