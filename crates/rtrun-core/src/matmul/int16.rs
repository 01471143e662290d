//! Matmuls of 16-bit integers. With AVX2 one instruction multiplies sixteen pairs and adds neighbouring products in 32 bits; one for 32-bit
//! floats multiplies eight. With AVX-512 VNNI one multiplies 32 pairs and adds them to the sums as well.

#![cfg(target_arch = "x86_64")]
#![allow(unsafe_code, reason = "vector instructions over rows and panels whose bounds the caller has checked")]

use std::arch::x86_64::{
    __m256, __m256i, __m512, __m512i, _mm256_add_epi32, _mm256_add_ps, _mm256_andnot_ps, _mm256_cvtepi32_ps,
    _mm256_cvtps_epi32, _mm256_fmadd_ps, _mm256_load_si256, _mm256_loadu_ps, _mm256_madd_epi16, _mm256_max_ps,
    _mm256_mul_ps, _mm256_packs_epi32, _mm256_permute4x64_epi64, _mm256_set1_epi32, _mm256_set1_ps, _mm256_setzero_ps,
    _mm256_setzero_si256, _mm256_storeu_ps, _mm256_storeu_si256, _mm512_cvtepi32_ps, _mm512_loadu_ps, _mm512_mul_ps,
    _mm512_set1_ps, _mm512_setzero_ps, _mm512_setzero_si512,
};

use super::activations;
use super::panels::{COLUMNS, LARGEST_OF_ROW, Line, Panels, sums_of_rows};
use super::precision::RowScale;

/// Rows of one tile: with the columns of half a panel, its sums fill 12 of the 16 registers.
pub const TILE: usize = 6;

/// Columns of half a panel.
const HALF: usize = COLUMNS / 2;

/// Rounds one row so that its largest number becomes `LARGEST_OF_ROW`. A row with a number that is not finite gets the scale
/// NaN, so that its results are NaN too.
///
/// # Safety
/// `packed` has room for twice as many bytes as `row` has numbers; the processor has the features.
#[target_feature(enable = "avx2,fma")]
pub unsafe fn pack_row(row: &[f32], packed: *mut u8) -> RowScale {
    let (whole, rest) = row.as_chunks::<16>();
    let mut tail = [0.0; 16];
    tail[..rest.len()].copy_from_slice(rest);
    let zero = _mm256_setzero_ps();
    let sign = _mm256_set1_ps(-0.0);
    let (mut largest, mut poison) = (zero, zero);
    for values in whole.iter().chain([&tail]) {
        for half in load(values) {
            largest = _mm256_max_ps(largest, _mm256_andnot_ps(sign, half));
            poison = _mm256_fmadd_ps(half, zero, poison);
        }
    }
    let largest = numbers(largest).into_iter().fold(0.0, f32::max);
    let scale = largest / f32::from(LARGEST_OF_ROW) + numbers(poison).iter().sum::<f32>();
    let factor = _mm256_set1_ps(if scale > 0.0 { 1.0 / scale } else { 0.0 });
    let round = |values: &[f32; 16]| {
        let [low, high] = load(values).map(|half| _mm256_cvtps_epi32(_mm256_mul_ps(half, factor)));
        // Packing leaves four of `low`, four of `high`, and so on; the permutation puts them in order.
        _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_packs_epi32(low, high))
    };
    for (index, values) in whole.iter().enumerate() {
        // SAFETY: there is room for the 32 bytes of 16 numbers.
        unsafe { _mm256_storeu_si256(packed.add(32 * index).cast(), round(values)) };
    }
    let mut last = [0_u8; 32];
    // SAFETY: 32 bytes are stored to the buffer, and as many as the rest takes go on from there.
    unsafe {
        _mm256_storeu_si256(last.as_mut_ptr().cast(), round(&tail));
        packed.add(32 * whole.len()).copy_from_nonoverlapping(last.as_ptr(), 2 * rest.len());
    }
    RowScale { scale, zero: 0 }
}

