//! A package that is not what it should be is refused with one clear reason, and never crashes the process.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use rtrun_core::model::ModelStatus;
use rtrun_core::{Engine, EngineOptions};
use serde_json::{Value, json};

use crate::support::weights::{Stored, rewrite};
use crate::support::{block_on, copy, copy_without_manifest, load_failure, options};

/// Damages a copy of a fixture package and returns why it was refused.
fn refusal(name: &str, damage: impl FnOnce(&Path)) -> String {
    reason(copy_without_manifest(name).path(), damage)
}

/// The same for a package with its manifest.
fn refusal_by_manifest(name: &str, damage: impl FnOnce(&Path)) -> String {
    reason(copy(name).path(), damage)
}

fn reason(folder: &Path, damage: impl FnOnce(&Path)) -> String {
    damage(folder);
    load_failure(options(&[("damaged", folder)]))
}

fn edit(file: &Path, change: impl FnOnce(&mut Value)) {
    let mut json: Value = serde_json::from_slice(&fs::read(file).unwrap()).unwrap();
    change(&mut json);
    fs::write(file, json.to_string()).unwrap();
}

fn assert_says(reason: &str, parts: &[&str]) {
    assert!(parts.iter().all(|part| reason.contains(part)), "{reason:?} does not say {parts:?}");
}

#[test]
fn a_tampered_file() {
    let reason = refusal_by_manifest("heads-int8", |folder| {
        let mut bytes = fs::read(folder.join("heads.safetensors")).unwrap();
        *bytes.last_mut().unwrap() ^= 1;
        fs::write(folder.join("heads.safetensors"), bytes).unwrap();
    });
    assert_says(&reason, &["\"damaged\"", "heads.safetensors", "has SHA-256", "manifest.json records"]);
}

#[test]
fn a_listed_file_of_another_size_or_none() {
    let shorter = |folder: &Path| fs::write(folder.join("heads.safetensors"), "x").unwrap();
    assert_says(&refusal_by_manifest("heads-int8", shorter), &["heads.safetensors", "has 1 bytes", "records"]);
    let gone = |folder: &Path| fs::remove_file(folder.join("golden.json")).unwrap();
    assert_says(&refusal_by_manifest("heads-int8", gone), &["golden.json", "is listed in manifest.json but missing"]);
}

#[test]
fn a_used_file_that_the_manifest_does_not_list() {
    let add = |folder: &Path| fs::write(folder.join("sentence_bert_config.json"), "{}").unwrap();
    let reason = refusal_by_manifest("heads-int8", add);
    assert_says(&reason, &["sentence_bert_config.json", "is used but not listed in manifest.json"]);
}

#[test]
fn a_manifest_that_leads_out_of_the_package() {
    let lead_out = |folder: &Path| {
        edit(&folder.join("manifest.json"), |manifest| {
            manifest["files"]["../other"] = json!({ "bytes": 1, "sha256": "" });
        });
    };
    assert_says(
        &refusal_by_manifest("heads-int8", lead_out),
        &["../other", "must be a relative path inside the package"],
    );
}

#[test]
fn a_link_that_leads_out_of_the_package() {
    let outside = tempfile::tempdir().unwrap();
    let link = |folder: &Path| {
        let target = outside.path().join("weights");
        fs::rename(folder.join("model.safetensors"), &target).unwrap();
        symlink(target, folder.join("model.safetensors")).unwrap();
    };
    assert_says(&refusal("embeddings", link), &["model.safetensors", "leads out of the package folder"]);
    let broken = |folder: &Path| {
        fs::remove_file(folder.join("golden.json")).unwrap();
        symlink("nowhere", folder.join("golden.json")).unwrap();
    };
    assert_says(&refusal("embeddings", broken), &["golden.json", "cannot be opened"]);
}

#[test]
fn a_link_inside_the_package_is_fine() {
    let folder = copy_without_manifest("embeddings");
    fs::rename(folder.path().join("model.safetensors"), folder.path().join("weights.bin")).unwrap();
    symlink("weights.bin", folder.path().join("model.safetensors")).unwrap();
    crate::support::open_ready(options(&[("linked", folder.path())]));
}

