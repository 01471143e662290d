//! Both decision families answer as their reference did, and the same whatever they are batched with.

use rtrun_core::package::GoldenDecisions;
use rtrun_core::{Answer, Engine, EngineOptions, ReadingOptions};
use serde_json::json;

use crate::support::decisions::{ask, ask_valid, bits, cases, decision_engine, decision_options, questions};
use crate::support::{open_ready, task};

const NAMES: [&str; 4] = ["marker", "marker-plain", "laya", "packed"];

/// The largest difference from a number of the reference.
const TOLERANCE: f32 = 1e-4;

#[test]
fn every_recorded_case_is_answered_as_the_reference_did() {
    for name in NAMES {
        let engine = decision_engine(name);
        for case in cases(name) {
            let answers = ask_valid(&engine, &case.state, &questions(&case));
            for (recorded, answer) in case.questions.iter().zip(&answers) {
                let what = format!("{name}: {:?} {answer:?} for {recorded:?}", case.state);
                let (found, recorded) = recorded.compared(answer).unwrap_or_else(|| panic!("other places: {what}"));
                assert_eq!(found.len(), recorded.len(), "{what}");
                let worst = found.iter().zip(&recorded).map(|(one, other)| (one - other).abs()).fold(0.0, f32::max);
                assert!(worst <= TOLERANCE, "off by {worst}: {what}");
            }
        }
    }
}

#[test]
fn the_self_check_asks_the_recorded_questions_at_load() {
    for (name, family, checked) in
        [("marker", "marker_decisions", 3), ("laya", "marker_decisions", 1), ("packed", "packed_decisions", 2)]
    {
        let card = serde_json::to_value(decision_engine(name).describe().remove(0)).unwrap();
        assert_eq!(card["family"], json!(family));
        assert_eq!(card["surfaces"], json!(["decisions", "bundle"]));
        assert_eq!((&card["golden"]["status"], &card["golden"]["checked"]), (&json!("matched"), &json!(checked)));
    }
    let card = serde_json::to_value(decision_engine("marker-plain").describe().remove(0)).unwrap();
    assert_eq!((&card["question_types"], &card["limits"]["max_options"]), (&json!(["choice", "noul"]), &json!(8)));
}

#[test]
fn a_package_whose_answers_differ_from_the_record_is_refused() {
    for (change, says) in [
        (("noul", json!(0.9)), "a probe of decisions (noul) is off by"),
        (("spans", json!([])), "a probe of decisions (span) has another form or other places"),
    ] {
        let folder = crate::support::copy_without_manifest("decisions/marker");
        let file = folder.path().join("golden.json");
        let mut golden: serde_json::Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
        let questions = golden["decisions"][0]["questions"].as_array_mut().unwrap();
        let question = questions.iter_mut().find(|question| question.get(change.0).is_some()).unwrap();
        question[change.0] = change.1.clone();
        std::fs::write(&file, golden.to_string()).unwrap();
        let reason = crate::support::load_failure(crate::support::options(&[("changed", folder.path())]));
        assert!(reason.contains(says), "{reason}");
    }
}

/// All questions of the short states of a package, one after the other and all in one bundle.
fn alone_and_together(engine: &std::sync::Arc<Engine>, cases: &[GoldenDecisions]) -> [Vec<Vec<u32>>; 2] {
    let alone = cases.iter().flat_map(|case| bits(&ask_valid(engine, &case.state, &questions(case)))).collect();
    let states = cases.iter().map(|case| {
        let task = crate::support::decisions::ask_task(&case.state, &questions(case), ReadingOptions::default());
        let rtrun_core::TaskKind::Decisions { mut states } = task.kind else { panic!() };
        states.remove(0)
    });
    let together = task(rtrun_core::TaskKind::Decisions { states: states.collect() });
    let Ok(rtrun_core::TaskAnswer::Decisions(together)) = crate::support::answer(engine, together) else { panic!() };
    let answers = together.states.into_iter().flat_map(|state| state.answers).map(Result::unwrap);
    [alone, bits(&answers.collect::<Vec<Answer>>())]
}

#[test]
fn questions_asked_together_are_answered_as_alone_bit_for_bit() {
    for name in NAMES {
        let [alone, together] = alone_and_together(&decision_engine(name), &cases(name));
        assert_eq!(alone, together, "{name}");
    }
}

#[test]
fn the_number_of_threads_does_not_matter() {
    for name in ["marker", "packed"] {
        let case = cases(name).remove(0);
        let answers = |threads| {
            let engine = open_ready(EngineOptions { threads, ..decision_options(name) });
            bits(&ask_valid(&engine, &case.state, &questions(&case)))
        };
        assert_eq!(answers(1), answers(2), "{name}");
    }
}

#[test]
fn spans_are_told_in_code_points_of_the_text_as_it_was_given() {
    for name in ["marker", "packed"] {
        let case = cases(name).into_iter().find(|case| case.state.contains('🙂')).unwrap();
        let characters: Vec<char> = case.state.chars().collect();
        let mut count = 0;
        for answer in ask(&decision_engine(name), &case.state, &questions(&case)) {
            let Ok(Answer::Span { spans, .. }) = answer else { continue };
            count += spans.len();
            for span in spans {
                assert_eq!(span.text, characters[span.start..span.end].iter().collect::<String>());
            }
        }
        assert!(count > 0, "{name} must find something");
    }
}
