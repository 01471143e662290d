//! Weights in the order in which the kernels read them: panels of 32 outputs, in each the values of one step of the dot
//! matmuls side by side.

use half::bf16;

use super::precision::Precision;
use crate::package::Activation;

/// Outputs of one panel: two vector registers of 32-bit sums.
pub const COLUMNS: usize = 32;

/// What the largest number of a row of activations becomes in [`Precision::Int16`].
pub const LARGEST_OF_ROW: u16 = 8191;

/// What the absolute values of a row of weights add up to there at most: no sum of products leaves 32 bits then.
const LARGEST_SUM: i32 = i32::MAX / LARGEST_OF_ROW as i32;

/// What one register holds, where the kernels can load it at once.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
pub struct Line(pub [u8; 64]);

/// Lines of one step of a panel.
pub const STEP_LINES: usize = 2;

/// The packed weights of one matmul, `[outputs, inputs]` before packing, and what is done to its sums.
#[derive(Debug)]
pub struct Panels {
    /// How the weights are stored.
    pub(super) precision: Precision,
    /// Numbers that a row of activations has.
    pub(super) inputs: usize,
    /// Numbers that a row of results has.
    pub(super) outputs: usize,
    /// What is added to the sums; padded to whole panels like the rest.
    pub(super) bias: Vec<f32>,
    /// What the sums go through at last.
    pub(super) activation: Option<Activation>,
    /// By output, what a stored value is multiplied by.
    pub(super) scales: Vec<f32>,
    /// By output, the sum of the stored values, which the zero of a row of activations is multiplied by.
    pub(super) sums: Vec<i32>,
    lines: Vec<Line>,
}

impl Panels {
    /// Packs signed bytes with one scale an output, both as the package has them; rounds them where they are too many or the
    /// precision is of floats. Panics if they are not as many as the shape says.
    pub fn of_bytes(values: &[i8], scales: &[f32], [outputs, inputs]: [usize; 2], precision: Precision) -> Self {
        assert_eq!(scales.len(), outputs, "a matmul needs one scale for each of its {outputs} outputs; this is a bug");
        check_weights(values.len(), [outputs, inputs]);
        let fits = |row: &[i8]| row.iter().map(|value| i32::from(value.unsigned_abs())).sum::<i32>() <= LARGEST_SUM;
        match precision {
            Precision::Int8 => Self::of_signed_bytes(values, scales, [outputs, inputs]),
            Precision::Int16 if values.chunks_exact(inputs).all(fits) => {
                let words: Vec<i16> = values.iter().map(|value| i16::from(*value)).collect();
                Self::of_words(&words, scales, [outputs, inputs])
            }
            Precision::Bf16 | Precision::Int16 => {
                let rows = values.chunks_exact(inputs).zip(scales);
                let floats = rows.flat_map(|(row, scale)| row.iter().map(move |value| f32::from(*value) * scale));
                Self::of_floats(&floats.collect::<Vec<_>>(), [outputs, inputs], precision)
            }
        }
    }

    fn of_words(values: &[i16], scales: &[f32], shape: [usize; 2]) -> Self {
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        let mut panels = Self::new(Precision::Int16, &bytes, shape);
        panels.scales[..shape[0]].copy_from_slice(scales);
        panels
    }

    fn of_signed_bytes(values: &[i8], scales: &[f32], [outputs, inputs]: [usize; 2]) -> Self {
        let bytes: Vec<u8> = values.iter().map(|value| value.cast_unsigned()).collect();
        let mut panels = Self::new(Precision::Int8, &bytes, [outputs, inputs]);
        panels.scales[..outputs].copy_from_slice(scales);
        let sum = |row: &[i8]| row.iter().map(|value| i32::from(*value)).sum();
        for (sum_of_row, row) in panels.sums.iter_mut().zip(values.chunks_exact(inputs)) {
            *sum_of_row = sum(row);
        }
        panels
    }

