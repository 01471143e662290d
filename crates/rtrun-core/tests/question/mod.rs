use rtrun_core::{Answer, choice_confidence, expected_level, score_confidence};

fn close(found: f32, expected: f32) {
    assert!((found - expected).abs() < 1e-6, "{found} is not {expected}");
}

#[test]
fn a_choice_is_as_sure_as_it_is_above_chance() {
    close(choice_confidence(&[0.875, 0.0625, 0.0625]), 0.8125);
    close(choice_confidence(&[0.5, 0.5]), 0.0);
    close(choice_confidence(&[0.0, 1.0]), 1.0);
    close(choice_confidence(&[0.1; 3]), 0.0);
    close(choice_confidence(&[1.0]), 1.0);
    assert!(choice_confidence(&[f32::NAN, f32::NAN]).is_nan());
}

#[test]
fn a_score_is_as_sure_as_its_levels_are_close() {
    close(score_confidence(&[0.8, 0.15, 0.05]), 1.0 - 0.25 / (2.0 / 3.0));
    close(score_confidence(&[0.0, 0.0, 1.0]), 1.0);
    close(score_confidence(&[0.5, 0.5]), 0.0);
    // Two camps at the ends are further apart than evenly likely levels.
    close(score_confidence(&[0.5, 0.0, 0.0, 0.0, 0.5]), 0.0);
    // The distance of even levels from the mode at an end is more than from their centre.
    close(score_confidence(&[0.25; 4]), 0.0);
    close(expected_level(&[0.8, 0.15, 0.05]), 0.25);
}

#[test]
fn answers_are_made_of_probabilities() {
    let answer = Answer::choice(vec![0.25, 0.5, 0.25], Some(0.1));
    let Answer::Choice { chosen, confidence, abstain, .. } = &answer else { panic!() };
    assert_eq!((*chosen, *abstain), (1, Some(0.1)));
    close(*confidence, 0.25);
    let Answer::Choice { chosen, .. } = Answer::choice(vec![0.4, 0.4, 0.2], None) else { panic!() };
    assert_eq!(chosen, 0, "the first of equal options");
    let Answer::Score { score, .. } = Answer::score(vec![0.0, 0.5, 0.5], None) else { panic!() };
    close(score, 1.5);
    assert!(answer.is_finite());
    assert!(!Answer::choice(vec![f32::NAN, 0.5], None).is_finite());
    assert!(!Answer::Noul { noul: f32::INFINITY, abstain: None }.is_finite());
}
