//! Questions whose own text is longer than what a model reads of one: the answer says so, and equal options are refused.

use rtrun_core::{Question, ReadingOptions};

use crate::support::decisions::{ask_with, choice, decision_engine, noul, score, set, span};

fn asked(name: &str, question: &Question) -> (Vec<bool>, Option<String>) {
    let engine = decision_engine(name);
    let state = ask_with(&engine, "call ada", std::slice::from_ref(question), ReadingOptions::default());
    let problem = state.answers[0].as_ref().err();
    (state.cut, problem.map(|error| format!("{}: {error}", error.code())))
}

#[test]
fn a_question_that_is_read_in_part_is_told() {
    for name in ["marker", "packed"] {
        let long = "the ".repeat(1000);
        assert_eq!(asked(name, &noul("is it")), (vec![false], None), "{name}");
        assert_eq!(asked(name, &noul(&format!("is it {long}"))), (vec![true], None), "{name}");
        assert_eq!(asked(name, &choice("which", &["a", &format!("b {long}")])), (vec![true], None), "{name}");
    }
}

#[test]
fn only_the_questions_that_were_cut_are_told() {
    let long = noul(&format!("is it {}", "the ".repeat(1000)));
    let questions = [noul("is it so"), long, choice("which", &["a", "b"])];
    for name in ["marker", "packed"] {
        let state = ask_with(&decision_engine(name), "call ada", &questions, ReadingOptions::default());
        assert_eq!(state.cut, [false, true, false], "{name}");
        // The same again, from the kept results.
        let engine = crate::support::open_ready(crate::support::decisions::decision_options(name));
        for _ in 0..2 {
            let state = ask_with(&engine, "call ada", &questions, ReadingOptions::default());
            assert_eq!(state.cut, [false, true, false], "{name}");
        }
    }
}

#[test]
fn options_that_the_model_cannot_tell_apart_are_refused() {
    let long = "the ".repeat(200);
    for name in ["marker", "marker-plain", "packed"] {
        let differ_late = [&*format!("{long} a"), "no", &*format!("{long} b")];
        let mut questions = vec![choice("which", &differ_late)];
        // This one answers choice and noul only.
        if name != "marker-plain" {
            questions.push(set("what", &differ_late));
        }
        for question in questions {
            let (_, problem) = asked(name, &question);
            let problem = problem.expect("the options are equal to the model");
            assert!(problem.starts_with("invalid_question: Options 1 and 3 are the same"), "{problem}");
            assert!(!problem.contains("the the"), "{problem}");
        }
        let differ_early = [&*format!("a {long}"), "no", &*format!("b {long}")];
        assert_eq!(asked(name, &choice("which", &differ_early)), (vec![true], None), "{name}");
    }
}

#[test]
fn options_and_statements_that_are_nothing_to_the_model_are_refused() {
    for nothing in ["\u{200b}", "[MASK]", " [MASK] \u{200b}"] {
        let mut questions =
            vec![("marker", choice("which", &["a", nothing])), ("marker", set("what", &["a", nothing]))];
        questions.push(("marker", span("where", &["a", nothing])));
        questions.push(("marker", score("how", &["a", nothing])));
        if !nothing.contains("MASK") {
            questions.push(("packed", choice("which", &["a", nothing])));
        }
        for (name, question) in questions {
            let (_, problem) = asked(name, &question);
            let problem = problem.unwrap_or_else(|| panic!("{nothing:?} is nothing to {name}, of {question:?}"));
            assert!(problem.starts_with("invalid_question: Option 2 has no word that the model reads"), "{problem}");
        }
    }
    for nothing in ["\u{200b}", "[MASK]"] {
        let (_, problem) = asked("marker", &noul(nothing));
        let problem = problem.unwrap_or_else(|| panic!("{nothing:?} states nothing"));
        assert!(problem.starts_with("invalid_question: The question has no word that the model reads"), "{problem}");
    }
    for something in ["?", "a\u{200b}", "[MASK] b"] {
        assert_eq!(asked("marker", &choice("which", &["c", something])), (vec![false], None), "{something:?}");
    }
}

#[test]
fn levels_of_the_same_text_are_refused() {
    for (levels, problem) in [
        (["a", "b", "a"], Some("invalid_question: Options 1 and 3 are the same")),
        (["a", "b", " a "], Some("invalid_question: Options 1 and 3 are the same")),
        (["", "b", ""], Some("invalid_question: Options 1 and 3 are the same")),
        (["a", "", "the"], None),
    ] {
        let (_, found) = asked("marker", &score("how", &levels));
        match (found, problem) {
            (None, None) => {}
            (Some(found), Some(problem)) => assert!(found.starts_with(problem), "{found}"),
            other => panic!("{levels:?}: {other:?}"),
        }
    }
}