/// Moves a fixture into a hub cache whose weights are a link to `target`, seen from the snapshot.
fn cached_with_link(cache: &Path, snapshot: &str, target: &str) -> std::path::PathBuf {
    let copy = copy_without_manifest("embeddings");
    let model = cache.join("models--org--name");
    let folder = model.join(snapshot);
    fs::create_dir_all(folder.parent().unwrap()).unwrap();
    fs::create_dir_all(model.join("blobs")).unwrap();
    fs::rename(copy.path(), &folder).unwrap();
    fs::rename(folder.join("model.safetensors"), folder.join(target)).unwrap();
    symlink(target, folder.join("model.safetensors")).unwrap();
    folder
}

const SNAPSHOT: &str = "snapshots/0123456789abcdef0123456789abcdef01234567";

#[test]
fn a_link_inside_the_model_of_a_hub_cache_is_fine() {
    let cache = tempfile::tempdir().unwrap();
    let folder = cached_with_link(cache.path(), SNAPSHOT, "../../blobs/weights");
    crate::support::open_ready(options(&[("cached", &folder)]));
}

#[test]
fn a_link_that_leads_out_of_the_model_of_a_hub_cache() {
    for (snapshot, target) in [
        // Another model of the same cache.
        (SNAPSHOT, "../../../weights"),
        // Folders that only look like a snapshot.
        ("snapshots/main", "../../blobs/weights"),
        ("versions/0123456789abcdef0123456789abcdef01234567", "../../blobs/weights"),
    ] {
        let cache = tempfile::tempdir().unwrap();
        let folder = cached_with_link(cache.path(), snapshot, target);
        let reason = load_failure(options(&[("cached", &folder)]));
        assert_says(&reason, &["model.safetensors", "leads out of the package folder"]);
    }
}

#[test]
fn truncated_weights_at_every_length() {
    let folder = copy_without_manifest("embeddings");
    let file = folder.path().join("model.safetensors");
    let bytes = fs::read(&file).unwrap();
    for length in [0, 4, 8, 100, 2000, bytes.len() / 2, bytes.len() - 1] {
        fs::write(&file, &bytes[..length]).unwrap();
        let reason = load_failure(options(&[("damaged", folder.path())]));
        assert_says(&reason, &["model.safetensors"]);
    }
}

#[test]
fn weights_with_more_bytes_than_their_header_says() {
    let grow = |folder: &Path| {
        let mut bytes = fs::read(folder.join("model.safetensors")).unwrap();
        bytes.extend([0; 8]);
        fs::write(folder.join("model.safetensors"), bytes).unwrap();
    };
    assert_says(&refusal("embeddings", grow), &["model.safetensors"]);
}

#[test]
fn a_tensor_that_is_missing_or_of_another_shape_or_type() {
    const QUERY: &str = "encoder.layer.1.attention.self.query.weight";
    let with = |change: fn(&mut std::collections::BTreeMap<String, Stored>)| {
        refusal("embeddings", |folder| rewrite(&folder.join("model.safetensors"), change))
    };
    let missing = with(|tensors| drop(tensors.remove(QUERY)));
    assert_says(&missing, &["model.safetensors", QUERY, "is missing"]);
    let reshaped = with(|tensors| tensors.get_mut(QUERY).unwrap().shape = vec![32, 128]);
    assert_says(&reshaped, &[QUERY, "has shape [32, 128]; [64, 64] is expected"]);
    let retyped = with(|tensors| {
        let tensor = tensors.get_mut(QUERY).unwrap();
        (tensor.dtype, tensor.shape) = (safetensors::Dtype::I32, vec![64, 64]);
    });
    assert_says(&retyped, &[QUERY, "has type I32; use F32, F16, BF16 or I8"]);
}

#[test]
fn int8_weights_without_a_right_scale() {
    const QUERY: &str = "encoder.layer.1.attention.self.query.weight";
    let with = |change: fn(&mut std::collections::BTreeMap<String, Stored>)| {
        refusal("heads-int8", |folder| rewrite(&folder.join("model.safetensors"), change))
    };
    let missing = with(|tensors| drop(tensors.remove(&format!("{QUERY}_scale"))));
    assert_says(&missing, &[QUERY, "has type I8", "_scale is missing"]);
    let reshaped = with(|tensors| {
        let scale = tensors.get_mut(&format!("{QUERY}_scale")).unwrap();
        scale.shape = vec![8, 8];
    });
    assert_says(&reshaped, &["_scale", "has shape [8, 8]; [64] is expected"]);
}

