//! Weights in the order in which the kernels read them: panels of 32 outputs, in each the values of one step of the dot
//! matmuls side by side.

use half::bf16;

use super::precision::Precision;
use crate::package::Activation;

/// Outputs of one panel: two vector registers of 32-bit sums.
pub const COLUMNS: usize = 32;

/// What the largest number of a row of activations becomes in [`Precision::Int16`].
pub const LARGEST_OF_ROW: u16 = 8191;

/// What the absolute values of a row of weights add up to at most in [`Precision::Int16`], so that no sum leaves 32 bits.
const LARGEST_SUM: i32 = i32::MAX / LARGEST_OF_ROW as i32;

/// The sums of `ROWS` rows over one panel, where `$add` adds the products of one step to a register of sums. A macro, because a function that
/// is given another one would not have the caller's instructions.
#[cfg(target_arch = "x86_64")]
macro_rules! sums_of_rows {
    ($rows:ident, $stride:ident, $lines:expr, $zero:expr, $add:ident) => {{
        let lines: &[[crate::matmul::panels::Line; 2]] = $lines.as_chunks::<2>().0;
        let mut sums = [[$zero; 2]; ROWS];
        for (step, [left, right]) in lines.iter().enumerate() {
            // SAFETY: a line is as long and as aligned as a register; every row has 32 bits for every step.
            unsafe {
                let left = std::arch::x86_64::_mm512_load_si512(std::ptr::from_ref(left).cast());
                let right = std::arch::x86_64::_mm512_load_si512(std::ptr::from_ref(right).cast());
                for (row, sums) in sums.iter_mut().enumerate() {
                    let group = $rows.add(row * $stride + 4 * step).cast::<i32>().read_unaligned();
                    let group = std::arch::x86_64::_mm512_set1_epi32(group);
                    sums[0] = $add(sums[0], group, left);
                    sums[1] = $add(sums[1], group, right);
                }
            }
        }
        sums
    }};
}
#[cfg(target_arch = "x86_64")]
pub(super) use sums_of_rows;

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
    /// Packs signed bytes with one scale an output, both as the package has them. They are rounded anew for [`Precision::Bf16`], and
    /// where their sums could leave 32 bits. Panics if they are not as many as the shape says.
    pub fn of_bytes(values: &[i8], scales: &[f32], shape: [usize; 2], precision: Precision) -> Self {
        let [outputs, inputs] = shape;
        assert_eq!(scales.len(), outputs, "a matmul needs one scale for each of its {outputs} outputs; this is a bug");
        check_weights(values.len(), shape);
        let sum = |row: &[i8]| row.iter().map(|value| i32::from(value.unsigned_abs())).sum::<i32>();
        let keeps = match precision {
            Precision::Int8 => true,
            Precision::Int16 => values.chunks_exact(inputs).all(|row| sum(row) <= LARGEST_SUM),
            Precision::Bf16 => false,
        };
        if keeps {
            let integers: Vec<i16> = values.iter().map(|value| i16::from(*value)).collect();
            return Self::of_integers(&integers, scales, shape, precision);
        }
        let rows = values.chunks_exact(inputs).zip(scales);
        let floats = rows.flat_map(|(row, scale)| row.iter().map(move |value| f32::from(*value) * scale));
        Self::of_floats(&floats.collect::<Vec<_>>(), shape, precision)
    }

    /// Rounds 32-bit weights to a precision and packs them. Integers get a scale for every output. Panics if the weights are not
    /// as many as the shape says.
    pub fn of_floats(values: &[f32], shape: [usize; 2], precision: Precision) -> Self {
        check_weights(values.len(), shape);
        let scale_of: fn(&[f32]) -> f32 = match precision {
            Precision::Int8 => scale_of_bytes,
            Precision::Int16 => scale_of_words,
            Precision::Bf16 => {
                let bytes: Vec<u8> = values.iter().flat_map(|value| bf16::from_f32(*value).to_le_bytes()).collect();
                return Self::new(precision, &bytes, shape);
            }
        };
        let (mut integers, mut scales) = (Vec::with_capacity(values.len()), Vec::with_capacity(shape[0]));
        for row in values.chunks_exact(shape[1]) {
            let scale = scale_of(row);
            let inverse = if scale > 0.0 { 1.0 / scale } else { 0.0 };
            #[allow(clippy::cast_possible_truncation, reason = "the scale keeps the value within the precision")]
            integers.extend(row.iter().map(|value| (value * inverse).round_ties_even() as i16));
            scales.push(scale);
        }
        Self::of_integers(&integers, &scales, shape, precision)
    }

    /// Packs integers, of which a precision of bytes keeps the lower half.
    fn of_integers(values: &[i16], scales: &[f32], shape: [usize; 2], precision: Precision) -> Self {
        let bytes = values.iter().flat_map(|value| value.to_le_bytes().into_iter().take(precision.bytes()));
        let mut panels = Self::new(precision, &bytes.collect::<Vec<u8>>(), shape);
        panels.scales[..shape[0]].copy_from_slice(scales);
        for (sum, row) in panels.sums.iter_mut().zip(values.chunks_exact(shape[1])) {
            *sum = row.iter().map(|value| i32::from(*value)).sum();
        }
        panels
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

/// The scale that makes the largest number of a row 127.
fn scale_of_bytes(row: &[f32]) -> f32 {
    largest(row) / 127.0
}

/// The scale with which the numbers of a row fit 16 bits and their sum fits [`LARGEST_SUM`]. It is infinite for a row that is too
/// long for any; its results are no numbers then.
fn scale_of_words(row: &[f32]) -> f32 {
    let sum: f64 = row.iter().map(|value| f64::from(value.abs())).sum();
    // Rounding adds one half to each number at most.
    let room = (f64::from(LARGEST_SUM) - row.len() as f64 / 2.0).max(0.0);
    #[allow(clippy::cast_possible_truncation, reason = "a scale of weights")]
    let of_sum = (sum / room) as f32;
    of_sum.max(largest(row) / f32::from(i16::MAX))
}

fn largest(row: &[f32]) -> f32 {
    row.iter().fold(0.0, |largest, value| largest.max(value.abs()))
}

fn check_weights(values: usize, [outputs, inputs]: [usize; 2]) {
    assert!(outputs > 0 && inputs > 0, "a matmul needs inputs and outputs, not {outputs} by {inputs}; this is a bug");
    let expected = outputs.checked_mul(inputs);
    assert_eq!(Some(values), expected, "a matmul of {outputs} by {inputs} needs as many weights; this is a bug");
}
