//! A package of the sizes of a small BERT that reads 8,192 tokens at once: random weights, since only the work counts.

use std::collections::BTreeMap;
use std::path::Path;

use safetensors::tensor::{Dtype, TensorView};
use serde_json::json;

const WIDTH: usize = 384;
const WIDE: usize = 1536;
const LAYERS: usize = 6;
const WORDS: usize = 30_522;
const POSITIONS: usize = 8192;

/// Writes the package into a folder; `tokenizer` is the tokenizer of any package with BERT's words.
pub fn write(folder: &Path, tokenizer: &Path) {
    let config = json!({
        "architectures": ["BertModel"], "model_type": "bert", "hidden_act": "gelu", "layer_norm_eps": 1e-12,
        "hidden_size": WIDTH, "intermediate_size": WIDE, "num_hidden_layers": LAYERS, "num_attention_heads": 12,
        "vocab_size": WORDS, "max_position_embeddings": POSITIONS, "type_vocab_size": 2, "pad_token_id": 0,
    });
    std::fs::write(folder.join("config.json"), config.to_string()).unwrap();
    std::fs::copy(tokenizer, folder.join("tokenizer.json")).unwrap();
    let tensors = shapes().into_iter().zip(1..).map(|((name, shape), seed)| {
        let numbers = if name.ends_with("LayerNorm.weight") {
            vec![1.0; shape.iter().product()]
        } else {
            numbers(shape.iter().product(), seed)
        };
        (name, (shape, numbers.into_iter().flat_map(f32::to_le_bytes).collect::<Vec<u8>>()))
    });
    let tensors: BTreeMap<String, (Vec<usize>, Vec<u8>)> = tensors.collect();
    let views =
        tensors.iter().map(|(name, (shape, bytes))| (name, TensorView::new(Dtype::F32, shape.clone(), bytes).unwrap()));
    std::fs::write(folder.join("model.safetensors"), safetensors::serialize(views, None).unwrap()).unwrap();
}

fn shapes() -> Vec<(String, Vec<usize>)> {
    let mut shapes = vec![
        ("embeddings.word_embeddings.weight".to_owned(), vec![WORDS, WIDTH]),
        ("embeddings.position_embeddings.weight".to_owned(), vec![POSITIONS, WIDTH]),
        ("embeddings.token_type_embeddings.weight".to_owned(), vec![2, WIDTH]),
    ];
    let mut pair = |name: String, shape: Vec<usize>| {
        shapes.push((format!("{name}.bias"), vec![shape[0]]));
        shapes.push((format!("{name}.weight"), shape));
    };
    pair("embeddings.LayerNorm".to_owned(), vec![WIDTH]);
    for layer in 0..LAYERS {
        let at = |part: &str| format!("encoder.layer.{layer}.{part}");
        for part in ["self.query", "self.key", "self.value", "output.dense"] {
            pair(at(&format!("attention.{part}")), vec![WIDTH, WIDTH]);
        }
        pair(at("intermediate.dense"), vec![WIDE, WIDTH]);
        pair(at("output.dense"), vec![WIDTH, WIDE]);
        pair(at("attention.output.LayerNorm"), vec![WIDTH]);
        pair(at("output.LayerNorm"), vec![WIDTH]);
    }
    shapes
}

/// Numbers between -0.05 and 0.05, the same for the same seed.
fn numbers(count: usize, seed: u64) -> Vec<f32> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((state >> 40) as f32 / (1_u64 << 24) as f32 - 0.5) * 0.1
    };
    (0..count).map(|_| next()).collect()
}
