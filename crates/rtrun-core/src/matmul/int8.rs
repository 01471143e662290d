//! Matmuls of bytes, with the instruction that adds up four of them at a time.

#![cfg(target_arch = "x86_64")]
#![allow(unsafe_code, reason = "vector instructions over rows and panels whose bounds the caller has checked")]

use std::arch::x86_64::{
    __m512, __m512i, _mm_storeu_si128, _mm512_add_epi32, _mm512_cvtepi32_ps, _mm512_cvtps_epi32,
    _mm512_cvtusepi32_epi8, _mm512_dpbusd_epi32, _mm512_fmadd_ps, _mm512_loadu_ps, _mm512_loadu_si512,
    _mm512_mask_cvtusepi32_storeu_epi8, _mm512_maskz_loadu_ps, _mm512_max_epi32, _mm512_max_ps, _mm512_min_ps,
    _mm512_mul_ps, _mm512_mullo_epi32, _mm512_reduce_add_ps, _mm512_reduce_max_ps, _mm512_reduce_min_ps,
    _mm512_set1_epi32, _mm512_set1_ps, _mm512_setzero_ps, _mm512_setzero_si512, _mm512_sub_epi32,
};

use super::panels::{Panels, sums_of_rows};
use super::precision::RowScale;

/// Rounds one row to bytes between its smallest and its largest number, zero being one of the bytes. A row with a number
/// that is not finite gets the scale NaN, so that its results are NaN too.
///
/// # Safety
/// `packed` has room for as many bytes as `row` has numbers; the processor has AVX-512.
#[target_feature(enable = "avx512f,avx512bw")]
pub unsafe fn pack_row(row: &[f32], packed: *mut u8) -> RowScale {
    let zero = _mm512_setzero_ps();
    let (mut low, mut high, mut poison) = (zero, zero, zero);
    let (whole, rest) = row.as_chunks::<16>();
    let mask = (1_u16 << rest.len()) - 1;
    // SAFETY: the mask keeps the load within the rest.
    let tail = unsafe { _mm512_maskz_loadu_ps(mask, rest.as_ptr()) };
    let mut take = |values: __m512| {
        low = _mm512_min_ps(low, values);
        high = _mm512_max_ps(high, values);
        poison = _mm512_fmadd_ps(values, zero, poison);
    };
    for values in whole {
        // SAFETY: a chunk has 16 numbers.
        take(unsafe { _mm512_loadu_ps(values.as_ptr()) });
    }
    take(tail);
    let (low, high) = (_mm512_reduce_min_ps(low), _mm512_reduce_max_ps(high));
    let scale = (high - low) / 255.0 + _mm512_reduce_add_ps(poison);
    let inverse = if scale > 0.0 { 1.0 / scale } else { 0.0 };
    #[allow(clippy::cast_possible_truncation, reason = "between 0 and 255")]
    let byte_of_zero = (-low * inverse).round_ties_even() as i32;
    let shift = _mm512_set1_epi32(byte_of_zero);
    let factor = _mm512_set1_ps(inverse);
    let bytes = |values| {
        let rounded = _mm512_cvtps_epi32(_mm512_mul_ps(values, factor));
        _mm512_max_epi32(_mm512_add_epi32(rounded, shift), _mm512_setzero_si512())
    };
    for (index, values) in whole.iter().enumerate() {
        // SAFETY: a chunk has 16 numbers, and there is room for as many bytes.
        unsafe {
            let bytes = _mm512_cvtusepi32_epi8(bytes(_mm512_loadu_ps(values.as_ptr())));
            _mm_storeu_si128(packed.add(16 * index).cast(), bytes);
        }
    }
    // SAFETY: the mask keeps the store within the room.
    unsafe { _mm512_mask_cvtusepi32_storeu_epi8(packed.add(16 * whole.len()).cast(), mask, bytes(tail)) };
    RowScale { scale, zero: byte_of_zero }
}

/// The sums of `ROWS` rows of bytes over one panel, multiplied out.
///
/// # Safety
/// Each of the rows, `stride` bytes apart, has as many steps as the panel; `scales` has `ROWS` entries; the processor has
/// the features.
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
pub unsafe fn tile<const ROWS: usize>(
    rows: *const u8,
    stride: usize,
    scales: *const RowScale,
    (panels, panel): (&Panels, usize),
) -> [[__m512; 2]; ROWS] {
    let sums = sums_of_rows!(rows, stride, panels.panel(panel), _mm512_setzero_si512(), _mm512_dpbusd_epi32);
    // SAFETY: as for the caller.
    unsafe { multiply_out(sums, scales, (panels, panel)) }
}

/// The numbers that the sums of `ROWS` rows over one panel stand for.
///
/// # Safety
/// `scales` has `ROWS` entries; the processor has AVX-512.
#[target_feature(enable = "avx512f,avx512bw")]
pub unsafe fn multiply_out<const ROWS: usize>(
    sums: [[__m512i; 2]; ROWS],
    scales: *const RowScale,
    (panels, panel): (&Panels, usize),
) -> [[__m512; 2]; ROWS] {
    let mut results = [[_mm512_setzero_ps(); 2]; ROWS];
    for half in 0..2 {
        let first = panel * super::panels::COLUMNS + 16 * half;
        // SAFETY: scales and sums are padded to whole panels.
        let (of_outputs, ones) = unsafe {
            (
                _mm512_loadu_ps(panels.scales[first..first + 16].as_ptr()),
                _mm512_loadu_si512(panels.sums[first..first + 16].as_ptr().cast()),
            )
        };
        for row in 0..ROWS {
            // SAFETY: there is a scale for every row.
            let RowScale { scale, zero } = unsafe { *scales.add(row) };
            let exact = _mm512_sub_epi32(sums[row][half], _mm512_mullo_epi32(ones, _mm512_set1_epi32(zero)));
            let factor = _mm512_mul_ps(of_outputs, _mm512_set1_ps(scale));
            results[row][half] = _mm512_mul_ps(_mm512_cvtepi32_ps(exact), factor);
        }
    }
    results
}
