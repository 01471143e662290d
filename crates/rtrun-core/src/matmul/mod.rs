//! Matrix multiplications in reduced precision: weights packed once, activations packed row by row, so that what a row becomes
//! never depends on the rows beside it.

#[cfg(target_arch = "x86_64")]
mod activations;
mod activations_avx512;
mod amx;
mod bf16;
mod int16;
mod int8;
mod packed_linear;
mod panels;
mod precision;

pub use packed_linear::{PackedLinear, Scratch, Workers};
pub use panels::{Line, Panels};
pub use precision::Precision;

/// Whether matmuls of bytes and bfloat16 are computed in the tiles of AMX.
pub fn has_tiles() -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        amx::is_available()
    }
    #[cfg(not(target_arch = "x86_64"))]
    false
}
