//! SigLIP's vector of an image: what one learned query finds in all its patches.

use super::layers::{Attended, Tower};
use crate::error::Error;
use crate::graph::builder::Value;

const HEAD: &str = "vision_model.head";

/// From `[batch, patches, hidden]` to `[batch, hidden]`.
pub fn attention_pooling(tower: &mut Tower, patches: &str) -> Result<String, Error> {
    let hidden = tower.sizes.hidden_size;
    let stored = format!("{HEAD}.attention.in_proj_weight");
    let mut parts = [const { String::new() }; 3];
    // The query is the same for every image, so it is computed once, at load.
    let probe = tower.builder.weight(&format!("{HEAD}.probe"), &[1, 1, hidden])?;
    for (at, (part, input)) in parts.iter_mut().zip([probe.as_str(), patches, patches]).enumerate() {
        let weight = tower.builder.weight_rows(&stored, &[3 * hidden, hidden], at * hidden..(at + 1) * hidden)?;
        *part = tower.builder.matmul(input, &weight);
    }
    let [query, key, value] = &parts;
    let query = &tower.builder.for_every_row(query, patches, &[1, hidden]);
    let bias = &tower.builder.weight(&format!("{HEAD}.attention.in_proj_bias"), &[3 * hidden])?;
    let attended = tower.attend(&Attended { query, key, value, bias });
    let found = tower.linear(&attended, &format!("{HEAD}.attention.out_proj"), [hidden, hidden])?;
    let normed = tower.norm(&format!("{HEAD}.layernorm"), &found)?;
    let narrowed = tower.feed_forward(&format!("{HEAD}.mlp"), &normed)?;
    let bias = tower.builder.weight(&format!("{HEAD}.mlp.fc2.bias"), &[hidden])?;
    let narrowed = tower.builder.node("", "Add", &[&narrowed, &bias], &[]);
    let sum = tower.builder.node("", "Add", &[&found, &narrowed], &[]);
    let first = tower.builder.integers(&[1]);
    Ok(tower.builder.node("", "Squeeze", &[&sum, &first], &[] as &[(&str, Value)]))
}
