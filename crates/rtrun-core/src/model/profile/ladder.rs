//! The candidates of `max_speed`, the fastest first. Which one a package gets is decided by its answers.

use crate::graph::Reduction;
use crate::matmul::Precision;

/// One candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rung {
    /// The name in cards and verdicts.
    pub name: &'static str,
    /// Which matmuls are computed in which precision.
    pub reduction: Reduction,
}

/// The candidates for this processor. `has_bytes` says whether the package stores some weights as bytes: those it does
/// not are then the ones that lose most by it.
///
/// Measured on all-MiniLM-L6: `ffn_down` keeps the least cosine at 0.9999 in bytes, the matmuls around attention at 0.9998;
/// `ffn_up` takes it to 0.998, because a few of the numbers it reads are much larger than the rest of their row.
pub fn rungs(has_bytes: bool) -> Vec<Rung> {
    let [int8, bf16, int16] =
        Precision::ALL.map(|one| Some(one).filter(|precision| precision.is_supported() && !precision.is_slow()));
    let all = |one| Reduction { attention: one, ffn_up: one, ffn_down: one, kept: one };
    let careful = bf16.or(int16);
    // The name says which of the two it is.
    let named = |of_bf16, of_int16| if bf16.is_some() { of_bf16 } else { of_int16 };
    let mut rungs = Vec::new();
    if int8.is_some() {
        rungs.push(Rung { name: "int8", reduction: all(int8) });
        if has_bytes {
            let name = named("int8, bfloat16 where the package keeps more", "int8, int16 where the package keeps more");
            rungs.push(Rung { name, reduction: Reduction { kept: careful, ..all(int8) } });
        }
        let name = named("int8, bfloat16 where sensitive", "int8, int16 where sensitive");
        rungs.push(Rung { name, reduction: Reduction { ffn_up: careful, kept: careful, ..all(int8) } });
    }
    if careful.is_some() {
        rungs.push(Rung { name: named("bfloat16", "int16"), reduction: all(careful) });
    }
    rungs
}
