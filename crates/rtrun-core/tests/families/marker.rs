//! One row a question: what shares a forward, what is kept, how users' texts are read.

use rtrun_core::{Answer, Question, ReadingOptions};

use crate::support::decisions::{
    ask, ask_valid, ask_with, bits, cases, choice, decision_engine, decision_options, noul, questions, score, set,
};
use crate::support::{copy_without_manifest, counter, forwards, open_ready, options};

#[test]
fn a_question_is_one_forward_and_so_are_equal_ones() {
    let engine = decision_engine("marker");
    let of = |asked: &[Question]| {
        let before = forwards(&engine.exposition(), "marker");
        let answers = ask_valid(&engine, "hello world", asked);
        (forwards(&engine.exposition(), "marker") - before, answers)
    };
    let (one, alone) = of(&[noul("one")]);
    let (both, twice) = of(&[noul("one"), noul("one")]);
    assert_eq!((one, both), (1, 1));
    assert_eq!(twice, [alone[0].clone(), alone[0].clone()]);
    let (several, _) = of(&[noul("one"), choice("which of the two is it", &["a", "b"]), noul("is it an order")]);
    assert!((1..=3).contains(&several), "a question takes no more than one forward: {several}");
}

#[test]
fn a_question_is_kept_on_its_own() {
    let engine = open_ready(decision_options("marker"));
    let first = ask_valid(&engine, "hello world", &[noul("one")]);
    let both = ask_valid(&engine, "hello world", &[choice("which", &["a", "b"]), noul("one")]);
    assert_eq!(first[0], both[1]);
    let hit = counter(&engine.exposition(), r#"rtrun_result_cache_total{model="marker",outcome="hit"}"#);
    let miss = counter(&engine.exposition(), r#"rtrun_result_cache_total{model="marker",outcome="miss"}"#);
    assert_eq!((hit, miss), (1, 2));
}

#[test]
fn mask_tokens_in_texts_of_users_are_spaces() {
    let engine = decision_engine("marker");
    let with = [choice("is [MASK] it", &["a [MASK]", "b<mask>c"]), set("what", &["[MASK]x"])];
    let without = [choice("is   it", &["a  ", "b c"]), set("what", &[" x"])];
    let masked = ask_valid(&engine, "one [MASK] two<mask>three", &with);
    let plain = ask_valid(&engine, "one   two three", &without);
    assert_eq!(bits(&masked), bits(&plain));
    // Elsewhere brackets are ordinary text.
    assert_ne!(bits(&masked), bits(&ask_valid(&engine, "one [mask two<mask three", &without)));
}

#[test]
fn the_type_of_a_question_and_every_option_matter() {
    let engine = decision_engine("marker");
    let of = |question| match ask_valid(&engine, "hello world", &[question]).remove(0) {
        Answer::Choice { probabilities, .. } | Answer::Set { probabilities, .. } => probabilities,
        other => panic!("{other:?}"),
    };
    assert_ne!(of(choice("which", &["a", "b"])), of(choice("which", &["a", "c"])));
    assert_ne!(of(choice("which", &["a", "b"])), of(set("which", &["a", "b"])));
}

#[test]
fn a_model_that_abstains_reads_none_of_them_as_a_last_option() {
    let folder = copy_without_manifest("decisions/marker");
    let path = folder.path().join("rtrun.json");
    let mut settings: serde_json::Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    settings["decisions"]["head"]["abstain"] = "none".into();
    std::fs::write(path, settings.to_string()).unwrap();
    let _ = std::fs::remove_file(folder.path().join("golden.json"));
    let (abstaining, plain) = (open_ready(options(&[("marker", folder.path())])), decision_engine("marker"));
    let of = |engine, options: &[&str]| match ask_valid(engine, "hello world", &[choice("which", options)]).remove(0) {
        Answer::Choice { probabilities, abstain, .. } => (probabilities, abstain),
        other => panic!("{other:?}"),
    };
    let (with_none, _) = of(&plain, &["a", "b", "d", "none"]);
    let (probabilities, abstain) = of(&abstaining, &["a", "b", "d"]);
    assert!((abstain.unwrap() - with_none[3]).abs() < 1e-6, "{abstain:?} {with_none:?}");
    for (one, of_all) in probabilities.iter().zip(&with_none) {
        assert!((one - of_all / (1.0 - with_none[3])).abs() < 1e-6, "{probabilities:?} {with_none:?}");
    }
    // A caller's own option of that text is one, and other types do not abstain.
    assert_eq!(of(&abstaining, &["a", "b", "d", "none"]), (with_none.clone(), None));
    assert_eq!(of(&abstaining, &["a", "b", "d", " none "]), (with_none, None));
    let others = [noul("one"), set("what", &["a", "b"])];
    assert_eq!(bits(&ask_valid(&abstaining, "hello world", &others)), bits(&ask_valid(&plain, "hello world", &others)));
}

#[test]
fn a_package_weighs_whether_an_answer_should_be_used() {
    let folder = copy_without_manifest("decisions/marker");
    let path = folder.path().join("rtrun.json");
    let mut settings: serde_json::Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    settings["decisions"]["head"]["abstain"] = "none".into();
    let _ = std::fs::remove_file(folder.path().join("golden.json"));
    std::fs::write(&path, settings.to_string()).unwrap();
    let asked = [choice("which", &["a", "b", "d"]), noul("one"), score("how", &["low", "high"]), set("what", &["a"])];
    let shares = ask_valid(&open_ready(options(&[("marker", folder.path())])), "hello world", &asked);
    settings["decisions"]["calibration"]["abstention"] = serde_json::json!({
        "choice": { "bias": 0.5, "top": -2, "none": 3 },
        "noul": { "bias": -1 },
        "score": { "bias": 1, "top": 0.5, "none": 9 },
    });
    std::fs::write(path, settings.to_string()).unwrap();
    let weighed = ask_valid(&open_ready(options(&[("marker", folder.path())])), "hello world", &asked);
    let (Answer::Choice { probabilities: options, .. }, Answer::Score { probabilities: levels, .. }) =
        (&weighed[0], &weighed[2])
    else {
        panic!("{weighed:?}");
    };
    let largest = |values: &[f32]| values.iter().copied().fold(0.0, f32::max);
    let logits = [0.5 - 2.0 * largest(options) + 3.0 * shares[0].abstain().unwrap(), -1.0, 1.0 + 0.5 * largest(levels)];
    for (answer, logit) in weighed.iter().zip(logits) {
        let expected = 1.0 / (1.0 + (-logit).exp());
        assert!((answer.abstain().unwrap() - expected).abs() < 1e-6, "{answer:?} {expected}");
    }
    // Labels have a threshold instead, and what is answered stays.
    assert_eq!(weighed[3].abstain(), None);
    assert_eq!(shares.iter().map(Answer::abstain).skip(1).collect::<Vec<_>>(), [None, None, None]);
    let Answer::Choice { probabilities: before, .. } = &shares[0] else { panic!("{shares:?}") };
    assert_eq!(options, before);
}

#[test]
fn hundreds_of_options_shrink_until_they_fit() {
    let case = cases("marker").into_iter().find(|case| questions(case)[0].kind.options() == 100).unwrap();
    let state = ask_with(&decision_engine("marker"), &case.state, &questions(&case), ReadingOptions::default());
    let Ok(Answer::Choice { probabilities, .. }) = &state.answers[0] else { panic!("{:?}", state.answers) };
    assert_eq!(probabilities.len(), 100);
    assert_eq!(state.cut, [true]);
    assert!(state.usage.tokens <= 640, "{:?}", state.usage);
    // With room for one token each, these are all the same.
    let keys: Vec<String> = (0..255).map(|at| format!("k{at}")).collect();
    let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
    let equal = ask_with(&decision_engine("marker"), "hello", &[choice("which", &keys)], ReadingOptions::default());
    let problem = equal.answers[0].as_ref().unwrap_err();
    assert!(problem.to_string().contains("which reads 1 tokens of them"), "{problem}");
    let keys: Vec<String> = (0..60).map(|at| format!("option {at}")).collect();
    let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
    let reading = ReadingOptions {
        max_tokens: Some(100),
        overflow: Some(rtrun_core::tokens::Overflow::Truncate),
        ..ReadingOptions::default()
    };
    let short = ask_with(&decision_engine("marker"), "hello", &[choice("which", &keys)], reading);
    let problem = short.answers[0].as_ref().unwrap_err();
    assert_eq!(problem.code(), "invalid_question");
    assert!(problem.to_string().contains("has 60 options; a row of this model has room for"), "{problem}");
}

#[test]
fn a_question_that_the_model_does_not_answer_fails_alone() {
    let engine = decision_engine("marker-plain");
    let nine: Vec<String> = (0..9).map(|at| at.to_string()).collect();
    let nine: Vec<&str> = nine.iter().map(String::as_str).collect();
    let answers = ask(&engine, "hello", &[set("what", &["a"]), noul("is it"), choice("which", &nine)]);
    let problem = |at: usize| answers[at].as_ref().unwrap_err();
    assert_eq!((problem(0).code(), problem(2).code()), ("invalid_question", "invalid_question"));
    assert!(problem(0).to_string().contains("answers no set questions; it answers choice, noul"), "{}", problem(0));
    assert!(problem(2).to_string().contains("has 9 options") && problem(2).to_string().contains("at most 8"));
    assert!(answers[1].is_ok());
}

#[test]
fn the_threshold_of_a_question_wins_over_the_packages() {
    let engine = decision_engine("marker");
    let question = set("what", &["a", "b"]);
    let threshold = |asked: Option<f32>| {
        let question = rtrun_core::Question { threshold: asked, ..question.clone() };
        match ask_valid(&engine, "hello", &[question]).remove(0) {
            Answer::Set { threshold, .. } => threshold,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!((threshold(None), threshold(Some(0.9))), (0.4, 0.9));
}
