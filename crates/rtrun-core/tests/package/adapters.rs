//! Adapters over a base: the answers PEFT gives without merging, and what is refused.

use std::fs;
use std::path::{Path, PathBuf};

use rtrun_core::package::{FamilyKind, Package, PackageFolder};
use rtrun_core::{Engine, EngineOptions};
use serde_json::{Value, json};

use crate::support::weights::rewrite;
use crate::support::{block_on, copy, embed, fixture, load_failure, open_ready, options};

fn over(adapter: &Path, base: &Path) -> EngineOptions {
    let mut options = options(&[("adapted", adapter)]);
    options.models[0].base_path = Some(base.to_owned());
    options
}

fn card(options: EngineOptions) -> Value {
    let engine = Engine::open(options).unwrap();
    block_on(engine.ready());
    serde_json::to_value(engine.describe()).unwrap()[0].take()
}

fn bases() -> [(PathBuf, PathBuf); 2] {
    [
        (fixture("adapters/vectors"), fixture("embeddings")),
        (fixture("adapters/classifier"), fixture("encoders/roberta")),
    ]
}

#[test]
fn adapted_models_match_the_answers_of_peft() {
    for (adapter, base) in bases() {
        let card = card(over(&adapter, &base));
        assert_eq!((&card["reason"], &card["golden"]["status"]), (&Value::Null, &json!("matched")));
    }
}

#[test]
fn an_adapter_changes_the_answers_of_its_base() {
    let (adapter, base) = &bases()[0];
    let texts = ["hello world", "The quick brown fox"];
    let of_base = embed(&open_ready(options(&[("base", base)])), &texts);
    let changed = embed(&open_ready(over(adapter, base)), &texts);
    for (one, other) in of_base.iter().zip(&changed) {
        let cosine: f32 = one.iter().zip(other).map(|(one, other)| one * other).sum();
        assert!(cosine < 0.95, "{cosine}");
    }
}

#[test]
fn the_card_has_the_digests_of_both_packages() {
    let [(vectors, embeddings), (classifier, roberta)] = bases();
    let sha256 = |path: PathBuf| sha256(&fs::read(path).unwrap());
    let shown = card(over(&vectors, &embeddings));
    let expected = json!({
        "adapter_sha256": sha256(vectors.join("adapter_model.safetensors")),
        "base_sha256": sha256(embeddings.join("model.safetensors")),
        "base_manifest_sha256": sha256(embeddings.join("manifest.json")),
    });
    assert_eq!(shown["adapter"], expected);
    assert_eq!(card(over(&classifier, &roberta))["adapter"].get("base_manifest_sha256"), None);
    // The model is neither of the two.
    let base = card(options(&[("base", &embeddings)]));
    assert_ne!(shown["model_sha256"], base["model_sha256"]);
    assert_eq!(base["adapter"], Value::Null);
}

fn sha256(bytes: &[u8]) -> String {
    use sha2::{Digest, Sha256};
    format!("{:x}", Sha256::digest(bytes))
}