    /// Rounds 32-bit weights to a precision and packs them. Every output gets the scale of its largest weight. Panics if
    /// the weights are not as many as the shape says.
    pub fn of_floats(values: &[f32], shape: [usize; 2], precision: Precision) -> Self {
        check_weights(values.len(), shape);
        match precision {
            Precision::Int8 => {
                let (mut bytes, mut scales) = (Vec::with_capacity(values.len()), Vec::with_capacity(shape[0]));
                for row in values.chunks_exact(shape[1]) {
                    let scale = row.iter().fold(0.0_f32, |largest, value| largest.max(value.abs())) / 127.0;
                    let inverse = if scale > 0.0 { 1.0 / scale } else { 0.0 };
                    #[allow(clippy::cast_possible_truncation, reason = "the scale keeps the value within a byte")]
                    bytes.extend(row.iter().map(|value| (value * inverse).round_ties_even() as i8));
                    scales.push(scale);
                }
                Self::of_signed_bytes(&bytes, &scales, shape)
            }
            Precision::Int16 => {
                let (mut words, mut scales) = (Vec::with_capacity(values.len()), Vec::with_capacity(shape[0]));
                for row in values.chunks_exact(shape[1]) {
                    let scale = scale_of_words(row);
                    let inverse = if scale > 0.0 { 1.0 / scale } else { 0.0 };
                    #[allow(clippy::cast_possible_truncation, reason = "the scale keeps the value within 16 bits")]
                    words.extend(row.iter().map(|value| (value * inverse).round_ties_even() as i16));
                    scales.push(scale);
                }
                Self::of_words(&words, &scales, shape)
            }
            Precision::Bf16 => {
                let bytes: Vec<u8> = values.iter().flat_map(|value| bf16::from_f32(*value).to_le_bytes()).collect();
                Self::new(precision, &bytes, shape)
            }
        }
    }

    /// The same with a bias of one number an output. Panics if there are more or fewer.
    #[must_use]
    pub fn with_bias(mut self, bias: &[f32]) -> Self {
        let outputs = self.outputs;
        assert_eq!(bias.len(), outputs, "a matmul needs one bias for each of its {outputs} outputs; this is a bug");
        self.bias[..self.outputs].copy_from_slice(bias);
        self
    }

    /// The same with an activation function behind the bias.
    #[must_use]
    pub fn with_activation(mut self, activation: Option<Activation>) -> Self {
        self.activation = activation;
        self
    }

    /// Number of panels.
    pub fn count(&self) -> usize {
        self.outputs.div_ceil(COLUMNS)
    }

    /// Steps of one dot product.
    pub fn steps(&self) -> usize {
        self.inputs.div_ceil(self.precision.group())
    }

    /// The lines of one panel.
    pub fn panel(&self, index: usize) -> &[Line] {
        let lines = self.steps() * STEP_LINES;
        &self.lines[index * lines..][..lines]
    }

    /// Bytes that the packed weights take.
    pub fn memory_bytes(&self) -> u64 {
        (self.lines.len() * size_of::<Line>() + (self.bias.len() + self.scales.len() + self.sums.len()) * 4) as u64
    }

    fn new(precision: Precision, values: &[u8], [outputs, inputs]: [usize; 2]) -> Self {
        check_weights(values.len() / precision.bytes(), [outputs, inputs]);
        let padded = outputs.next_multiple_of(COLUMNS);
        let row_bytes = inputs * precision.bytes();
        let steps = inputs.div_ceil(precision.group());
        let mut lines = vec![Line([0; 64]); padded / COLUMNS * steps * STEP_LINES];
        for (output, row) in values.chunks_exact(row_bytes).enumerate() {
            let (panel, column) = (output / COLUMNS, output % COLUMNS);
            let first = panel * steps * STEP_LINES + column / 16;
            let at = column % 16 * 4;
            for (step, group) in row.chunks(4).enumerate() {
                lines[first + step * STEP_LINES].0[at..at + group.len()].copy_from_slice(group);
            }
        }
        Self {
            precision,
            inputs,
            outputs,
            bias: vec![0.0; padded],
            activation: None,
            scales: vec![1.0; padded],
            sums: vec![0; padded],
            lines,
        }
    }
}

/// The scale with which the numbers of a row fit 16 bits, and the sum of what they are rounded to fits `LARGEST_SUM`. Rounding
/// adds one half to each at most.
fn scale_of_words(row: &[f32]) -> f32 {
    let (mut largest, mut sum) = (0.0_f32, 0.0_f64);
    for value in row {
        largest = largest.max(value.abs());
        sum += f64::from(value.abs());
    }
    let room = f64::from(LARGEST_SUM) - row.len() as f64;
    assert!(room > 0.0, "a matmul of 16-bit integers has less than {LARGEST_SUM} inputs; this is a bug");
    #[allow(clippy::cast_possible_truncation, reason = "a scale of weights")]
    let of_sum = (sum / room) as f32;
    of_sum.max(largest / f32::from(i16::MAX))
}

fn check_weights(values: usize, [outputs, inputs]: [usize; 2]) {
    assert!(outputs > 0 && inputs > 0, "a matmul needs inputs and outputs, not {outputs} by {inputs}; this is a bug");
    let expected = outputs.checked_mul(inputs);
    assert_eq!(Some(values), expected, "a matmul of {outputs} by {inputs} needs as many weights; this is a bug");
}
