//! CLIP and SigLIP: what `config.json` says about an encoder for texts and one for images whose vectors lie in one space.

mod padding;
mod preprocessing;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::encoders::{Activation, check_sizes};

pub use padding::RowPadding;
pub(super) use padding::padding_id;
pub(super) use preprocessing::read_preprocessing;

/// The two models.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TowersKind {
    /// `CLIPModel`: texts from left to right, images by a class token, linear layers into the common space.
    Clip,
    /// `SiglipModel`: padded texts, images by attention pooling.
    Siglip,
}

/// Both towers.
#[derive(Debug, Clone)]
pub struct TowersConfig {
    /// Which model it is.
    pub kind: TowersKind,
    /// Of texts.
    pub text: TextTower,
    /// Of images.
    pub vision: VisionTower,
    /// Width of the common space.
    dimension: usize,
}

/// Sizes of the layers of a tower.
#[derive(Debug, Clone, Deserialize)]
pub struct TowerSizes {
    /// Width of a token vector.
    pub hidden_size: usize,
    /// Width between the two feed-forward layers.
    pub intermediate_size: usize,
    /// Number of layers.
    pub num_hidden_layers: usize,
    /// Attention heads of a layer.
    pub num_attention_heads: usize,
    /// The function between the two feed-forward layers.
    pub hidden_act: Activation,
    /// Added to the variance in every layer normalization.
    pub layer_norm_eps: f32,
}

/// The tower of texts.
#[derive(Debug, Clone, Deserialize)]
pub struct TextTower {
    /// Its layers.
    #[serde(flatten)]
    pub sizes: TowerSizes,
    /// Rows of the word table.
    pub vocab_size: usize,
    /// Rows of the position table: the longest input.
    pub max_position_embeddings: usize,
    /// The token whose vector counts, `None` where it is the one with the largest id. CLIP only.
    #[serde(skip)]
    pub end_of_text: Option<i32>,
    /// The id that the configuration names for padding.
    pub pad_token_id: Option<u32>,
}

/// The tower of images.
#[derive(Debug, Clone, Deserialize)]
pub struct VisionTower {
    /// Its layers.
    #[serde(flatten)]
    pub sizes: TowerSizes,
    /// Pixels of a side of an image.
    #[serde(deserialize_with = "side")]
    pub image_size: usize,
    /// Pixels of a side of a patch.
    #[serde(deserialize_with = "side")]
    pub patch_size: usize,
}

/// `model_type` and the one class that is supported of it.
const KINDS: &[(&str, &str, TowersKind)] =
    &[("clip", "CLIPModel", TowersKind::Clip), ("siglip", "SiglipModel", TowersKind::Siglip)];

impl TowersKind {
    /// The model of a repository, `None` if it is neither. A class that is not supported is an error.
    pub fn of(model_type: Option<&str>, classes: &[String]) -> Result<Option<Self>, String> {
        let Some((_, class, kind)) = KINDS.iter().find(|(name, ..)| Some(*name) == model_type) else {
            return Ok(None);
        };
        if classes.is_empty() || classes.iter().any(|name| name == class) {
            return Ok(Some(*kind));
        }
        Err(format!("architectures {classes:?} is not supported yet; of this model_type {class} is"))
    }

    /// What the classes assume of a tower unless the file says otherwise; hub files leave out what is usual.
    fn defaults(self) -> (Value, Value) {
        let layers = |hidden: usize, heads: usize, activation: &str, epsilon: f32| {
            json!({
                "hidden_size": hidden, "intermediate_size": 4 * hidden, "num_hidden_layers": 12,
                "num_attention_heads": heads, "hidden_act": activation, "layer_norm_eps": epsilon,
                "image_size": 224, "pad_token_id": 1,
            })
        };
        let (mut text, mut vision) = match self {
            Self::Clip => (layers(512, 8, "quick_gelu", 1e-5), layers(768, 12, "quick_gelu", 1e-5)),
            Self::Siglip => (layers(768, 12, "gelu_pytorch_tanh", 1e-6), layers(768, 12, "gelu_pytorch_tanh", 1e-6)),
        };
        let (vocabulary, positions, patch) = match self {
            Self::Clip => (49_408, 77, 32),
            Self::Siglip => (32_000, 64, 16),
        };
        text["vocab_size"] = vocabulary.into();
        text["max_position_embeddings"] = positions.into();
        text["eos_token_id"] = 49_407.into();
        vision["patch_size"] = patch.into();
        (text, vision)
    }
}

