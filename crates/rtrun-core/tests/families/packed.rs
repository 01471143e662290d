//! All questions in one row: one forward, groups where they do not fit, and the profile that says so.

use rtrun_core::{Answer, Question};

use crate::support::decisions::{
    ask, ask_valid, bits, cases, choice, decision_engine, decision_options, noul, questions, score, set, span,
};
use crate::support::{forwards, load_failure, open_ready};

fn seven() -> Vec<Question> {
    vec![
        choice("which team", &["a", "b", "c"]),
        noul("is it"),
        score("how much", &["no", "some", "all"]),
        set("what", &["a", "b"]),
        span("where", &["order"]),
        noul("is it not"),
        choice("which order", &["1", "2"]),
    ]
}

#[test]
fn seven_questions_are_one_forward() {
    let engine = decision_engine("packed");
    let before = forwards(&engine.exposition(), "packed");
    let answers = ask_valid(&engine, "hello world", &seven());
    assert_eq!(forwards(&engine.exposition(), "packed") - before, 1);
    let kinds: Vec<bool> = answers.iter().map(|answer| matches!(answer, Answer::Span { .. })).collect();
    assert_eq!(kinds, [false, false, false, false, true, false, false]);
    let Answer::Choice { probabilities, abstain, .. } = &answers[0] else { panic!() };
    assert!((probabilities.iter().sum::<f32>() - 1.0).abs() < 1e-5);
    assert!(abstain.is_some_and(|abstain| (0.0..1.0).contains(&abstain)));
}

#[test]
fn questions_that_do_not_fit_beside_the_state_take_further_rows() {
    let engine = decision_engine("packed");
    let asked: Vec<Question> =
        (0..24).map(|at| choice(&format!("which {at} is it for"), &["a", "b", "c", "d"])).collect();
    let of = |asked: &[Question]| {
        let before = forwards(&engine.exposition(), "packed");
        let answers = bits(&ask_valid(&engine, "hello world", asked));
        (forwards(&engine.exposition(), "packed") - before, answers)
    };
    let (_, all) = of(&asked);
    let fit = (1..24).take_while(|count| of(&asked[..*count]).0 == 1).last().unwrap();
    assert!((12..24).contains(&fit), "{fit} questions of one row");
    assert_eq!(of(&asked[..fit]).1, all[..fit], "the first row is filled before the next begins");
    assert_eq!(of(&asked[fit..]).1, all[fit..]);
    assert_ne!(of(&asked[..1]).1, all[..1], "questions of one row see each other");
}

#[test]
fn a_question_that_is_too_long_for_any_row_fails_alone() {
    let engine = decision_engine("packed");
    let answers = ask(&engine, "hello", &[noul("is it"), set("what", &["a"; 33]), noul("is it not")]);
    assert!(answers[0].is_ok() && answers[2].is_ok());
    assert_eq!(answers[1].as_ref().unwrap_err().code(), "invalid_question");
}

#[test]
fn markers_in_texts_of_users_are_spaces() {
    let engine = decision_engine("packed");
    let masked = ask_valid(&engine, "one [O] two[SEG]three", &[choice("is [Q] it", &["a [ABS]", "b"])]);
    let plain = ask_valid(&engine, "one   two three", &[choice("is   it", &["a  ", "b"])]);
    assert_eq!(bits(&masked), bits(&plain));
}

#[test]
fn shared_context_is_the_way_packed_models_read_and_no_other_ones() {
    let with = |name: &str| {
        let mut options = decision_options(name);
        options.models[0].profile = Some("shared_context".to_owned());
        options
    };
    let case = cases("packed").remove(0);
    let shared = open_ready(with("packed"));
    let card = serde_json::to_value(shared.describe().remove(0)).unwrap();
    assert_eq!(card["profile"], "shared_context");
    let exact = ask_valid(&decision_engine("packed"), &case.state, &questions(&case));
    assert_eq!(bits(&ask_valid(&shared, &case.state, &questions(&case))), bits(&exact));
    let reason = load_failure(with("marker"));
    for part in ["\"marker\"", "shared_context", "marker_decisions", "use \"exact\""] {
        assert!(reason.contains(part), "{reason}");
    }
}
