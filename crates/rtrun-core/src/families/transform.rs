//! A few small steps over one vector. They run row by row, so that an answer cannot depend on what it was batched with.

use crate::error::Error;
use crate::package::{Activation, Weights};

/// One step.
#[derive(Debug, Clone)]
pub enum Step {
    /// `weight × input + bias`.
    Linear(Linear),
    /// A function of every value.
    Activation(Activation),
    /// Mean 0 and variance 1, then a gain and a bias.
    Norm(Norm),
}

/// A layer normalization.
#[derive(Debug, Clone)]
pub struct Norm {
    gain: Vec<f32>,
    bias: Option<Vec<f32>>,
    epsilon: f32,
}

/// `weight × input + bias`.
#[derive(Debug, Clone)]
pub struct Linear {
    weight: Vec<f32>,
    bias: Vec<f32>,
    inputs: usize,
}

/// Steps one behind the other; none leave a vector as it is.
#[derive(Debug, Clone, Default)]
pub struct Transform {
    steps: Vec<Step>,
}

impl Transform {
    /// Steps in the order in which they run.
    pub fn new(steps: Vec<Step>) -> Self {
        Self { steps }
    }

    /// One linear step.
    pub fn linear(weights: &Weights, weight: &str, bias: Option<&str>, shape: [usize; 2]) -> Result<Self, Error> {
        Ok(Self { steps: vec![Step::Linear(Linear::open(weights, weight, bias, shape)?)] })
    }

    /// The vector behind the last step. A linear step may change its length.
    pub fn apply(&self, input: &[f32]) -> Vec<f32> {
        let mut vector = input.to_vec();
        for step in &self.steps {
            match step {
                Step::Linear(linear) => vector = linear.apply(&vector),
                Step::Activation(activation) => {
                    for value in &mut vector {
                        *value = activate(*activation, *value);
                    }
                }
                Step::Norm(norm) => norm.apply(&mut vector),
            }
        }
        vector
    }
}

impl Norm {
    /// Reads `<module>.weight` and, if it has one, `<module>.bias`, both `[width]`.
    pub fn open(weights: &Weights, module: &str, width: usize, epsilon: f32) -> Result<Self, Error> {
        let bias = format!("{module}.bias");
        let bias = if weights.has(&bias) { Some(weights.read_f32(&bias, &[width])?) } else { None };
        Ok(Self { gain: weights.read_f32(&format!("{module}.weight"), &[width])?, bias, epsilon })
    }

    #[allow(clippy::cast_precision_loss, reason = "a vector has a few thousand values")]
    fn apply(&self, vector: &mut [f32]) {
        let count = vector.len() as f32;
        let mean = vector.iter().sum::<f32>() / count;
        let variance = vector.iter().map(|value| (value - mean) * (value - mean)).sum::<f32>() / count;
        let scale = 1.0 / (variance + self.epsilon).sqrt();
        for (at, value) in vector.iter_mut().enumerate() {
            let bias = self.bias.as_ref().map_or(0.0, |bias| bias[at]);
            *value = (*value - mean) * scale * self.gain[at] + bias;
        }
    }
}

fn activate(activation: Activation, value: f32) -> f32 {
    let sigmoid = |value: f32| 1.0 / (1.0 + (-value).exp());
    match activation {
        Activation::Gelu => 0.5 * value * (1.0 + libm::erff(value * std::f32::consts::FRAC_1_SQRT_2)),
        Activation::GeluTanh => {
            let inner = (2.0 / std::f32::consts::PI).sqrt() * (value + 0.044_715 * value * value * value);
            0.5 * value * (1.0 + inner.tanh())
        }
        Activation::QuickGelu => value * sigmoid(1.702 * value),
        Activation::Relu => value.max(0.0),
        Activation::Silu => value * sigmoid(value),
        Activation::Tanh => value.tanh(),
    }
}

impl Linear {
    /// Reads a `[outputs, inputs]` weight and its bias.
    pub fn open(weights: &Weights, weight: &str, bias: Option<&str>, shape: [usize; 2]) -> Result<Self, Error> {
        let [outputs, inputs] = shape;
        let bias = match bias {
            Some(bias) => weights.read_f32(bias, &[outputs])?,
            None => vec![0.0; outputs],
        };
        Ok(Self { weight: weights.read_f32(weight, &shape)?, bias, inputs })
    }

    /// One value per output.
    pub fn apply(&self, input: &[f32]) -> Vec<f32> {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") {
            #[allow(unsafe_code, reason = "the processor was just seen to have what the function is compiled for")]
            return unsafe { self.apply_wide(input) };
        }
        self.apply_plain(input)
    }

    #[allow(
        clippy::inline_always,
        reason = "compiled into its callers, it uses the vector units that they are compiled for"
    )]
    #[inline(always)]
    fn apply_plain(&self, input: &[f32]) -> Vec<f32> {
        self.weight.chunks_exact(self.inputs).zip(&self.bias).map(|(row, bias)| dot(row, input) + bias).collect()
    }

    /// The same sums in the same order, with vector units that take more of them at once. A head over tokens has a product for each
    /// of them and each label, which is most of what it costs.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn apply_wide(&self, input: &[f32]) -> Vec<f32> {
        self.apply_plain(input)
    }
}

/// Partial sums in a fixed order: wide enough for vector units, the same on every machine.
#[allow(
    clippy::inline_always,
    reason = "compiled into its callers, it uses the vector units that they are compiled for"
)]
#[inline(always)]
pub fn dot(one: &[f32], other: &[f32]) -> f32 {
    const LANES: usize = 16;
    let mut sums = [0.0_f32; LANES];
    let (one, one_rest) = one.as_chunks::<LANES>();
    let (other, other_rest) = other.as_chunks::<LANES>();
    for (one, other) in one.iter().zip(other) {
        for lane in 0..LANES {
            sums[lane] += one[lane] * other[lane];
        }
    }
    let rest: f32 = one_rest.iter().zip(other_rest).map(|(one, other)| one * other).sum();
    sums.iter().sum::<f32>() + rest
}
