//! Matmuls of 16-bit floats, with the instruction that adds up two of them at a time in 32 bits.

#![cfg(target_arch = "x86_64")]
#![allow(unsafe_code, reason = "vector instructions over rows and panels whose bounds the caller has checked")]

use std::arch::x86_64::{
    __m256bh, __m256i, __m512, __m512bh, __m512i, _mm256_mask_storeu_epi16, _mm256_storeu_si256, _mm512_cvtneps_pbh,
    _mm512_dpbf16_ps, _mm512_load_si512, _mm512_loadu_ps, _mm512_maskz_loadu_ps, _mm512_set1_epi32, _mm512_setzero_ps,
};
use std::mem::transmute;

use super::panels::{Line, Panels};

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
    let lines: &[[Line; 2]] = panels.panel(panel).as_chunks::<2>().0;
    let mut sums = [[_mm512_setzero_ps(); 2]; ROWS];
    for (step, [left, right]) in lines.iter().enumerate() {
        // SAFETY: a line is as long and as aligned as a register; every row has two numbers for every step; the types
        // of a register can be taken for each other.
        unsafe {
            let load = |line: &Line| -> __m512bh {
                transmute::<__m512i, __m512bh>(_mm512_load_si512(std::ptr::from_ref(line).cast()))
            };
            let (left, right) = (load(left), load(right));
            for (row, sums) in sums.iter_mut().enumerate() {
                let two = rows.add(row * stride + 4 * step).cast::<i32>().read_unaligned();
                let two = transmute::<__m512i, __m512bh>(_mm512_set1_epi32(two));
                sums[0] = _mm512_dpbf16_ps(sums[0], two, left);
                sums[1] = _mm512_dpbf16_ps(sums[1], two, right);
            }
        }
    }
    sums
}