#[test]
fn an_rtrun_file_that_says_something_unknown() {
    let with = |change: fn(&mut Value)| refusal("heads-int8", |folder| edit(&folder.join("rtrun.json"), change));
    assert_says(&with(|file| file["colour"] = json!("red")), &["rtrun.json", "unknown field `colour`"]);
    assert_says(&with(|file| file["schema"] = json!(2)), &["rtrun.json", "schema is 2; only 1 is known"]);
    assert_says(&with(|file| file["family"] = json!("decisions")), &["\"decisions\" is not supported yet"]);
    assert_says(&with(|file| file["max_tokens"] = json!(65)), &["max_tokens is 65; the model has 64 positions"]);
    let scores = with(|file| file["scores"] = json!({ "domain": { "macro_f1": 80.0 } }));
    assert_says(&scores, &["scores.domain.macro_f1 is 80", "between 0 and 1"]);
    assert_says(&with(|file| file["heads"][1]["name"] = json!("domain")), &["heads[1]", "used twice"]);
    assert_says(&with(|file| file["heads"][0]["temperature"] = json!(0)), &["heads[0]", "temperature is 0"]);
    assert_says(&with(|file| file["heads"][0]["labels"] = json!(["a", "b"])), &["domain.bias", "[2] is expected"]);
    assert_says(&with(|file| file["heads"][0]["file"] = json!("../x")), &["../x", "inside the package"]);
    assert_says(&with(|file| file["heads"][0]["file"] = json!("none")), &["none", "is missing"]);
}

#[test]
fn a_config_that_is_not_supported() {
    let with = |change: fn(&mut Value)| refusal("embeddings", |folder| edit(&folder.join("config.json"), change));
    assert_says(
        &with(|file| file["architectures"] = json!(["LlamaModel"])),
        &["config.json", "LlamaModel", "not supported yet"],
    );
    assert_says(&with(|file| file["hidden_act"] = json!("mish")), &["activation \"mish\" is not supported yet"]);
    assert_says(&with(|file| file["num_attention_heads"] = json!(5)), &["not a multiple of num_attention_heads 5"]);
    assert_says(
        &with(|file| file["position_embedding_type"] = json!("relative_key")),
        &["relative_key", "not supported yet"],
    );
    assert_says(&with(|file| file["vocab_size"] = json!(10)), &["tokenizer.json", "config.json says 10"]);
    assert_says(
        &refusal("embeddings", |folder| fs::write(folder.join("config.json"), "{").unwrap()),
        &["config.json", "EOF"],
    );
    let remove = |name: &'static str| refusal("embeddings", move |folder| fs::remove_file(folder.join(name)).unwrap());
    assert_says(&remove("config.json"), &["config.json", "is missing"]);
    assert_says(&remove("tokenizer.json"), &["tokenizer.json", "is missing", "AutoTokenizer"]);
    assert_says(
        &remove("model.safetensors"),
        &["model.safetensors", "is missing", "no onnx/model.onnx", "save_pretrained"],
    );
}

#[test]
fn weights_in_a_form_that_is_not_read() {
    let instead = |name: &'static str| {
        refusal("embeddings", move |folder| {
            fs::rename(folder.join("model.safetensors"), folder.join(name)).unwrap();
        })
    };
    assert_says(
        &instead("pytorch_model.bin"),
        &["pytorch_model.bin is never read", "can hold code", "save_pretrained"],
    );
    assert_says(&instead("model.safetensors.index.json"), &["split into several files", "max_shard_size"]);
}

#[test]
fn an_encoder_that_computes_something_else() {
    let with = |name: &str, key: &'static str, value: Value| {
        refusal(name, |folder| edit(&folder.join("config.json"), |config| config[key] = value))
    };
    let deberta = "encoders/deberta";
    assert_says(&with(deberta, "conv_kernel_size", json!(3)), &["conv_kernel_size 3 is not supported yet"]);
    assert_says(&with(deberta, "pos_att_type", json!("p2p|c2p")), &["pos_att_type \"p2p\" is not supported"]);
    assert_says(&with(deberta, "embedding_size", json!(32)), &["embedding_size 32 is not supported yet; only 64 is"]);
    let modernbert = "encoders/modernbert";
    let scaled = json!({ "rope_type": "yarn", "factor": 4 });
    assert_says(&with(modernbert, "rope_scaling", scaled.clone()), &["rope_scaling is not supported yet"]);
    let scaled = json!({ "full_attention": scaled });
    assert_says(&with(modernbert, "rope_parameters", scaled), &["rope_type \"yarn\" is not supported yet"]);
    let flat = json!({ "rope_theta": 10000.0 });
    assert_says(&with(modernbert, "rope_parameters", flat), &["one entry for each of full_attention"]);
    assert_says(&with(modernbert, "layer_types", json!(["full_attention"])), &["layer_types has 1 entries"]);
    let types = json!(["full_attention", "chunked_attention", "full_attention", "full_attention"]);
    assert_says(&with(modernbert, "layer_types", types), &["\"chunked_attention\" is not supported"]);
    assert_says(&with("encoders/mpnet", "relative_attention_num_buckets", json!(64)), &["only 32 is"]);
    assert_says(&with("encoders/roberta", "pad_token_id", json!(66)), &["leaves none of the 66 positions"]);
    let roberta = "encoders/roberta";
    assert_says(&with(roberta, "position_embedding_type", json!("relative_key")), &["relative_key"]);
    assert_says(&with(roberta, "is_decoder", json!(true)), &["only encoders are supported"]);
    assert_says(&with(roberta, "model_type", json!("albert")), &["model_type \"albert\"", "roberta, xlm-roberta"]);
    assert_says(
        &with(roberta, "model_type", json!("bert")),
        &["RobertaModel", "does not belong to model_type \"bert\""],
    );
    let classifier = "classifiers/roberta";
    assert_says(&with(classifier, "problem_type", json!("regression")), &["\"regression\" with 3 labels"]);
}

