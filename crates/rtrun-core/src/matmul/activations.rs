//! Activation functions in plain arithmetic. Inlined into a kernel, they become its processor's vector instructions. Their largest
//! error is about 3e-7 of the exact function; `activations_avx512` has the same formulas for registers of AVX-512.

use crate::package::Activation;

/// Applies the function to every number. What is not a number stays so.
#[inline(always)]
#[allow(clippy::inline_always, reason = "only inlined code may use the caller's instructions")]
pub fn activate(values: &mut [f32], activation: Activation) {
    match activation {
        Activation::Gelu => each(values, gelu),
        Activation::GeluTanh => each(values, |x| x * sigmoid(x * (x * x).mul_add(0.044_715, 1.0) * 1.595_769)),
        Activation::QuickGelu => each(values, |x| x * sigmoid(x * 1.702)),
        Activation::Silu => each(values, |x| x * sigmoid(x)),
        Activation::Relu => each(values, |x| if x < 0.0 { 0.0 } else { x }),
        Activation::Tanh => each(values, |x| 2.0f32.mul_add(sigmoid(x + x), -1.0)),
    }
}

#[inline(always)]
#[allow(clippy::inline_always, reason = "as for `activate`")]
fn each(values: &mut [f32], function: impl Fn(f32) -> f32) {
    for value in values {
        *value = function(*value);
    }
}

/// `x · Φ(x)`, with the error function of Abramowitz and Stegun, 7.1.26.
#[inline(always)]
#[allow(clippy::inline_always, reason = "as for `activate`")]
fn gelu(x: f32) -> f32 {
    let z = x.abs() * std::f32::consts::FRAC_1_SQRT_2;
    let t = 1.0 / z.mul_add(0.327_591_1, 1.0);
    let series = 1.061_405_4_f32;
    let series = series.mul_add(t, -1.453_152);
    let series = series.mul_add(t, 1.421_413_7);
    let series = series.mul_add(t, -0.284_496_74);
    let series = series.mul_add(t, 0.254_829_6);
    // Half of the complement of the error function: Φ of minus the absolute value.
    let tail = series * t * exp(-z * z) * 0.5;
    x * if x >= 0.0 { 1.0 - tail } else { tail }
}

#[inline(always)]
#[allow(clippy::inline_always, reason = "as for `activate`")]
fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + exp(-x))
}

/// The exponential function, by its series around the nearest power of two.
#[inline(always)]
#[allow(clippy::inline_always, reason = "as for `activate`")]
fn exp(x: f32) -> f32 {
    // Comparisons instead of `clamp` keep what is not a number without a branch.
    let x = if x < -87.0 { -87.0 } else { x };
    let x = if x > 88.0 { 88.0 } else { x };
    // Adding 1.5 · 2²³ leaves the nearest whole number in the lowest bits.
    let shifted = x.mul_add(std::f32::consts::LOG2_E, 12_582_912.0);
    let power = shifted - 12_582_912.0;
    let rest = power.mul_add(-0.693_359_4, x);
    let rest = power.mul_add(2.121_944_4e-4, rest);
    let series = (1.0_f32 / 720.0).mul_add(rest, 1.0 / 120.0);
    let series = series.mul_add(rest, 1.0 / 24.0);
    let series = series.mul_add(rest, 1.0 / 6.0);
    let series = series.mul_add(rest, 0.5);
    let series = series.mul_add(rest, 1.0);
    let series = series.mul_add(rest, 1.0);
    series * f32::from_bits(shifted.to_bits().wrapping_add(127) << 23)
}
