//! What `rtrun.json` and Laya checkpoints may say about typed questions, and what is refused by name.

use std::path::Path;

use serde_json::{Value, json};

use crate::support::weights::rewrite;
use crate::support::{copy_without_manifest, load_failure, open_ready, options};

fn refusal(name: &str, damage: impl FnOnce(&Path)) -> String {
    let folder = copy_without_manifest(&format!("decisions/{name}"));
    damage(folder.path());
    load_failure(options(&[("damaged", folder.path())]))
}

fn refusal_of(name: &str, file: &str, pointer: &str, value: Value) -> String {
    refusal(name, |folder| set(&folder.join(file), pointer, value))
}

/// Sets a value by its JSON pointer, whose parent must be there.
fn set(file: &Path, pointer: &str, value: Value) {
    let mut json: Value = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
    let (parent, key) = pointer.rsplit_once('/').unwrap();
    json.pointer_mut(parent).unwrap()[key] = value;
    std::fs::write(file, json.to_string()).unwrap();
}

#[test]
fn every_wrong_setting_is_named() {
    let cases = [
        ("marker", "/decisions/questions/types", json!([]), "questions.types is empty"),
        ("marker", "/decisions/questions/types", json!(["noul", "noul"]), "has \"noul\" twice"),
        ("marker", "/decisions/questions/types", json!(["rank"]), "unknown variant `rank`"),
        ("marker", "/decisions/questions/types", json!(["choice", "span"]), "calibration.temperatures has \"score\""),
        ("marker-plain", "/decisions/questions/types", json!(["span"]), "span is missing"),
        ("marker", "/decisions/questions/max_options", json!(256), "max_options is 256; it must be between 2 and 255"),
        ("marker", "/decisions/questions/tokens", json!(5), "tokens is 5; it must be at least 24"),
        ("marker", "/decisions/questions/option_tokens", json!(0), "option_tokens is 0"),
        ("marker", "/decisions/questions/token", json!(5), "unknown field `token`"),
        ("marker", "/decisions/calibration/temperatures", json!({ "choice:3": 1 }), "has \"choice:3\""),
        ("marker", "/decisions/calibration/temperatures", json!({ "choice": 0 }), "temperatures.choice is 0"),
        ("marker", "/decisions/calibration/thresholds", json!({ "choice": 0.5 }), "thresholds has \"choice\""),
        ("marker", "/decisions/calibration/thresholds", json!({ "set": 2 }), "thresholds.set is 2"),
        (
            "marker",
            "/decisions/calibration/abstention",
            json!({ "set": {} }),
            "calibration.abstention has \"set\"; use \"choice\", \"noul\", \"score\" of questions.types",
        ),
        (
            "marker-plain",
            "/decisions/calibration",
            json!({ "abstention": { "score": {} } }),
            "abstention has \"score\"",
        ),
        (
            "marker",
            "/decisions/calibration/abstention",
            json!({ "noul": { "top": 1e39 } }),
            "abstention.noul.top is inf",
        ),
        ("marker", "/decisions/calibration/abstention", json!({ "noul": { "low": 1 } }), "unknown field `low`"),
        (
            "marker",
            "/decisions/head/option_positions",
            json!("shared"),
            "option_positions \"shared\" is not supported yet",
        ),
        ("marker-plain", "/decisions/head/max_similarity", json!({ "score": 1 }), "head.max_similarity has \"score\""),
        ("marker", "/decisions/head/max_similarity", json!({ "span": 1 }), "head.max_similarity has \"span\""),
        ("marker", "/decisions/head/max_similarity", json!({ "noul": 1e39 }), "head.max_similarity.noul is inf"),
        ("marker", "/decisions/head/statement", json!(true), "expected struct StatementSettings"),
        (
            "marker",
            "/decisions/head/statement",
            json!({ "factor": 1, "addend": 0 }),
            "decisions.turns.bias\" is missing",
        ),
        ("marker", "/decisions/head/statement", json!({ "factor": 1e39, "addend": 0 }), "head.statement.factor is inf"),
        ("marker-plain", "/decisions/questions/types", json!(["choice"]), "head.statement is for yes-or-no questions"),
        ("marker", "/decisions/head/abstain", json!(" "), "decisions.head.abstain has no word that the model reads"),
        ("marker", "/decisions/head/abstain", json!("[MASK]\u{200b}"), "head.abstain has no word"),
        ("marker", "/decisions/head/mask_token", json!("[NO]"), "has no token [NO]"),
        ("marker", "/decisions/head/prefix", json!("other."), "tensor \"other.type_emb.weight\" is missing"),
        ("marker", "/decisions/head/file", json!("none.safetensors"), "none.safetensors: is missing"),
        ("marker", "/decisions/head/layers", json!(3), "head.layers.2.norm1.weight\" is missing"),
        ("marker", "/decisions/span/temperature", json!(0), "span.temperature is 0"),
        ("marker", "/decisions/span/size", json!(16), "span.label.1.weight\" has shape [32, 64]; [16, 64] is expected"),
        ("marker", "/decisions", Value::Null, "decisions is missing; the family \"marker_decisions\" needs it"),
        ("marker", "/family", json!("embeddings"), "decisions needs the family"),
        ("packed", "/decisions/head/size", json!(0), "head.size is 0"),
        ("packed", "/decisions/head/temperature", json!(-1), "head.temperature is -1"),
        ("packed", "/decisions/markers/label", Value::Null, "markers.label is missing"),
        ("packed", "/decisions/markers/segment", json!(9999), "has the id 9999, which tokenizer.json does not have"),
        ("packed", "/decisions/markers/end", json!(1), "unknown field `end`"),
        (
            "packed",
            "/heads",
            json!([{ "name": "a", "kind": "scores", "labels": ["b"], "file": "c", "weight": "d" }]),
            "heads need",
        ),
    ];
    for (name, pointer, value, says) in cases {
        let reason = refusal_of(name, "rtrun.json", pointer, value);
        assert!(reason.contains("\"damaged\""), "{reason}");
        assert!(reason.contains(says), "{reason:?} does not say {says:?}");
    }
}

