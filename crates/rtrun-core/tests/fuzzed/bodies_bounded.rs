//! A bounded run over request bodies: the seeds of the fuzz target, changed at random.

use std::collections::BTreeMap;

use serde_json::Value;

use super::bodies::Target;
use crate::support::core_folder;
use crate::support::mutation::Mutator;
use crate::support::random::Random;

const ROUNDS: usize = 8000;

#[test]
fn whatever_the_body_the_answer_is_one_of_the_contract() {
    let target = Target::start();
    let seeds = seeds();
    let mut words = Words::default();
    for (_, body) in &seeds {
        if let Ok(value) = serde_json::from_str(body) {
            words.learn(&value);
        }
    }
    let keys: Vec<&str> = words.keys.iter().map(String::as_str).collect();
    let texts: Vec<&str> = words.texts.iter().map(String::as_str).collect();
    let mut mutator = Mutator { random: Random(1), keys: &keys, texts: &texts };

    let mut statuses = BTreeMap::<u16, usize>::new();
    for (path, body) in &seeds {
        target.hold(format!("{path}\n{body}").as_bytes());
    }
    for _ in 0..ROUNDS {
        let (path, body) = &seeds[mutator.random.below(seeds.len())];
        let input = [path.as_bytes(), b"\n", &changed(body, &mut mutator)].concat();
        *statuses.entry(target.hold(&input)).or_default() += 1;
    }
    target.assert_idle();
    // A run that is refused everywhere has shown little.
    for (status, least) in [(200, ROUNDS / 20), (400, ROUNDS / 4), (404, 1), (413, 1), (422, 1)] {
        assert!(statuses.get(&status).is_some_and(|&count| count >= least), "{status} is rare: {statuses:?}");
    }
}

/// A body with one or two changes, in its structure where it has one.
fn changed(body: &str, mutator: &mut Mutator) -> Vec<u8> {
    let changes = 1 + mutator.random.below(6) / 3;
    match serde_json::from_str(body) {
        Ok::<Value, _>(mut value) if mutator.random.below(3) > 0 => {
            for _ in 0..changes {
                if mutator.random.below(3) == 0 { mutator.change(&mut value) } else { mutator.nudge(&mut value) }
            }
            value.to_string().into_bytes()
        }
        _ => {
            let mut bytes = body.as_bytes().to_vec();
            (0..changes).for_each(|_| mutator.change_bytes(&mut bytes));
            bytes
        }
    }
}

/// The committed seeds, as path and body, always in the same order.
fn seeds() -> Vec<(String, String)> {
    let folder = core_folder().join("../../fuzz/seeds/bodies");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let read = |file| {
        let text = std::fs::read_to_string(file).unwrap();
        let (path, body) = text.split_once('\n').unwrap();
        (path.to_owned(), body.to_owned())
    };
    files.iter().map(read).collect()
}

/// The keys and texts of the seeds: mutations are made of them.
#[derive(Default)]
struct Words {
    keys: Vec<String>,
    texts: Vec<String>,
}

impl Words {
    fn learn(&mut self, value: &Value) {
        match value {
            Value::Object(map) => map.iter().for_each(|(key, value)| {
                self.keys.push(key.clone());
                self.learn(value);
            }),
            Value::Array(items) => items.iter().for_each(|item| self.learn(item)),
            Value::String(text) => self.texts.push(text.clone()),
            _ => {}
        }
    }
}
