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
        })
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
