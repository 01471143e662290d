use std::collections::BTreeSet;

use rtrun_core::schedule::{PackLimits, Sharing, pack};

use super::bench::{Bench, limits, row};

const CPU: PackLimits = PackLimits { tokens: 512, sharing: Sharing::Padded };

/// Lengths of a forward whose seed is the first of `lengths`.
fn lengths(lengths: &[usize], limits: PackLimits) -> Vec<usize> {
    let waiting: BTreeSet<(usize, u64, u64)> =
        lengths.iter().zip(1..).map(|(length, number)| (*length, 0, number)).collect();
    let mut chosen: Vec<usize> =
        pack(&waiting, (lengths[0], 0, 1), limits).into_iter().map(|(length, ..)| length).collect();
    chosen.sort_unstable();
    chosen
}

#[test]
fn like_lengths_share_and_unlike_lengths_do_not() {
    assert_eq!(lengths(&[100, 96, 10, 101, 300], CPU), [96, 100, 101]);
}

#[test]
fn at_most_a_tenth_of_a_forward_is_padding() {
    let mut random = 1_u64;
    for _ in 0..500 {
        let sizes: Vec<usize> = (0..40)
            .map(|_| {
                random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                usize::try_from(random >> 33).unwrap() % 256 + 1
            })
            .collect();
        let chosen = lengths(&sizes, CPU);
        let padded = chosen.last().unwrap() * chosen.len();
        assert!(padded <= 512 || chosen.len() == 1);
        assert!((padded - chosen.iter().sum::<usize>()) * 10 <= padded, "{chosen:?}");
        assert!(chosen.contains(&sizes[0]));
    }
}

#[test]
fn a_row_over_the_cap_runs_alone() {
    assert_eq!(lengths(&[600, 600, 599], CPU), [600]);
}

#[test]
fn equal_lengths_only_where_padding_changes_answers() {
    let limits = PackLimits { sharing: Sharing::EqualLengths, ..CPU };
    assert_eq!(lengths(&[100, 99, 100, 101, 100], limits), [100, 100, 100]);
}

#[test]
fn one_row_a_forward_where_company_changes_answers() {
    assert_eq!(lengths(&[8, 8, 8], PackLimits { sharing: Sharing::Alone, ..CPU }), [8]);
}

#[test]
fn an_engine_that_pads_nothing_takes_any_rows() {
    let limits = PackLimits { tokens: 500, sharing: Sharing::Free };
    assert_eq!(lengths(&[100, 1, 300, 50, 200], limits), [1, 50, 100, 200]);
}

#[test]
fn thirty_two_mixed_rows_need_few_forwards_and_little_padding() {
    let mut bench = Bench::new(limits());
    let sizes: Vec<usize> = (0..32).map(|index| 8 + index * 8).collect();
    let rows: Vec<_> = sizes.iter().zip(1..).map(|(size, name)| row(name, *size)).collect();
    bench.admit(&rows).unwrap();
    let (mut forwards, mut padded) = (0, 0);
    while let Some(batch) = bench.take() {
        forwards += 1;
        padded += batch.rows.iter().map(|request| request.row.len()).max().unwrap() * batch.rows.len();
        bench.end(&batch);
    }
    let real: usize = sizes.iter().sum();
    assert!(padded * 100 <= real * 106, "{padded} for {real} in {forwards} forwards");
    assert!(forwards <= 20, "{forwards}");
}
