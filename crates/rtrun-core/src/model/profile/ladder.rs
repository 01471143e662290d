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
    let int8 = Some(Precision::Int8).filter(|precision| precision.is_supported());
    let bf16 = Some(Precision::Bf16).filter(|precision| precision.is_supported());
    let all = |one| Reduction { attention: one, ffn_up: one, ffn_down: one, kept: one };
    let mut rungs = Vec::new();
    if int8.is_some() {
        rungs.push(Rung { name: "int8", reduction: all(int8) });
        if has_bytes {
            let reduction = Reduction { kept: bf16, ..all(int8) };
            rungs.push(Rung { name: "int8, bfloat16 where the package keeps more", reduction });
        }
        let reduction = Reduction { ffn_up: bf16, kept: bf16, ..all(int8) };
        rungs.push(Rung { name: "int8, bfloat16 where sensitive", reduction });
    }
    if bf16.is_some() {
        rungs.push(Rung { name: "bfloat16", reduction: all(bf16) });
    }
    rungs
}