#[test]
fn a_module_or_pooling_that_is_not_supported() {
    let module = |folder: &Path| {
        edit(&folder.join("modules.json"), |modules| modules[2]["type"] = json!("sentence_transformers.models.Dense"));
    };
    assert_says(&refusal("embeddings", module), &["modules.json", "\"Dense\" is not supported yet"]);
    let pooling = |folder: &Path| {
        edit(&folder.join("1_Pooling/config.json"), |config| {
            config["pooling_mode_mean_tokens"] = json!(false);
            config["pooling_mode_max_tokens"] = json!(true);
        });
    };
    assert_says(
        &refusal("embeddings", pooling),
        &["1_Pooling/config.json", "pooling_mode_max_tokens", "not supported yet"],
    );
}

#[test]
fn a_tokenizer_over_which_its_library_panics() {
    let reason = refusal("embeddings", |folder| {
        let file = folder.join("tokenizer.json");
        let text = fs::read_to_string(&file).unwrap();
        assert!(text.contains("\"prefix\": \"##\""));
        fs::write(&file, text.replace("\"prefix\": \"##\"", "\"prefix\" \"##\"")).unwrap();
    });
    assert_says(&reason, &["tokenizer.json", "must be as that library writes it"]);
}

#[test]
fn golden_answers_that_differ() {
    let with = |change: fn(&mut Value)| refusal("heads-int8", |folder| edit(&folder.join("golden.json"), change));
    let off = with(|file| file["embeddings"][1]["vector"][3] = json!(9.0));
    assert_says(&off, &["golden.json", "the self-check failed", "embeddings is off by", "0.0001 is allowed"]);
    let head = with(|file| file["classify"][0]["probabilities"][0] = json!(0.5));
    assert_says(&head, &["the self-check failed", "domain is off by"]);
    let folder = copy_without_manifest("heads-int8");
    edit(&folder.path().join("golden.json"), |file| file["tolerance"] = json!(0));
    let engine = Engine::open(options(&[("off", folder.path())])).unwrap();
    block_on(engine.ready());
    let card = &serde_json::to_value(engine.describe()).unwrap()[0];
    assert_eq!((&card["status"], &card["golden"]["status"]), (&json!("failed"), &json!("failed")));
    let other = with(|file| file["classify"][0]["head"] = json!("none"));
    assert_says(&other, &["there is no head \"none\""]);
}

#[test]
fn weights_that_are_not_numbers_fail_the_self_check() {
    let reason = refusal("embeddings", |folder| {
        crate::support::weights::poke(
            &folder.join("model.safetensors"),
            "encoder.layer.0.output.dense.bias",
            0,
            f32::NAN,
        );
    });
    assert_says(&reason, &["the self-check failed"]);
}

#[test]
fn a_damaged_package_is_not_tried_again() {
    let folder = copy_without_manifest("embeddings");
    fs::write(folder.path().join("model.safetensors"), "no").unwrap();
    let engine = Engine::open(EngineOptions {
        load_attempts: 5,
        load_retry: std::time::Duration::from_hours(1),
        ..options(&[("damaged", folder.path())])
    });
    // Another try would come after an hour.
    let states = block_on(engine.unwrap().ready());
    assert_eq!(states[0].status, ModelStatus::Failed);
}
