//! Matmuls of 16-bit floats, with the instruction that adds up two of them at a time in 32 bits.

#![cfg(target_arch = "x86_64")]
#![allow(unsafe_code, reason = "vector instructions over rows and panels whose bounds the caller has checked")]

use std::arch::x86_64::{
    __m256bh, __m256i, __m512, __m512bh, __m512i, _mm256_mask_storeu_epi16, _mm256_storeu_si256, _mm512_cvtneps_pbh,
    _mm512_dpbf16_ps, _mm512_loadu_ps, _mm512_maskz_loadu_ps, _mm512_setzero_ps,
};
use std::mem::transmute;

use super::panels::{Panels, sums_of_rows};

/// Rounds one row to 16-bit floats.
///
/// # Safety
/// `packed` has room for twice as many bytes as `row` has numbers; the processor has the features.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512bf16")]
pub unsafe fn pack_row(row: &[f32], packed: *mut u8) {
    let (whole, rest) = row.as_chunks::<16>();
    for (index, values) in whole.iter().enumerate() {
        // SAFETY: a chunk has 16 numbers, and there is room for 32 bytes of each.
        unsafe {
            let halves = _mm512_cvtneps_pbh(_mm512_loadu_ps(values.as_ptr()));
            _mm256_storeu_si256(packed.add(32 * index).cast(), transmute::<__m256bh, __m256i>(halves));
        }
    }
    let mask = (1_u16 << rest.len()) - 1;
    // SAFETY: the mask keeps load and store within the rest.
    unsafe {
        let halves = _mm512_cvtneps_pbh(_mm512_maskz_loadu_ps(mask, rest.as_ptr()));
        _mm256_mask_storeu_epi16(packed.add(32 * whole.len()).cast(), mask, transmute::<__m256bh, __m256i>(halves));
    }
}

/// The sums of `ROWS` rows of 16-bit floats over one panel.
///
/// # Safety
/// Each of the rows, `stride` bytes apart, has as many steps as the panel; the processor has the features.
#[target_feature(enable = "avx512f,avx512bw,avx512bf16")]
pub unsafe fn tile<const ROWS: usize>(
    rows: *const u8,
    stride: usize,
    (panels, panel): (&Panels, usize),
) -> [[__m512; 2]; ROWS] {
    sums_of_rows!(rows, stride, panels.panel(panel), _mm512_setzero_ps(), add_products)
}

/// Adds each pair of products to its sum.
#[inline]
#[target_feature(enable = "avx512f,avx512bf16")]
fn add_products(sums: __m512, left: __m512i, right: __m512i) -> __m512 {
    // SAFETY: the types of a register can be taken for each other.
    let [left, right] = [left, right].map(|register| unsafe { transmute::<__m512i, __m512bh>(register) });
    _mm512_dpbf16_ps(sums, left, right)
}
