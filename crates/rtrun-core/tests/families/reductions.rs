use rtrun_core::families::Reduction;

fn windows() -> Vec<(usize, Vec<f32>)> {
    vec![(6, vec![0.75, 0.25]), (2, vec![0.25, 0.75]), (8, vec![0.5, 0.5])]
}

#[test]
fn a_mean_weighs_windows_by_their_tokens() {
    assert_eq!(Reduction::Mean.apply(&windows()), [0.5625, 0.4375]);
}

#[test]
fn the_largest_value_of_every_label_is_kept() {
    assert_eq!(Reduction::Max.apply(&windows()), [0.75, 0.75]);
}

#[test]
fn the_window_that_is_least_of_the_background_speaks_for_the_text() {
    assert_eq!(Reduction::LeastBackground(0).apply(&windows()), [0.25, 0.75]);
    assert_eq!(Reduction::LeastBackground(1).apply(&windows()), [0.75, 0.25]);
    let equal = [(1, vec![0.5, 0.2]), (9, vec![0.5, 0.3])];
    assert_eq!(Reduction::LeastBackground(0).apply(&equal), [0.5, 0.2], "the first of equals");
}

#[test]
fn one_window_is_its_text_whatever_the_reduction() {
    for reduction in [Reduction::Mean, Reduction::Max, Reduction::LeastBackground(1)] {
        assert_eq!(reduction.apply(&[(0, vec![0.1, 0.9])]), [0.1, 0.9]);
    }
}

#[test]
fn windows_without_tokens_do_not_make_a_mean_of_nothing() {
    let mean = Reduction::Mean.apply(&[(0, vec![0.5, 0.5]), (0, vec![0.5, 0.5])]);
    assert!(mean.iter().all(|value| value.is_finite()));
}
