//! Rewriting the weights of a copied package.

use std::collections::BTreeMap;
use std::path::Path;

use safetensors::tensor::{Dtype, SafeTensors, TensorView};

/// One tensor to write.
#[derive(Clone)]
pub struct Stored {
    pub dtype: Dtype,
    pub shape: Vec<usize>,
    pub bytes: Vec<u8>,
}

/// Changes the tensors of a file.
pub fn rewrite(file: &Path, change: impl FnOnce(&mut BTreeMap<String, Stored>)) {
    let bytes = std::fs::read(file).unwrap();
    let tensors = SafeTensors::deserialize(&bytes).unwrap();
    let stored =
        |view: TensorView| Stored { dtype: view.dtype(), shape: view.shape().to_vec(), bytes: view.data().to_vec() };
    let mut tensors: BTreeMap<String, Stored> =
        tensors.tensors().into_iter().map(|(name, view)| (name, stored(view))).collect();
    change(&mut tensors);
    let views = tensors
        .iter()
        .map(|(name, tensor)| (name, TensorView::new(tensor.dtype, tensor.shape.clone(), &tensor.bytes).unwrap()));
    std::fs::write(file, safetensors::serialize(views, None).unwrap()).unwrap();
}

/// Writes a number into one place of a 32-bit float tensor.
pub fn poke(file: &Path, tensor: &str, at: usize, value: f32) {
    rewrite(file, |tensors| {
        let bytes = &mut tensors.get_mut(tensor).unwrap().bytes;
        bytes[4 * at..4 * at + 4].copy_from_slice(&value.to_le_bytes());
    });
}
