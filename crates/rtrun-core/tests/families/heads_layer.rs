//! Heads that read a layer before the last, while vectors come from the last one.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use rtrun_core::{
    BundleOptions, Classified, ClassifyInput, EmbeddingInput, Engine, EngineOptions, Task, TaskAnswer, TaskKind,
};
use safetensors::tensor::Dtype;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::random::Random;
use crate::support::skip::reduces;
use crate::support::weights::{Stored, rewrite};
use crate::support::{
    answer, block_on, classify, classify_task, copy_without_manifest, embed, embed_task, forwards, load_failure,
    open_ready, options, task,
};

const TEXTS: [&str; 3] = ["hello world", "a", "the quick brown fox"];
/// Of the package "heads-int8".
const WIDTH: usize = 64;
const TAGS: [&str; 3] = ["O", "B-PLACE", "I-PLACE"];

fn edit(folder: &Path, file: &str, change: impl FnOnce(&mut Value)) {
    let path = folder.join(file);
    let mut content: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    change(&mut content);
    fs::write(path, content.to_string()).unwrap();
}

/// A package of two layers that pools by the mean, with a head over the mean of the tokens ("domain"), one over the sentence
/// ("topics") and one over every token ("tags").
fn package(change: impl FnOnce(&mut Value)) -> TempDir {
    let folder = copy_without_manifest("heads-int8");
    fs::remove_file(folder.path().join("golden.json")).unwrap();
    edit(folder.path(), "rtrun.json", |settings| {
        settings["pooling"] = json!("mean");
        settings["heads"][0]["reads"] = json!("mean");
        settings["heads"].as_array_mut().unwrap().push(json!({
            "name": "tags", "kind": "token", "labels": TAGS, "file": "heads.safetensors", "weight": "tags.weight"
        }));
        change(settings);
    });
    rewrite(&folder.path().join("heads.safetensors"), |tensors| {
        let mut random = Random(5);
        let numbers = (0..TAGS.len() * WIDTH).map(|_| (random.below(2001) as f32 / 1000.0 - 1.0) * 0.3);
        let bytes = numbers.flat_map(f32::to_le_bytes).collect();
        tensors.insert("tags.weight".to_owned(), Stored { dtype: Dtype::F32, shape: vec![TAGS.len(), WIDTH], bytes });
    });
    folder
}

fn with_layer(layer: usize) -> TempDir {
    package(|settings| settings["heads_layer"] = json!(layer))
}

/// The same package with its first layer only.
fn cut() -> TempDir {
    let folder = package(|_| ());
    edit(folder.path(), "config.json", |config| config["num_hidden_layers"] = json!(1));
    folder
}

/// A package whose heads go on from its first layer with a copy of that one of its two layers, changed.
fn with_own_layer(copied: usize, change: impl FnOnce(&mut BTreeMap<String, Stored>)) -> TempDir {
    let folder = package(|settings| {
        settings["heads_layer"] = json!(1);
        settings["heads_own_layers"] = json!(1);
    });
    rewrite(&folder.path().join("model.safetensors"), |tensors| {
        let of = format!("encoder.layer.{copied}.");
        let own = tensors.iter().filter_map(|(name, tensor)| Some((name.strip_prefix(&of)?, tensor.clone())));
        let own: Vec<_> = own.map(|(part, tensor)| (format!("heads_encoder.layer.0.{part}"), tensor)).collect();
        tensors.extend(own);
        change(tensors);
    });
    folder
}

/// An engine that computes every answer anew.
fn open(folder: &TempDir) -> Arc<Engine> {
    open_ready(EngineOptions { result_cache_entries: 0, ..options(&[("model", folder.path())]) })
}