impl TowersConfig {
    /// Reads and checks the configuration. The error says which value is wrong and what would be right.
    pub fn read(kind: TowersKind, config: &Map<String, Value>) -> Result<Self, String> {
        let (text, vision) = kind.defaults();
        let (text, vision) = (merged(config, "text_config", text)?, merged(config, "vision_config", vision)?);
        let end = text.get("eos_token_id").and_then(Value::as_i64).and_then(|id| i32::try_from(id).ok());
        let channels = vision.get("num_channels").and_then(Value::as_u64);
        let has_head = vision.get("vision_use_head").and_then(Value::as_bool);
        let projected = text.get("projection_size").and_then(Value::as_u64);
        let mut text: TextTower = part("text_config", text)?;
        let vision: VisionTower = part("vision_config", vision)?;
        let dimension = match kind {
            TowersKind::Clip => config.get("projection_dim").and_then(Value::as_u64).unwrap_or(512),
            TowersKind::Siglip => projected.unwrap_or(text.sizes.hidden_size as u64),
        };
        let dimension =
            usize::try_from(dimension).map_err(|_| format!("the common space has {dimension} dimensions"))?;
        match (channels, has_head) {
            (Some(channels), _) if channels != 3 => {
                return Err(format!("vision_config.num_channels is {channels}; 3 are supported"));
            }
            (_, Some(false)) => return Err("vision_config.vision_use_head is false; it must be true".to_owned()),
            _ => {}
        }
        if kind == TowersKind::Siglip && dimension != vision.sizes.hidden_size {
            let hidden = vision.sizes.hidden_size;
            return Err(format!("texts have {dimension} dimensions and images {hidden}; they must be equal"));
        }
        // The id 2 is a mistake of early files.
        text.end_of_text = end.filter(|id| *id != 2);
        let checked = Self { kind, text, vision, dimension };
        checked.check()?;
        Ok(checked)
    }

    /// Width of the common space.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// Tokens that a forward computes for an image: its patches and CLIP's class token.
    pub fn image_tokens(&self) -> usize {
        let edge = self.vision.image_size / self.vision.patch_size;
        edge * edge + usize::from(self.kind == TowersKind::Clip)
    }

    fn check(&self) -> Result<(), String> {
        let Self { text, vision, .. } = self;
        check_layers("text_config", &text.sizes)?;
        check_layers("vision_config", &vision.sizes)?;
        for (name, size) in [
            ("text_config.vocab_size", text.vocab_size),
            ("text_config.max_position_embeddings", text.max_position_embeddings),
            ("vision_config.patch_size", vision.patch_size),
            ("the width of the common space", self.dimension),
        ] {
            if size == 0 {
                return Err(format!("{name} is 0; it must be at least 1"));
            }
        }
        if vision.image_size < vision.patch_size {
            let (image, patch) = (vision.image_size, vision.patch_size);
            return Err(format!("vision_config.image_size {image} is below patch_size {patch}"));
        }
        Ok(())
    }
}

fn check_layers(place: &str, sizes: &TowerSizes) -> Result<(), String> {
    let others = [("intermediate_size", sizes.intermediate_size), ("num_hidden_layers", sizes.num_hidden_layers)];
    let heads = ("num_attention_heads", sizes.num_attention_heads);
    check_sizes(("hidden_size", sizes.hidden_size), heads, &others).map_err(|problem| format!("{place}.{problem}"))
}

/// A tower's settings over its defaults. Files from before both names were one hold the settings under `…_dict`.
fn merged(config: &Map<String, Value>, name: &str, defaults: Value) -> Result<Map<String, Value>, String> {
    let given = [format!("{name}_dict"), name.to_owned()];
    let given = given.iter().find_map(|name| config.get(name).filter(|value| !value.is_null()));
    let Value::Object(mut merged) = defaults else { return Ok(Map::new()) };
    match given {
        Some(Value::Object(given)) => {
            merged.extend(
                given.iter().filter(|(_, value)| !value.is_null()).map(|(key, value)| (key.clone(), value.clone())),
            );
            Ok(merged)
        }
        Some(_) => Err(format!("{name} must be an object")),
        None => Ok(merged),
    }
}

fn part<T: serde::de::DeserializeOwned>(name: &str, values: Map<String, Value>) -> Result<T, String> {
    serde_json::from_value(Value::Object(values)).map_err(|error| format!("{name}: {error}"))
}

/// One number, or two equal ones.
fn side<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<usize, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Side {
        One(usize),
        Two([usize; 2]),
    }
    match Side::deserialize(deserializer)? {
        Side::One(side) => Ok(side),
        Side::Two([height, width]) if height == width => Ok(height),
        Side::Two([height, width]) => Err(serde::de::Error::custom(format!(
            "sides of {height} and {width} pixels are not supported; use equal ones"
        ))),
    }
}
