//! Packages of texts and images: what is taken, and what is refused by name.

use std::fs;
use std::path::Path;

use rtrun_core::package::{Architecture, Package, TowersConfig, TowersKind};
use serde_json::{Value, json};

use crate::support::{copy, fixture, load_failure, options};

fn refusal(name: &str, damage: impl FnOnce(&Path)) -> String {
    let folder = copy(name);
    damage(folder.path());
    load_failure(options(&[("damaged", folder.path())]))
}

fn edited(name: &str, file: &str, change: impl FnOnce(&mut Value)) -> String {
    refusal(name, |folder| {
        let mut json: Value = serde_json::from_slice(&fs::read(folder.join(file)).unwrap()).unwrap();
        change(&mut json);
        fs::write(folder.join(file), json.to_string()).unwrap();
    })
}

#[test]
fn sparse_settings_get_what_the_classes_assume() {
    let read = |kind, json: Value| TowersConfig::read(kind, json.as_object().unwrap()).unwrap();
    let clip = read(TowersKind::Clip, json!({ "text_config": {}, "vision_config": null }));
    assert_eq!((clip.dimension(), clip.image_tokens(), clip.text.vocab_size), (512, 50, 49_408));
    assert_eq!((clip.text.sizes.hidden_size, clip.vision.sizes.intermediate_size), (512, 3072));
    assert_eq!(clip.text.end_of_text, Some(49_407));
    let older = json!({
        "projection_dim": 768,
        "text_config": { "hidden_size": 64, "eos_token_id": 2 },
        "text_config_dict": { "hidden_size": 768, "num_attention_heads": 12, "eos_token_id": 2 },
        "vision_config": { "image_size": [336, 336], "patch_size": 14 },
    });
    let older = read(TowersKind::Clip, older);
    assert_eq!((older.text.sizes.hidden_size, older.image_tokens(), older.text.end_of_text), (768, 577, None));
    let siglip = json!({
        "text_config": { "model_type": "siglip_text_model" },
        "vision_config": { "image_size": 384, "patch_size": 14 },
    });
    let siglip = read(TowersKind::Siglip, siglip);
    assert_eq!((siglip.dimension(), siglip.image_tokens()), (768, 27 * 27));
    assert_eq!((siglip.text.max_position_embeddings, siglip.text.vocab_size), (64, 32_000));
}

#[test]
fn padding_is_what_the_tokenizer_names() {
    let package = Package::open("siglip", &fixture("towers/siglip"), None).unwrap();
    let Architecture::Towers(towers) = &package.architecture else { panic!() };
    let padding = towers.padding.unwrap();
    assert_eq!((padding.tokens, padding.id, towers.config.text.pad_token_id), (24, 0, Some(1)));
    assert_eq!(padding.pad(&[7, 8])[..4], [7, 8, 0, 0]);
}

#[test]
fn what_no_graph_here_computes() {
    let config = |name: &str, change: fn(&mut Value)| edited(name, "config.json", change);
    for (reason, part) in [
        (config("towers/clip", |json| json["architectures"] = json!(["CLIPForImageClassification"])), "CLIPModel is"),
        (config("towers/clip", |json| json["vision_config"]["num_channels"] = json!(1)), "num_channels is 1"),
        (config("towers/clip", |json| json["vision_config"]["patch_size"] = json!([8, 4])), "use equal ones"),
        (config("towers/clip", |json| json["vision_config"]["patch_size"] = json!(64)), "is below patch_size 64"),
        (config("towers/clip", |json| json["text_config"]["hidden_act"] = json!("mish")), "activation \"mish\""),
        (
            config("towers/clip", |json| json["text_config"]["num_attention_heads"] = json!(5)),
            "text_config.hidden_size",
        ),
        (config("towers/clip", |json| json["projection_dim"] = json!(25)), "projection.weight"),
        (config("towers/siglip", |json| json["vision_config"]["vision_use_head"] = json!(false)), "must be true"),
        (config("towers/siglip", |json| json["text_config"]["projection_size"] = json!(16)), "they must be equal"),
        (config("towers/siglip", |json| json["text_config"]["vocab_size"] = json!(90)), "config.json says 90"),
    ] {
        assert!(reason.contains(part), "{reason:?} does not say {part:?}");
    }
}

#[test]
fn images_that_would_not_become_what_the_model_reads() {
    let settings = |change: fn(&mut Value)| edited("towers/clip", "preprocessor_config.json", change);
    for (reason, part) in [
        (settings(|json| json["crop_size"] = json!(224)), "images become 224 by 224 pixels; config.json says 32 by 32"),
        (settings(|json| json["do_center_crop"] = json!(false)), "images must get one size"),
        (
            settings(|json| json["size"] = json!({ "shortest_edge": 32, "longest_edge": 64 })),
            "preprocessor_config.json",
        ),
        (settings(|json| json["size"] = json!(0)), "size is 0"),
        (settings(|json| json["resample"] = json!(0)), "resample 0 is not supported yet; 1, 2 and 3 are"),
        (settings(|json| json["do_resize"] = json!(false)), "do_resize is false"),
        (settings(|json| json["do_pad"] = json!(true)), "do_pad is true"),
        (settings(|json| json["image_std"] = json!([0.5, 0.0, 0.5])), "image_std must hold numbers above 0"),
    ] {
        assert!(reason.contains(part), "{reason:?} does not say {part:?}");
    }
    let gone = refusal("towers/clip", |folder| fs::remove_file(folder.join("preprocessor_config.json")).unwrap());
    assert!(gone.contains("preprocessor_config.json") && gone.contains("is missing"), "{gone}");
}

#[test]
fn other_families_and_heads() {
    let write =
        |settings: Value| move |folder: &Path| fs::write(folder.join("rtrun.json"), settings.to_string()).unwrap();
    let reason = refusal("towers/clip", write(json!({ "schema": 1, "family": "embeddings" })));
    assert!(reason.contains("the family must be \"image_embeddings\""), "{reason}");
    let reason = refusal("embeddings", |folder| {
        fs::remove_file(folder.join("manifest.json")).unwrap();
        write(json!({ "schema": 1, "family": "image_embeddings" }))(folder);
    });
    assert!(reason.contains("needs a CLIPModel or a SiglipModel"), "{reason}");
    let reason = refusal("towers/clip", write(json!({ "schema": 1, "pooling": "mean" })));
    assert!(reason.contains("pooling must be \"last\""), "{reason}");
    let head = json!({ "name": "a", "kind": "sequence", "labels": ["b"], "file": "heads.safetensors", "weight": "w" });
    let reason = refusal("towers/clip", write(json!({ "schema": 1, "heads": [head] })));
    assert!(reason.contains("heads need the family"), "{reason}");
}

#[test]
fn a_model_that_differs_from_its_recorded_image() {
    let reason = edited("towers/siglip", "golden.json", |json| json["images"][1]["vector"][0] = json!(0.9));
    assert!(reason.contains("a probe of images is off by"), "{reason}");
    let reason = edited("towers/siglip", "golden.json", |json| json["images"][0]["image"] = json!("https://a/b.png"));
    assert!(reason.contains("is a remote address"), "{reason}");
}
