//! Activation functions over a register of 16 numbers of AVX-512. Their largest error is about 3e-7 of the exact function, far
//! below what the rounding of the factors does.

#![cfg(target_arch = "x86_64")]

use std::arch::x86_64::{
    __m512, _CMP_GE_OQ, _MM_FROUND_NO_EXC, _MM_FROUND_TO_NEAREST_INT, _mm512_abs_ps, _mm512_add_ps, _mm512_cmp_ps_mask,
    _mm512_div_ps, _mm512_fmadd_ps, _mm512_fnmadd_ps, _mm512_mask_sub_ps, _mm512_max_ps, _mm512_min_ps, _mm512_mul_ps,
    _mm512_roundscale_ps, _mm512_scalef_ps, _mm512_set1_ps, _mm512_setzero_ps, _mm512_sub_ps,
};

use crate::package::Activation;

/// The function of every number. What is not a number stays so.
#[target_feature(enable = "avx512f")]
pub fn activate(x: __m512, activation: Activation) -> __m512 {
    match activation {
        Activation::Gelu => gelu(x),
        Activation::GeluTanh => {
            // tanh(u) is 2 · sigmoid(2u) − 1, so x · (1 + tanh(u)) / 2 is x · sigmoid(2u).
            let square = _mm512_mul_ps(x, x);
            let inner = _mm512_fmadd_ps(square, _mm512_set1_ps(0.044_715), _mm512_set1_ps(1.0));
            let twice = _mm512_mul_ps(_mm512_mul_ps(x, inner), _mm512_set1_ps(1.595_769));
            _mm512_mul_ps(x, sigmoid(twice))
        }
        Activation::QuickGelu => _mm512_mul_ps(x, sigmoid(_mm512_mul_ps(x, _mm512_set1_ps(1.702)))),
        Activation::Silu => _mm512_mul_ps(x, sigmoid(x)),
        Activation::Relu => _mm512_max_ps(_mm512_setzero_ps(), x),
        Activation::Tanh => {
            let twice = sigmoid(_mm512_add_ps(x, x));
            _mm512_sub_ps(_mm512_add_ps(twice, twice), _mm512_set1_ps(1.0))
        }
    }
}

/// `x · Φ(x)`, with the error function of Abramowitz and Stegun, 7.1.26.
#[target_feature(enable = "avx512f")]
fn gelu(x: __m512) -> __m512 {
    let one = _mm512_set1_ps(1.0);
    let z = _mm512_mul_ps(_mm512_abs_ps(x), _mm512_set1_ps(std::f32::consts::FRAC_1_SQRT_2));
    let t = _mm512_div_ps(one, _mm512_fmadd_ps(z, _mm512_set1_ps(0.327_591_1), one));
    let mut series = _mm512_set1_ps(1.061_405_4);
    for factor in [-1.453_152, 1.421_413_7, -0.284_496_74, 0.254_829_6] {
        series = _mm512_fmadd_ps(series, t, _mm512_set1_ps(factor));
    }
    let decay = exp(_mm512_fnmadd_ps(z, z, _mm512_setzero_ps()));
    // Half of the complement of the error function: Φ of minus the absolute value.
    let tail = _mm512_mul_ps(_mm512_mul_ps(series, t), _mm512_mul_ps(decay, _mm512_set1_ps(0.5)));
    let is_positive = _mm512_cmp_ps_mask::<_CMP_GE_OQ>(x, _mm512_setzero_ps());
    _mm512_mul_ps(x, _mm512_mask_sub_ps(tail, is_positive, one, tail))
}

#[target_feature(enable = "avx512f")]
fn sigmoid(x: __m512) -> __m512 {
    let one = _mm512_set1_ps(1.0);
    _mm512_div_ps(one, _mm512_add_ps(one, exp(_mm512_sub_ps(_mm512_setzero_ps(), x))))
}

/// The exponential function, by its series around the nearest power of two.
#[target_feature(enable = "avx512f")]
fn exp(x: __m512) -> __m512 {
    // The order of the operands keeps what is not a number.
    let x = _mm512_min_ps(_mm512_set1_ps(88.0), _mm512_max_ps(_mm512_set1_ps(-104.0), x));
    let power = _mm512_roundscale_ps::<{ _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC }>(_mm512_mul_ps(
        x,
        _mm512_set1_ps(std::f32::consts::LOG2_E),
    ));
    let rest = _mm512_fnmadd_ps(power, _mm512_set1_ps(0.693_359_4), x);
    let rest = _mm512_fnmadd_ps(power, _mm512_set1_ps(-2.121_944_4e-4), rest);
    let mut series = _mm512_set1_ps(1.0 / 720.0);
    for factor in [1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0] {
        series = _mm512_fmadd_ps(series, rest, _mm512_set1_ps(factor));
    }
    _mm512_scalef_ps(series, power)
}