#[test]
fn a_laya_checkpoint_that_is_not_one_is_refused() {
    let agent = |key: &str, value: Value| refusal_of("laya", "rl_agent_config.json", &format!("/{key}"), value);
    assert!(agent("temperature", json!([1.0])).contains("temperature has 1 values; 3 are expected"));
    assert!(agent("max_len", json!(64)).contains("head_max_len is 64 and max_len 64"));
    assert!(agent("temperature_by_options", json!({ "rank:2": 1.0 })).contains("has \"rank:2\""));
    let other = refusal_of("laya", "encoder/config.json", "/model_type", json!("gemma3"));
    assert!(other.contains("\"gemma3\""), "{other}");
    let gone = refusal("laya", |folder| std::fs::remove_file(folder.join("tokenizer/tokenizer.json")).unwrap());
    assert!(gone.contains("tokenizer/tokenizer.json: is missing"), "{gone}");
}

#[test]
fn a_head_may_lie_in_the_file_of_the_encoder() {
    let folder = copy_without_manifest("decisions/marker");
    let mut head = std::collections::BTreeMap::new();
    rewrite(&folder.path().join("decisions.safetensors"), |tensors| head = tensors.clone());
    rewrite(&folder.path().join("model.safetensors"), |tensors| tensors.extend(head));
    std::fs::remove_file(folder.path().join("decisions.safetensors")).unwrap();
    set(&folder.path().join("rtrun.json"), "/decisions/head/file", json!("model.safetensors"));
    let card = serde_json::to_value(open_ready(options(&[("one", folder.path())])).describe().remove(0)).unwrap();
    assert_eq!(card["golden"]["status"], json!("matched"));
}

#[test]
fn a_tokenizer_that_puts_nothing_behind_a_text_is_framed_by_name() {
    let folder = copy_without_manifest("decisions/laya");
    let file = folder.path().join("tokenizer/tokenizer.json");
    set(
        &file,
        "/post_processor/single",
        json!([{ "SpecialToken": { "id": "[CLS]", "type_id": 0 } }, { "Sequence": { "id": "A", "type_id": 0 } }]),
    );
    let card = serde_json::to_value(open_ready(options(&[("half", folder.path())])).describe().remove(0)).unwrap();
    assert_eq!(card["golden"]["status"], json!("matched"));
}
