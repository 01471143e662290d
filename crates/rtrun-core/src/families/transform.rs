//! A small network over one vector: what heads are made of.

use crate::error::Error;
use crate::package::Weights;

/// Steps that are applied to a vector one after the other.
#[derive(Debug, Clone)]
pub struct Transform {
    steps: Vec<Step>,
}

/// One step.
#[derive(Debug, Clone)]
pub enum Step {
    /// `weight × input + bias`.
    Linear(Linear),
    /// Hyperbolic tangent.
    Tanh,
    /// `x × Φ(x)`, with the exact Φ.
    Gelu,
    /// Nothing below 0.
    Relu,
    /// Mean 0 and variance 1, then a gain and a bias.
    Norm(Norm),
}

/// A layer normalization.
#[derive(Debug, Clone)]
pub struct Norm {
    gain: Vec<f32>,
    bias: Vec<f32>,
    epsilon: f32,
}

/// `weight × input + bias`.
#[derive(Debug, Clone)]
pub struct Linear {
    weight: Vec<f32>,
    bias: Vec<f32>,
    inputs: usize,
}

impl Transform {
    /// A network of these steps.
    pub fn new(steps: Vec<Step>) -> Self {
        Self { steps }
    }

    /// One linear step.
    pub fn linear(weights: &Weights, weight: &str, bias: Option<&str>, shape: [usize; 2]) -> Result<Self, Error> {
        Ok(Self { steps: vec![Step::Linear(Linear::open(weights, weight, bias, shape)?)] })
    }

    /// Length of the vectors it takes.
    pub fn inputs(&self) -> usize {
        self.steps
            .iter()
            .find_map(|step| if let Step::Linear(linear) = step { Some(linear.inputs) } else { None })
            .unwrap_or(0)
    }

    /// The output for one vector.
    pub fn apply(&self, input: &[f32]) -> Vec<f32> {
        self.steps.iter().fold(input.to_vec(), |values, step| match step {
            Step::Linear(linear) => linear.apply(&values),
            Step::Tanh => values.into_iter().map(f32::tanh).collect(),
            Step::Gelu => values.into_iter().map(gelu).collect(),
            Step::Relu => values.into_iter().map(|value| value.max(0.0)).collect(),
            Step::Norm(norm) => norm.apply(&values),
        })
    }
}

impl Norm {
    /// Reads `<module>.weight` and `<module>.bias`, both `[width]`.
    pub fn open(weights: &Weights, module: &str, width: usize, epsilon: f32) -> Result<Self, Error> {
        let vector = |part: &str| weights.read_f32(&format!("{module}.{part}"), &[width]);
        Ok(Self { gain: vector("weight")?, bias: vector("bias")?, epsilon })
    }

    /// The normalized vector.
    pub fn apply(&self, input: &[f32]) -> Vec<f32> {
        let count = input.len() as f32;
        let mean = input.iter().sum::<f32>() / count;
        let variance = input.iter().map(|value| (value - mean) * (value - mean)).sum::<f32>() / count;
        let scale = 1.0 / (variance + self.epsilon).sqrt();
        let affine = self.gain.iter().zip(&self.bias);
        input.iter().zip(affine).map(|(value, (gain, bias))| (value - mean) * scale * gain + bias).collect()
    }
}

/// The exact form, not the one with a hyperbolic tangent.
fn gelu(value: f32) -> f32 {
    0.5 * value * (1.0 + libm::erff(value * std::f32::consts::FRAC_1_SQRT_2))
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
        self.weight.chunks_exact(self.inputs).zip(&self.bias).map(|(row, bias)| dot(row, input) + bias).collect()
    }
}

/// Partial sums in a fixed order: wide enough for vector units, the same on every machine.
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
