//! The layers of both towers: normalization in front of attention and of the feed-forward part, sums behind them.

use crate::error::Error;
use crate::graph::builder::{CONTRIB, GraphBuilder, Value};
use crate::package::TowerSizes;

/// A tower under construction.
pub struct Tower<'b, 'w> {
    pub builder: &'b mut GraphBuilder<'w>,
    pub sizes: &'b TowerSizes,
    /// Whether a token sees only those in front of it.
    pub is_causal: bool,
}

/// Query, key and value of one attention, without their biases, and the three biases one behind the other.
pub struct Attended<'n> {
    pub query: &'n str,
    pub key: &'n str,
    pub value: &'n str,
    pub bias: &'n str,
}

impl Tower<'_, '_> {
    /// All layers and the normalization `last` behind them. `module` is what layers are counted under.
    pub fn layers(&mut self, module: &str, input: &str, last: &str) -> Result<String, Error> {
        let mut sum = input.to_owned();
        let mut normed = self.norm(&format!("{module}.0.layer_norm1"), input)?;
        let count = self.sizes.num_hidden_layers;
        for layer in 0..count {
            let at = |part: &str| format!("{module}.{layer}.{part}");
            let attended = self.self_attention(&at("self_attn"), &normed)?;
            (normed, sum) = self.add_and_norm(&at("layer_norm2"), (&attended, &sum), &at("self_attn.out_proj"))?;
            let narrowed = self.feed_forward(&at("mlp"), &normed)?;
            let next = if layer + 1 == count { last.to_owned() } else { format!("{module}.{}.layer_norm1", layer + 1) };
            (normed, sum) = self.add_and_norm(&next, (&narrowed, &sum), &at("mlp.fc2"))?;
        }
        Ok(normed)
    }

    /// One layer normalization.
    pub fn norm(&mut self, module: &str, input: &str) -> Result<String, Error> {
        let (gamma, beta) = self.builder.norm(module, self.sizes.hidden_size)?;
        let attributes = [("axis", Value::Int(-1)), ("epsilon", Value::Float(self.sizes.layer_norm_eps))];
        Ok(self.builder.node("", "LayerNormalization", &[input, &gamma, &beta], &attributes))
    }

    /// Attention of all heads over whatever is given, without the linear layer behind it.
    pub fn attend(&mut self, attended: &Attended) -> String {
        let Attended { query, key, value, bias } = *attended;
        let attributes = [
            ("num_heads", Value::Int(self.sizes.num_attention_heads.try_into().unwrap_or(i64::MAX))),
            ("unidirectional", Value::Int(i64::from(self.is_causal))),
        ];
        self.builder.node(CONTRIB, "MultiHeadAttention", &[query, key, value, bias], &attributes)
    }

    /// The feed-forward part without the bias of its second matmul.
    pub fn feed_forward(&mut self, module: &str, input: &str) -> Result<String, Error> {
        let (hidden, wide) = (self.sizes.hidden_size, self.sizes.intermediate_size);
        let widened = self.builder.linear(input, &format!("{module}.fc1"), [wide, hidden])?;
        let bias = self.builder.weight(&format!("{module}.fc1.bias"), &[wide])?;
        let widened = self.builder.activate(&widened, &bias, self.sizes.hidden_act);
        self.builder.linear(&widened, &format!("{module}.fc2"), [hidden, wide])
    }

    /// A linear layer with its bias.
    pub fn linear(&mut self, input: &str, module: &str, shape: [usize; 2]) -> Result<String, Error> {
        let matmul = self.builder.linear(input, module, shape)?;
        let bias = self.builder.weight(&format!("{module}.bias"), &[shape[0]])?;
        Ok(self.builder.node("", "Add", &[&matmul, &bias], &[]))
    }

    fn self_attention(&mut self, module: &str, input: &str) -> Result<String, Error> {
        let hidden = self.sizes.hidden_size;
        let mut matmuls = [const { String::new() }; 3];
        let mut biases = [const { String::new() }; 3];
        for (at, part) in ["q_proj", "k_proj", "v_proj"].into_iter().enumerate() {
            matmuls[at] = self.builder.linear(input, &format!("{module}.{part}"), [hidden, hidden])?;
            biases[at] = self.builder.weight(&format!("{module}.{part}.bias"), &[hidden])?;
        }
        let axis = [("axis", Value::Int(0))];
        let bias = &self.builder.node("", "Concat", &[&biases[0], &biases[1], &biases[2]], &axis);
        let [query, key, value] = &matmuls;
        let attended = self.attend(&Attended { query, key, value, bias });
        self.builder.linear(&attended, &format!("{module}.out_proj"), [hidden, hidden])
    }

    /// The normalized sum of a matmul, the bias that it still needs, and what runs past it; and the sum itself.
    fn add_and_norm(
        &mut self,
        module: &str,
        (matmul, past): (&str, &str),
        biased: &str,
    ) -> Result<(String, String), Error> {
        let hidden = self.sizes.hidden_size;
        let (gamma, beta) = self.builder.norm(module, hidden)?;
        let bias = self.builder.weight(&format!("{biased}.bias"), &[hidden])?;
        let (normed, sum) = (format!("{biased}.normed"), format!("{biased}.sum"));
        let epsilon = [("epsilon", Value::Float(self.sizes.layer_norm_eps))];
        let inputs = [matmul, past, &gamma, &beta, &bias];
        self.builder.named_node(CONTRIB, "SkipLayerNormalization", &inputs, &epsilon, &[&normed, "", "", &sum]);
        Ok((normed, sum))
    }
}