/// Sums, bias and activation of `ROWS` rows over one panel, and the store of the columns that there are.
///
/// # Safety
/// Each of the rows, `stride` bytes apart, has as many steps as the panel; `scales` has `ROWS` entries; `result` has `ROWS`
/// rows of all outputs; the processor has the features.
#[target_feature(enable = "avx2,fma")]
pub unsafe fn tile<const ROWS: usize>(
    rows: *const u8,
    stride: usize,
    scales: *const RowScale,
    (part, panel): (&Panels, usize),
    result: *mut f32,
) {
    for half in 0..2 {
        let first = panel * COLUMNS + HALF * half;
        if first >= part.outputs {
            return;
        }
        // SAFETY: as for the caller.
        let sums = unsafe { half_tile::<ROWS>(rows, stride, part.panel(panel), half) };
        let mut values = [[0.0; HALF]; ROWS];
        let of_columns = |values: &[f32]| load(values[first..].first_chunk().expect("padded to whole panels"));
        let (of_outputs, bias) = (of_columns(&part.scales), of_columns(&part.bias));
        for (row, values) in values.iter_mut().enumerate() {
            // SAFETY: there is a scale for every row.
            let scale = _mm256_set1_ps(unsafe { (*scales.add(row)).scale });
            for (at, eight) in values.as_chunks_mut::<8>().0.iter_mut().enumerate() {
                let product = _mm256_mul_ps(_mm256_cvtepi32_ps(sums[row][at]), _mm256_mul_ps(of_outputs[at], scale));
                *eight = numbers(_mm256_add_ps(product, bias[at]));
            }
        }
        if let Some(activation) = part.activation {
            activations::activate(values.as_flattened_mut(), activation);
        }
        let columns = (part.outputs - first).min(HALF);
        for (row, values) in values.iter().enumerate() {
            // SAFETY: the row has as many columns behind the first one.
            unsafe { result.add(row * part.outputs + first).copy_from_nonoverlapping(values.as_ptr(), columns) };
        }
    }
}

/// The sums over the columns of half a panel.
#[target_feature(enable = "avx2,fma")]
unsafe fn half_tile<const ROWS: usize>(
    rows: *const u8,
    stride: usize,
    lines: &[Line],
    half: usize,
) -> [[__m256i; 2]; ROWS] {
    let mut sums = [[_mm256_setzero_si256(); 2]; ROWS];
    for (step, lines) in lines.as_chunks::<2>().0.iter().enumerate() {
        // SAFETY: a line fills two registers and is aligned to them; every row has two numbers for every step.
        unsafe {
            let line: *const __m256i = std::ptr::from_ref(&lines[half]).cast();
            let (left, right) = (_mm256_load_si256(line), _mm256_load_si256(line.add(1)));
            for (row, sums) in sums.iter_mut().enumerate() {
                let two = _mm256_set1_epi32(rows.add(row * stride + 4 * step).cast::<i32>().read_unaligned());
                sums[0] = _mm256_add_epi32(sums[0], _mm256_madd_epi16(two, left));
                sums[1] = _mm256_add_epi32(sums[1], _mm256_madd_epi16(two, right));
            }
        }
    }
    sums
}

/// The sums of `ROWS` rows over one panel, multiplied out, in registers of 512 bits.
///
/// # Safety
/// Each of the rows, `stride` bytes apart, has as many steps as the panel; `scales` has `ROWS` entries; the processor has
/// the features.
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
pub unsafe fn long_tile<const ROWS: usize>(
    rows: *const u8,
    stride: usize,
    scales: *const RowScale,
    (panels, panel): (&Panels, usize),
) -> [[__m512; 2]; ROWS] {
    let sums = sums_of_rows!(rows, stride, panels.panel(panel), _mm512_setzero_si512(), add_products);
    let mut results = [[_mm512_setzero_ps(); 2]; ROWS];
    for half in 0..2 {
        let first = panel * COLUMNS + HALF * half;
        // SAFETY: scales are padded to whole panels.
        let of_outputs = unsafe { _mm512_loadu_ps(panels.scales[first..first + HALF].as_ptr()) };
        for row in 0..ROWS {
            // SAFETY: there is a scale for every row.
            let scale = _mm512_set1_ps(unsafe { (*scales.add(row)).scale });
            results[row][half] = _mm512_mul_ps(_mm512_cvtepi32_ps(sums[row][half]), _mm512_mul_ps(of_outputs, scale));
        }
    }
    results
}

/// Adds each pair of products to its sum. The compiler makes two instructions of the intrinsic (`_mm512_dpwssd_epi32`), which takes twice
/// as long on Intel's processors.
#[inline]
#[target_feature(enable = "avx512f,avx512vnni")]
fn add_products(mut sums: __m512i, left: __m512i, right: __m512i) -> __m512i {
    // SAFETY: the instruction reads and writes these registers alone.
    unsafe {
        std::arch::asm!(
            "vpdpwssd {sums}, {left}, {right}",
            sums = inout(zmm_reg) sums,
            left = in(zmm_reg) left,
            right = in(zmm_reg) right,
            options(pure, nomem, nostack, preserves_flags),
        );
    }
    sums
}

#[target_feature(enable = "avx2,fma")]
fn load(values: &[f32; 16]) -> [__m256; 2] {
    // SAFETY: there are 16 numbers.
    unsafe { [_mm256_loadu_ps(values.as_ptr()), _mm256_loadu_ps(values.as_ptr().add(8))] }
}

#[target_feature(enable = "avx2,fma")]
fn numbers(register: __m256) -> [f32; 8] {
    let mut values = [0.0; 8];
    // SAFETY: there is room for the 8 numbers.
    unsafe { _mm256_storeu_ps(values.as_mut_ptr(), register) };
    values
}