/// What the head says about every token.
fn tags(engine: &Arc<Engine>, texts: &[&str]) -> Vec<Arc<Classified>> {
    let input = texts.iter().map(|text| ClassifyInput::Text((*text).to_owned())).collect();
    let kind = TaskKind::Classify { head: Some("tags".to_owned()), input, threshold: None, with_tokens: true };
    match answer(engine, task(kind)) {
        Ok(TaskAnswer::Classify(answer)) => answer.items.into_iter().map(|item| item.unwrap().1).collect(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn heads_over_tokens_answer_as_the_package_cut_there_and_all_else_as_the_whole() {
    let (both, whole, cut) = (open(&with_layer(1)), open(&package(|_| ())), open(&cut()));
    let of = |engine, head| classify(engine, head, &TEXTS);
    assert_eq!(of(&both, "domain"), of(&cut, "domain"));
    assert_eq!(tags(&both, &TEXTS), tags(&cut, &TEXTS));
    assert_eq!(of(&both, "topics"), of(&whole, "topics"));
    assert_eq!(embed(&both, &TEXTS), embed(&whole, &TEXTS));
    assert_ne!(of(&cut, "domain"), of(&whole, "domain"));
    assert_ne!(tags(&cut, &TEXTS), tags(&whole, &TEXTS));
    assert_ne!(of(&cut, "topics"), of(&whole, "topics"));
    assert_ne!(embed(&cut, &TEXTS), embed(&whole, &TEXTS));
}

#[test]
fn layers_of_the_heads_own_go_on_from_the_layer_that_they_branch_off() {
    let (as_last, as_first) = (open(&with_own_layer(1, |_| ())), open(&with_own_layer(0, |_| ())));
    let whole = open(&package(|_| ()));
    let of = |engine, head| classify(engine, head, &TEXTS);
    assert_eq!(of(&as_last, "domain"), of(&whole, "domain"));
    assert_eq!(tags(&as_last, &TEXTS), tags(&whole, &TEXTS));
    assert_ne!(of(&as_first, "domain"), of(&whole, "domain"));
    assert_ne!(tags(&as_first, &TEXTS), tags(&whole, &TEXTS));
    for engine in [&as_last, &as_first] {
        assert_eq!(of(engine, "topics"), of(&whole, "topics"));
        assert_eq!(embed(engine, &TEXTS), embed(&whole, &TEXTS));
    }
}

#[test]
fn a_layer_of_the_heads_own_may_be_narrower_inside() {
    // The last of the neurons is left out where its weight is zero: the answer is the same.
    let without_last = |narrow: bool| {
        open(&with_own_layer(1, |tensors| {
            let named = |part: &str| format!("heads_encoder.layer.0.{part}");
            let wide = tensors[&named("intermediate.dense.bias")].shape[0];
            let output = tensors.get_mut(&named("output.dense.weight")).unwrap();
            output.bytes.iter_mut().skip(wide - 1).step_by(wide).for_each(|byte| *byte = 0);
            if narrow {
                output.bytes = output.bytes.chunks(wide).flat_map(|row| row[..wide - 1].to_vec()).collect();
                output.shape[1] = wide - 1;
                for part in ["intermediate.dense.weight", "intermediate.dense.weight_scale", "intermediate.dense.bias"]
                {
                    let tensor = tensors.get_mut(&named(part)).unwrap();
                    tensor.bytes.truncate(tensor.bytes.len() / wide * (wide - 1));
                    tensor.shape[0] = wide - 1;
                }
            }
        }))
    };
    let of = |engine: &Arc<Engine>| classify(engine, "domain", &TEXTS).concat();
    let (whole, narrow) = (of(&without_last(false)), of(&without_last(true)));
    assert!(whole.iter().zip(&narrow).all(|(one, other)| (one - other).abs() < 1e-6), "{whole:?} {narrow:?}");
    assert_ne!(whole, of(&open(&package(|_| ()))));
}

#[test]
fn layers_of_the_heads_own_that_are_not_there_are_refused() {
    let reason = load_failure(options(&[(
        "model",
        with_own_layer(1, |tensors| drop(tensors.remove("heads_encoder.layer.0.output.dense.weight"))).path(),
    )]));
    assert!(reason.contains("tensor \"heads_encoder.layer.0.output.dense.weight\" is missing"), "{reason}");
    let folder = copy_without_manifest("encoders/roberta");
    let head = json!({ "name": "tags", "kind": "token", "labels": TAGS, "file": "h", "weight": "w" });
    let settings = json!({ "schema": 1, "heads_own_layers": 1, "heads": [head] });
    fs::write(folder.path().join("rtrun.json"), settings.to_string()).unwrap();
    let reason = load_failure(options(&[("model", folder.path())]));
    assert!(reason.contains("heads_own_layers is 1, which only BERT and ELECTRA have"), "{reason}");
}

#[test]
fn the_last_layer_is_what_heads_read_without_the_key() {
    let (last, without) = (open(&with_layer(2)), open(&package(|_| ())));
    assert_eq!(classify(&last, "domain", &TEXTS), classify(&without, "domain", &TEXTS));
    assert_eq!(tags(&last, &TEXTS), tags(&without, &TEXTS));
}

#[test]
fn both_layers_come_out_of_one_forward() {
    let engine = open(&with_layer(1));
    let before = forwards(&engine.exposition(), "model");
    let tasks = [embed_task(&TEXTS[..1]), classify_task("domain", &TEXTS[..1]), classify_task("tags", &TEXTS[..1])];
    let tasks = tasks.into_iter().enumerate().map(|(at, task)| Task { id: at.to_string(), ..task }).collect();
    let outcomes = block_on(engine.bundle(tasks, BundleOptions::default())).outcomes;
    assert!(outcomes.iter().all(|outcome| outcome.result.is_ok()), "{outcomes:?}");
    assert_eq!(forwards(&engine.exposition(), "model") - before, 1);
}

#[test]
fn a_batch_equals_its_single_rows() {
    let engine = open(&with_layer(1));
    // Enough tokens for the lane of long requests.
    let texts: Vec<String> =
        (0..90).map(|at| format!("the {at} quick brown {} foxes", "very ".repeat(at % 7))).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let alone: Vec<_> = texts.iter().flat_map(|text| classify(&engine, "domain", &[text])).collect();
    assert_eq!(classify(&engine, "domain", &texts), alone);
    let alone: Vec<_> = texts.iter().flat_map(|text| tags(&engine, &[text])).collect();
    assert_eq!(tags(&engine, &texts), alone);
    let alone: Vec<_> = texts.iter().flat_map(|text| embed(&engine, &[text])).collect();
    assert_eq!(embed(&engine, &texts), alone);
}

#[test]
fn a_text_that_leaves_early_has_the_same_vector_with_and_without_the_key() {
    let exits = |layer: Option<usize>| {
        open(&package(|settings| {
            settings["layers"] = json!([1]);
            settings["heads_layer"] = json!(layer);
        }))
    };
    let vectors = |engine: &Arc<Engine>| {
        let input = TEXTS.iter().map(|text| EmbeddingInput::Text((*text).to_owned())).collect();
        match answer(engine, task(TaskKind::Embeddings { input, dimensions: None, layer: Some(1), input_type: None })) {
            Ok(TaskAnswer::Embeddings(answer)) => {
                answer.items.into_iter().map(|item| item.unwrap().1.to_vec()).collect::<Vec<_>>()
            }
            other => panic!("{other:?}"),
        }
    };
    let (with, without) = (exits(Some(1)), exits(None));
    assert_eq!(vectors(&with), vectors(&without));
    assert_eq!(vectors(&with), embed(&open(&cut()), &TEXTS));
    assert_eq!(embed(&with, &TEXTS), embed(&without, &TEXTS));
    assert_eq!(classify(&with, "domain", &TEXTS), classify(&open(&cut()), "domain", &TEXTS));
}

#[test]
fn recorded_answers_of_such_a_head_are_checked() {
    let record = |engine: &Arc<Engine>| {
        let probe = |text: &&str| json!({ "head": "domain", "text": text, "probabilities": classify(engine, "domain", &[text])[0] });
        let probes: Vec<Value> = TEXTS.iter().map(probe).collect();
        json!({ "schema": 1, "reference": "the cut package", "tolerance": 1e-6, "classify": probes })
    };
    let folder = with_layer(1);
    let golden = folder.path().join("golden.json");
    fs::write(&golden, record(&open(&cut())).to_string()).unwrap();
    let card = &serde_json::to_value(open(&folder).describe()).unwrap()[0];
    assert_eq!((&card["golden"]["status"], &card["golden"]["checked"]), (&"matched".into(), &TEXTS.len().into()));
    fs::write(&golden, record(&open(&package(|_| ()))).to_string()).unwrap();
    let reason = load_failure(options(&[("model", folder.path())]));
    assert!(reason.contains("self-check failed: a probe of domain is off by"), "{reason}");
}

#[test]
fn reduced_precision_is_compared_by_the_layer_that_heads_read() {
    let folder = with_layer(1);
    let mut fast = options(&[("model", folder.path())]);
    fast.models[0].profile = Some("max_speed".to_owned());
    let engine = open_ready(fast);
    let report = serde_json::to_value(engine.describe()).unwrap()[0]["profile_report"].clone();
    if !reduces() {
        assert_eq!(report["served"], "exact", "{report}");
        return;
    }
    assert_eq!(report["served"], "max_speed", "{report}");
    assert!(report["label_agreement"].as_f64().unwrap() >= 0.99, "{report}");
    assert!(report["least_cosine"].as_f64().unwrap() >= 0.999, "{report}");
    let fast = classify(&engine, "domain", &TEXTS);
    let off = |other: &TempDir| {
        let other = classify(&open(other), "domain", &TEXTS).concat();
        fast.concat().iter().zip(other).map(|(one, other)| (one - other).abs()).sum::<f32>()
    };
    let (of_cut, of_whole) = (off(&cut()), off(&package(|_| ())));
    assert!(of_cut > 0.0, "the reduced precision is not used");
    assert!(of_cut < of_whole / 4.0, "{of_cut} from the layer of heads, {of_whole} from the last");
}

#[test]
fn a_layer_that_heads_cannot_read_is_refused() {
    let refusal = |folder: &TempDir| load_failure(options(&[("model", folder.path())]));
    for layer in [0, 3] {
        let reason = refusal(&with_layer(layer));
        assert!(reason.contains(&format!("heads_layer is {layer}; the encoder has 1 to 2")), "{reason}");
    }
    let reason = refusal(&package(|settings| {
        settings["heads_layer"] = json!(1);
        settings["heads"].as_array_mut().unwrap().retain(|head| head["name"] == "topics");
    }));
    let expected = "heads_layer is 1; it needs a head of the kind \"token\" or one that reads \"mean\"";
    assert!(reason.contains(expected), "{reason}");
    for name in ["shipped/vectors", "static", "softmax", "tokens/bert", "towers/clip", "decisions/packed"] {
        let folder = copy_without_manifest(name);
        let path = folder.path().join("rtrun.json");
        let mut settings =
            fs::read(&path).map_or(json!({ "schema": 1 }), |file| serde_json::from_slice(&file).unwrap());
        settings["heads_layer"] = json!(1);
        fs::write(path, settings.to_string()).unwrap();
        let reason = refusal(&folder);
        let expected =
            "heads_layer is 1; only heads of the family \"embeddings\" over model.safetensors of a transformer";
        assert!(reason.contains(expected), "{name}: {reason}");
    }
}

/// A package whose heads go on from its first layer, and read the means of both its layers as well. "domain" is given the
/// numbers of "topics" for one of the three means, and zeros for the others.
fn reads_means(counted: usize) -> TempDir {
    let folder = with_own_layer(1, |_| ());
    edit(folder.path(), "rtrun.json", |settings| {
        settings["heads_mean_layers"] = json!([1, 2]);
        let topics = settings["heads"][1].clone();
        let domain = json!({ "name": "domain", "reads": "mean", "weight": "domain.weight", "bias": topics["bias"] });
        settings["heads"][0] = topics;
        settings["heads"][0].as_object_mut().unwrap().extend(domain.as_object().unwrap().clone());
        settings["heads"].as_array_mut().unwrap().remove(1);
    });
    rewrite(&folder.path().join("heads.safetensors"), |tensors| {
        let topics = tensors["topics.weight"].clone();
        let row = WIDTH * topics.bytes.len() / (topics.shape[0] * topics.shape[1]);
        let placed = |row: &[u8]| {
            let mut wide = vec![0; 3 * row.len()];
            wide[counted * row.len()..][..row.len()].copy_from_slice(row);
            wide
        };
        let bytes = topics.bytes.chunks(row).flat_map(placed).collect();
        let shape = vec![topics.shape[0], 3 * WIDTH];
        tensors.insert("domain.weight".to_owned(), Stored { dtype: topics.dtype, shape, bytes });
    });
    folder
}

#[test]
fn a_head_reads_the_means_of_the_named_layers_and_then_that_of_the_heads_layer() {
    let topics = |folder: TempDir| {
        edit(folder.path(), "rtrun.json", |settings| settings["normalize"] = json!(true));
        classify(&open(&folder), "topics", &TEXTS)
    };
    let domain = |counted| classify(&open(&reads_means(counted)), "domain", &TEXTS);
    // "topics" reads the sentence vector: the mean of the last layer, of length 1. The heads' own layer is a copy of it.
    let (first, last) = (topics(cut()), topics(package(|_| ())));
    assert_ne!(first, last);
    for (counted, expected) in [first, last.clone(), last].into_iter().enumerate() {
        assert_eq!(domain(counted), expected, "mean {counted}");
    }
}

#[test]
fn layers_whose_means_nobody_can_read_are_refused() {
    let refusal = |change: fn(&mut Value)| {
        let folder = package(|settings| {
            settings["heads_layer"] = json!(1);
            change(settings);
        });
        load_failure(options(&[("model", folder.path())]))
    };
    for (layers, problem) in [
        (json!([0, 1]), "they must be in order and from 1 to 2"),
        (json!([3]), "they must be in order and from 1 to 2"),
        (json!([2, 1]), "they must be in order and from 1 to 2"),
    ] {
        let folder = package(|settings| settings["heads_mean_layers"] = layers.clone());
        let reason = load_failure(options(&[("model", folder.path())]));
        assert!(reason.contains(problem), "{layers}: {reason}");
    }
    let reason = refusal(|settings| {
        settings["heads_mean_layers"] = json!([2]);
        settings["heads"].as_array_mut().unwrap().retain(|head| head["name"] != "domain");
    });
    assert!(reason.contains("it needs a head that reads \"mean\""), "{reason}");
    // The head still has the width of one mean.
    let reason = refusal(|settings| settings["heads_mean_layers"] = json!([2]));
    assert!(reason.contains("domain.weight") && reason.contains("[4, 128]"), "{reason}");
}
