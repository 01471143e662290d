//! The kernels against plain arithmetic. They need a processor with the instructions; elsewhere nothing is reduced, and
//! there is nothing to test.

use rtrun_core::matmul::{PackedLinear, Panels, Precision, Scratch};
use rtrun_core::package::Activation;

use crate::support::arithmetic::{Threads, numbers};
use crate::support::skip::{computes, has_tiles};

fn computed(matmul: &PackedLinear, rows: &[f32]) -> Vec<Vec<f32>> {
    let count = rows.len() / matmul.inputs();
    let mut results: Vec<Vec<f32>> = matmul.outputs().map(|width| vec![f32::NAN; count * width]).collect();
    let mut slices: Vec<&mut [f32]> = results.iter_mut().map(Vec::as_mut_slice).collect();
    matmul.compute(rows, &mut slices, &mut Scratch::default(), &Threads);
    results
}

/// The same in 64 bits with the exact factors.
fn expected(weights: &[f32], rows: &[f32], inputs: usize) -> Vec<f64> {
    let dot = |row: &[f32], weights: &[f32]| row.iter().zip(weights).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum();
    rows.chunks_exact(inputs)
        .flat_map(|row| weights.chunks_exact(inputs).map(move |weights| dot(row, weights)))
        .collect()
}

fn supported() -> impl Iterator<Item = Precision> {
    Precision::ALL.into_iter().filter(|precision| computes(*precision))
}

#[test]
fn matmuls_are_as_close_as_their_precision_allows() {
    for precision in supported() {
        // One row, whole tiles, rests; inputs and outputs that fill no register.
        for (count, inputs, outputs) in [(1, 3, 1), (5, 16, 32), (12, 64, 40), (27, 70, 33), (40, 257, 96)] {
            let (weights, rows) = (numbers(outputs * inputs, 1), numbers(count * inputs, 2));
            let matmul = PackedLinear::new(vec![Panels::of_floats(&weights, [outputs, inputs], precision)]);
            let expected = expected(&weights, &rows, inputs);
            let unit = if precision == Precision::Int16 { 0.0005 } else { 0.02 };
            let allowed = unit * (inputs as f64).sqrt();
            for (found, expected) in computed(&matmul, &rows)[0].iter().zip(&expected) {
                let difference = (f64::from(*found) - expected).abs();
                assert!(difference < allowed, "{precision:?} {count}x{inputs}x{outputs}: off by {difference}");
            }
        }
    }
}

#[test]
fn bytes_of_the_package_are_multiplied_as_they_are() {
    for (precision, largest) in [(Precision::Int8, 255), (Precision::Int16, 8191)] {
        if !computes(precision) {
            continue;
        }
        // Whole numbers up to the largest that the precision has are their own integers, so the matmul has no rounding at all.
        let number = |at: i32| if at % 64 == 0 { largest } else { at * 37 % (largest + 1) };
        let rows: Vec<f32> = (0..2 * 64).map(|at| number(at) as f32).collect();
        let weights: Vec<i8> = (0..33 * 64).map(|at| i8::try_from(at * 29 % 255 - 127).unwrap()).collect();
        let scales: Vec<f32> = (0..33).map(|output| 0.5 / (1 + output % 4) as f32).collect();
        let matmul = PackedLinear::new(vec![Panels::of_bytes(&weights, &scales, [33, 64], precision)]);
        let floats: Vec<f32> =
            weights.iter().enumerate().map(|(at, byte)| f32::from(*byte) * scales[at / 64]).collect();
        for (found, expected) in computed(&matmul, &rows)[0].iter().zip(expected(&floats, &rows, 64)) {
            let allowed = expected.abs() * 1e-6;
            assert!((f64::from(*found) - expected).abs() <= allowed, "{precision:?}: {found} is not {expected}");
        }
    }
}