#[test]
fn the_base_gives_what_the_adapter_does_not_bring() {
    let open = |adapter: &Path, base: &Path| {
        Package::open_at(PackageFolder { name: "adapted", folder: adapter, base: Some(base), family: None }).unwrap()
    };
    let [(vectors, embeddings), (classifier, roberta)] = bases();
    let package = open(&vectors, &embeddings);
    assert_eq!((package.family, package.max_tokens, package.normalize), (FamilyKind::Embeddings, 48, true));
    assert_eq!(open(&classifier, &roberta).family, FamilyKind::SequenceClassification);
    let own = copy("adapters/vectors");
    fs::write(own.path().join("sentence_bert_config.json"), r#"{"max_seq_length": 20}"#).unwrap();
    assert_eq!(open(own.path(), &embeddings).max_tokens, 20);
    // The heads of the base read the vectors of the base.
    let package = open(&vectors, &fixture("heads-int8"));
    assert!(package.heads.is_empty() && package.licence.is_none());
}

#[test]
fn every_stored_type_of_a_base_can_be_adapted() {
    // Stored in bytes with scales; the adapter's answers were recorded over other weights.
    let adapter = copy("adapters/vectors");
    fs::remove_file(adapter.path().join("golden.json")).unwrap();
    let base = fixture("heads-int8");
    let of_base = embed(&open_ready(options(&[("base", &base)])), &["hello"]);
    let changed = embed(&open_ready(over(adapter.path(), &base)), &["hello"]);
    assert_ne!(of_base, changed);
    // Without its changes an adapter answers as its base, bit for bit but for the pooling that rtrun.json of the base set.
    rewrite(&adapter.path().join("adapter_model.safetensors"), |tensors| {
        for (_, tensor) in tensors.iter_mut().filter(|(name, _)| name.contains("_B")) {
            tensor.bytes.fill(0);
        }
    });
    fs::write(adapter.path().join("rtrun.json"), r#"{"schema":1,"pooling":"cls","max_tokens":64}"#).unwrap();
    assert_eq!(embed(&open_ready(over(adapter.path(), &base)), &["hello"]), of_base);
}

#[test]
fn an_adapter_and_its_base_are_needed_both() {
    let (adapter, base) = &bases()[0];
    let alone = load_failure(options(&[("adapted", adapter)]));
    assert!(alone.contains("adapter_config.json: is there, so this is an adapter; give its base"), "{alone}");
    let not_one = load_failure(over(base, base));
    assert!(not_one.contains("adapter_config.json: is missing; a base path is for adapters only"), "{not_one}");
    let none = load_failure(over(adapter, Path::new("/nowhere")));
    assert!(none.contains("folder /nowhere cannot be read"), "{none}");
    let shipped = load_failure(over(adapter, &fixture("shipped/vectors")));
    assert!(shipped.contains("needs a base with model.safetensors of a supported transformer"), "{shipped}");
}

#[test]
fn both_packages_are_checked() {
    let base = copy("embeddings");
    let mut bytes = fs::read(base.path().join("model.safetensors")).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(base.path().join("model.safetensors"), bytes).unwrap();
    let reason = load_failure(over(&fixture("adapters/vectors"), base.path()));
    assert!(reason.contains("model.safetensors: has SHA-256"), "{reason}");
    let adapter = copy("adapters/vectors");
    fs::write(
        adapter.path().join("manifest.json"),
        r#"{"schema":1,"files":{"adapter_config.json":{"bytes":1,"sha256":""}}}"#,
    )
    .unwrap();
    let reason = load_failure(over(adapter.path(), &fixture("embeddings")));
    assert!(reason.contains("adapter_config.json: has") && reason.contains("records 1"), "{reason}");
}

fn refused_setting(key: &str, value: &Value) -> String {
    let adapter = copy("adapters/vectors");
    let path = adapter.path().join("adapter_config.json");
    let mut config: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    config[key] = value.clone();
    fs::write(path, config.to_string()).unwrap();
    load_failure(over(adapter.path(), &fixture("embeddings")))
}

#[test]
fn kinds_of_adapters_that_compute_something_else_are_refused_by_name() {
    for (key, value, says) in [
        ("peft_type", json!("LOHA"), "peft_type \"LOHA\" is not supported"),
        ("peft_type", json!("IA3"), "peft_type \"IA3\" is not supported"),
        ("use_dora", json!(true), "use_dora is true, which is not supported"),
        ("rank_pattern", json!({"query": 8}), "rank_pattern is {\"query\":8}, which is not supported"),
        ("alpha_pattern", json!({"query": 8}), "alpha_pattern is"),
        ("lora_bias", json!(true), "lora_bias is true"),
        ("layer_replication", json!([[0, 2]]), "layer_replication is [[0,2]]"),
        ("never_heard_of", json!("x"), "never_heard_of is \"x\""),
        ("fan_in_fan_out", json!(true), "fan_in_fan_out is true"),
        ("init_lora_weights", json!("pissa"), "init_lora_weights \"pissa\" changes the base"),
        ("task_type", json!("CAUSAL_LM"), "task_type \"CAUSAL_LM\" is not supported"),
        ("r", json!(0), "r is 0"),
        ("r", json!(5), "has shape [4, 136]; [5, 136] is expected"),
    ] {
        let reason = refused_setting(key, &value);
        assert!(reason.contains(says), "{reason}");
    }
}

fn refused_tensors(name: &str, base: &str, change: impl FnOnce(&mut TensorMap)) -> String {
    let adapter = copy(name);
    rewrite(&adapter.path().join("adapter_model.safetensors"), change);
    load_failure(over(adapter.path(), &fixture(base)))
}

type TensorMap = std::collections::BTreeMap<String, crate::support::weights::Stored>;

fn renamed(tensors: &mut TensorMap, from: &str, to: &str) {
    let tensor = tensors.remove(from).unwrap();
    tensors.insert(to.to_owned(), tensor);
}

#[test]
fn tensors_that_do_not_fit_the_base_are_refused_by_name() {
    let module = "base_model.model.encoder.layer.0.attention.self.query";
    let vectors = |change: &dyn Fn(&mut TensorMap)| refused_tensors("adapters/vectors", "embeddings", change);
    let lone = vectors(&|tensors| drop(tensors.remove(&format!("{module}.lora_A.weight"))));
    assert!(lone.contains("lora_B.weight\" has no partner"), "{lone}");
    let other = vectors(&|tensors| drop(tensors.remove(&format!("{module}.lora_B.weight"))));
    assert!(other.contains("lora_B.weight\" is missing"), "{other}");
    let magnitude = vectors(&|tensors| {
        let copy = tensors[&format!("{module}.lora_A.weight")].clone();
        tensors.insert(format!("{module}.lora_magnitude_vector"), copy);
    });
    assert!(magnitude.contains("a kind of adapter that is not supported"), "{magnitude}");
    let foreign = vectors(&|tensors| {
        for part in ["lora_A.weight", "lora_B.weight"] {
            renamed(tensors, &format!("{module}.{part}"), &format!("base_model.model.h.0.attn.{part}"));
        }
    });
    assert!(foreign.contains("changes \"h.0.attn.weight\", which the base does not have"), "{foreign}");
    let none = vectors(&TensorMap::clear);
    assert!(none.contains("an adapter has at least one"), "{none}");
    let unwrapped = vectors(&|tensors| {
        let copy = tensors[&format!("{module}.lora_A.weight")].clone();
        tensors.insert("query".to_owned(), copy);
    });
    assert!(unwrapped.contains("does not begin with \"base_model.model.\""), "{unwrapped}");
    let unsaved = refused_tensors("adapters/classifier", "encoders/roberta", |tensors| {
        renamed(tensors, "base_model.model.classifier.dense.weight", "base_model.model.decoder.weight");
    });
    assert!(unsaved.contains("is neither a tensor of the base nor part of modules_to_save"), "{unsaved}");
    let missing = refused_tensors("adapters/classifier", "encoders/roberta", |tensors| {
        tensors.remove("base_model.model.classifier.dense.weight");
    });
    assert!(missing.contains("\"classifier.dense.weight\" is missing"), "{missing}");
}
