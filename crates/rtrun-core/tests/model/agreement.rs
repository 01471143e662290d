use std::collections::HashSet;

use rtrun_core::matmul::Precision;
use rtrun_core::model::{Agreement, probe_texts, rungs};

use crate::support::skip::computes;

#[test]
fn the_built_in_texts_are_many_and_never_change() {
    let texts = probe_texts();
    assert_eq!(texts.len(), 240);
    assert_eq!(texts, probe_texts());
    let different: HashSet<&String> = texts.iter().collect();
    assert!(different.len() >= 220, "only {} texts differ", different.len());
}

#[test]
fn agreement_needs_both_labels_and_vectors() {
    let agreement = |labels, cosine| Agreement { labels, cosine };
    assert!(agreement(None, None).is_enough());
    assert!(agreement(Some(0.99), Some(0.999)).is_enough());
    assert!(!agreement(Some(0.989), Some(1.0)).is_enough());
    assert!(!agreement(Some(1.0), Some(0.9989)).is_enough());
    assert!(!agreement(Some(f64::NAN), None).is_enough());
    assert!(!agreement(None, Some(f64::NAN)).is_enough());
    let both = agreement(Some(0.5), Some(0.25)).shortfall();
    assert_eq!(both, "50.0 % of the labels agree, not 99 % and the least cosine is 0.25000, not 0.999");
}

#[test]
fn candidates_are_different_and_end_with_the_most_careful() {
    for has_bytes in [false, true] {
        let rungs = rungs(has_bytes);
        for (at, rung) in rungs.iter().enumerate() {
            assert!(rungs[..at].iter().all(|other| other.reduction != rung.reduction && other.name != rung.name));
        }
        let has_bf16 = Precision::Bf16.is_supported() && !Precision::Bf16.is_slow();
        let careful = if has_bf16 { Precision::Bf16 } else { Precision::Int16 };
        if computes(careful) {
            assert_eq!(rungs.last().map(|rung| rung.name), Some(careful.as_str()));
        }
    }
}