#[test]
fn the_largest_numbers_overflow_no_sum() {
    for precision in supported() {
        // More than the 2,064 inputs of which bytes fit as they are, and fewer.
        for inputs in [2000, 4096] {
            let floats = vec![-127.0; inputs];
            let rows = vec![3.0; inputs];
            let exact = -127.0 * 3.0 * inputs as f32;
            let of_bytes = Panels::of_bytes(&vec![-127; inputs], &[1.0], [1, inputs], precision);
            for panels in [of_bytes, Panels::of_floats(&floats, [1, inputs], precision)] {
                let found = computed(&PackedLinear::new(vec![panels]), &rows)[0][0];
                assert!((found / exact - 1.0).abs() < 0.01, "{precision:?} {inputs}: {found} is not {exact}");
            }
        }
    }
}

#[test]
fn processors_without_vnni_compute_the_same() {
    // Without the instructions for bytes both would be the same code.
    if !computes(Precision::Int16) || !computes(Precision::Int8) {
        return;
    }
    for (count, inputs, outputs) in [(1, 3, 1), (5, 16, 32), (13, 64, 40), (27, 71, 33), (40, 257, 96)] {
        let (weights, rows) = (numbers(outputs * inputs, 5), numbers(count * inputs, 6));
        for activation in [None, Some(Activation::Gelu)] {
            let panels = Panels::of_floats(&weights, [outputs, inputs], Precision::Int16);
            let panels = panels.with_bias(&numbers(outputs, 7)).with_activation(activation);
            let matmul = PackedLinear::new(vec![panels]);
            let long = computed(&matmul, &rows).remove(0);
            let short = computed(&matmul.without_vnni(), &rows).remove(0);
            for (long, short) in long.iter().zip(&short) {
                let allowed = 1e-6 * (1.0 + long.abs());
                assert!((long - short).abs() <= allowed, "{count}x{inputs}x{outputs}: {long} is not {short}");
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[test]
fn processors_without_tiles_compute_the_same() {
    for precision in [Precision::Int8, Precision::Bf16] {
        if !computes(precision) || !has_tiles() {
            continue;
        }
        // Rests of rows and of columns; one tile of steps, and several.
        for (count, inputs, outputs) in [(1, 64, 1), (31, 64, 40), (32, 128, 32), (33, 384, 33), (70, 1536, 96)] {
            let (weights, rows) = (numbers(outputs * inputs, 8), numbers(count * inputs, 9));
            for activation in [None, Some(Activation::Gelu)] {
                let panels = Panels::of_floats(&weights, [outputs, inputs], precision);
                let panels = panels.with_bias(&numbers(outputs, 10)).with_activation(activation);
                let matmul = PackedLinear::new(vec![panels]);
                let tiles = computed(&matmul, &rows).remove(0);
                let vectors = computed(&matmul.without_tiles(), &rows).remove(0);
                for (tiles, vectors) in tiles.iter().zip(&vectors) {
                    // Both add up in 32 bits, in different orders.
                    let allowed = if precision == Precision::Int8 { 0.0 } else { 2e-6 * (inputs as f32) };
                    let difference = (tiles - vectors).abs();
                    assert!(
                        difference <= allowed,
                        "{precision:?} {count}x{inputs}x{outputs}: {tiles} is not {vectors}"
                    );
                }
            }
        }
    }
}

#[test]
fn a_row_too_long_for_16_bits_gives_no_number() {
    if computes(Precision::Int16) {
        let ones = vec![1.0; 600_000];
        let panels = Panels::of_floats(&ones, [1, ones.len()], Precision::Int16);
        assert!(!computed(&PackedLinear::new(vec![panels]), &ones)[0][0].is_finite());
    }
}

#[test]
fn a_row_does_not_depend_on_its_company() {
    for precision in supported() {
        // Tiles of AMX compute the second.
        for (inputs, outputs) in [(130, 50), (128, 50)] {
            let weights = numbers(outputs * inputs, 3);
            let matmul = PackedLinear::new(vec![Panels::of_floats(&weights, [outputs, inputs], precision)]);
            let rows = numbers(41 * inputs, 4);
            let together = &computed(&matmul, &rows)[0];
            for (row, together) in rows.chunks_exact(inputs).zip(together.chunks_exact(outputs)) {
                assert_eq!(computed(&matmul, row)[0], together, "{precision:?}");
            }
        }
    }
}

#[test]
fn parts_of_one_matmul_have_results_of_their_own() {
    for precision in supported() {
        let (inputs, widths) = (64, [32, 7, 100]);
        let weights: Vec<Vec<f32>> =
            widths.iter().zip(7..).map(|(width, seed)| numbers(width * inputs, seed)).collect();
        let panels = |at: usize| {
            Panels::of_floats(&weights[at], [widths[at], inputs], precision).with_bias(&vec![at as f32; widths[at]])
        };
        let rows = numbers(20 * inputs, 9);
        let together = computed(&PackedLinear::new(vec![panels(0), panels(1), panels(2)]), &rows);
        for (at, together) in together.iter().enumerate() {
            assert_eq!(together, &computed(&PackedLinear::new(vec![panels(at)]), &rows)[0]);
        }
        let without =
            computed(&PackedLinear::new(vec![Panels::of_floats(&weights[2], [100, inputs], precision)]), &rows);
        for (with, without) in together[2].iter().zip(&without[0]) {
            assert_eq!(with.to_bits(), (without + 2.0).to_bits());
        }
    }
}

#[test]
fn activation_functions_are_the_usual_ones() {
    for precision in supported() {
        check_activations(precision);
    }
}

fn check_activations(precision: Precision) {
    let values: Vec<f32> = (-240..=240).map(|at| at as f32 / 16.0).collect();
    // A matmul with the one weight 0 leaves the bias, which the function is then applied to.
    let of = |activation| {
        let panels = Panels::of_floats(&vec![0.0; values.len()], [values.len(), 1], precision);
        let panels = panels.with_bias(&values).with_activation(Some(activation));
        computed(&PackedLinear::new(vec![panels]), &[1.0]).remove(0)
    };
    let sigmoid = |x: f64| 1.0 / (1.0 + (-x).exp());
    let gelu_tanh = |x: f64| 0.5 * x * (1.0 + (0.797_884_560_802_865_4 * (x + 0.044_715 * x.powi(3))).tanh());
    let functions: [(Activation, &dyn Fn(f64) -> f64); 6] = [
        (Activation::Gelu, &|x| 0.5 * x * (1.0 + libm::erf(x / std::f64::consts::SQRT_2))),
        (Activation::GeluTanh, &gelu_tanh),
        (Activation::QuickGelu, &|x| x * sigmoid(1.702 * x)),
        (Activation::Silu, &|x| x * sigmoid(x)),
        (Activation::Relu, &|x| x.max(0.0)),
        (Activation::Tanh, &f64::tanh),
    ];
    for (activation, function) in functions {
        for (value, found) in values.iter().zip(of(activation)) {
            let expected = function(f64::from(*value));
            let allowed = 1e-6 * expected.abs().max(1.0);
            assert!(
                (f64::from(found) - expected).abs() < allowed,
                "{precision:?} {activation:?} of {value} is {found}"
            );
        }
    }
}

#[test]
fn a_number_that_is_not_finite_spoils_its_row_and_no_other() {
    for precision in supported() {
        let places = [(0, f32::NAN), (17, f32::NAN), (69, f32::NAN), (5, f32::INFINITY), (69, f32::NEG_INFINITY)];
        for (inputs, (at, bad)) in [70, 128].into_iter().flat_map(|inputs| places.map(|place| (inputs, place))) {
            let outputs = 40;
            let weights = numbers(outputs * inputs, 5);
            for activation in [None, Some(Activation::Gelu)] {
                let panels = Panels::of_floats(&weights, [outputs, inputs], precision).with_activation(activation);
                let mut rows = numbers(3 * inputs, 6);
                rows[inputs + at] = bad;
                let results = &computed(&PackedLinear::new(vec![panels]), &rows)[0];
                let is_finite = |row: usize| results[row * outputs..][..outputs].iter().all(|value| value.is_finite());
                assert_eq!(
                    [0, 1, 2].map(is_finite),
                    [true, false, true],
                    "{precision:?} {bad} at {at}, {activation:?}"
                );
            }
        }
    }
}

/// Whether a call panics, and says what would be right.
fn refuses(wrong: impl FnOnce()) -> bool {
    let Err(panic) = std::panic::catch_unwind(std::panic::AssertUnwindSafe(wrong)) else { return false };
    let message = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let message = message.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
    message.contains("a matmul") || message.contains("rows")
}

#[test]
fn wrong_shapes_are_refused() {
    for (values, shape) in [(11, [3, 4]), (13, [3, 4]), (24, [3, 4]), (0, [0, 4]), (0, [3, 0]), (4, [usize::MAX, 4])] {
        for precision in Precision::ALL {
            let of_floats = || drop(Panels::of_floats(&vec![1.0; values], shape, precision));
            assert!(refuses(of_floats), "{values} floats as {shape:?}, {precision:?}");
        }
        let scales = vec![1.0; shape[0].min(8)];
        let of_bytes = || drop(Panels::of_bytes(&vec![1; values], &scales, shape, Precision::Int8));
        assert!(refuses(of_bytes), "{values} bytes as {shape:?}");
    }
    let panels = |inputs: usize, precision| Panels::of_floats(&vec![1.0; 3 * inputs], [3, inputs], precision);
    for count in [2, 4, 32] {
        assert!(
            refuses(|| drop(Panels::of_bytes(&[1; 12], &vec![1.0; count], [3, 4], Precision::Int16))),
            "{count} scales"
        );
        assert!(refuses(|| drop(panels(4, Precision::Int8).with_bias(&vec![1.0; count]))), "{count} biases");
    }
    let [int8, bf16] = [Precision::Int8, Precision::Bf16];
    for parts in [vec![], vec![panels(4, int8), panels(5, int8)], vec![panels(4, int8), panels(4, bf16)]] {
        let count = parts.len();
        assert!(refuses(|| drop(PackedLinear::new(parts))), "{count} parts");
    }
    for precision in supported() {
        let matmul = PackedLinear::new(vec![panels(4, precision)]);
        for (numbers, results) in [(7, vec![6]), (8, vec![5]), (8, vec![7]), (8, vec![]), (8, vec![6, 6])] {
            let mut results: Vec<Vec<f32>> = results.into_iter().map(|length| vec![0.0; length]).collect();
            let mut slices: Vec<&mut [f32]> = results.iter_mut().map(Vec::as_mut_slice).collect();
            let mut scratch = Scratch::default();
            let wrong = || matmul.compute(&vec![1.0; numbers], &mut slices, &mut scratch, &Threads);
            assert!(refuses(wrong), "{precision:?}: {numbers} numbers");
        }
    }
}

#[test]
fn rows_of_another_length_leave_nothing_behind_in_the_scratch() {
    for precision in supported() {
        let mut scratch = Scratch::default();
        // Both lengths take as many bytes of the scratch.
        for (inputs, value) in [(4, f32::NAN), (3, 1.0)] {
            let matmul = PackedLinear::new(vec![Panels::of_floats(&vec![1.0; inputs], [1, inputs], precision)]);
            let mut result = [0.0];
            matmul.compute(&vec![value; inputs], &mut [&mut result], &mut scratch, &Threads);
            assert_eq!(result[0].is_nan(), value.is_nan(), "{precision:?} {inputs}");
        }
    }
}
