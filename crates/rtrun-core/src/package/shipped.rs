//! An ONNX graph that a repository ships instead of `model.safetensors`.

use std::path::PathBuf;

use super::encoders::{EncoderConfig, EncoderKind};
use super::files::PackageFiles;
use super::hub::HubConfig;
use crate::error::Error;

/// Where repositories keep their graph; the first that is there is taken.
const GRAPH_FILES: &[&str] = &["onnx/model.onnx", "model.onnx"];

/// A shipped graph and what `config.json` says about its encoder. The arithmetic is the graph's own, so any encoder will do.
#[derive(Debug, Clone)]
pub struct ShippedGraph {
    /// Name of the file inside the package.
    pub file: String,
    /// The real path of the file.
    pub path: PathBuf,
    /// Width of a token vector.
    pub hidden_size: usize,
    /// Rows of the word table.
    pub vocabulary: usize,
    /// The longest input in tokens, special tokens included.
    pub positions: usize,
}

impl ShippedGraph {
    /// The name and the path of the graph, `None` if the package ships none.
    pub fn find(files: &PackageFiles) -> Result<Option<(String, PathBuf)>, Error> {
        for file in GRAPH_FILES {
            if let Some(path) = files.find(file)? {
                return Ok(Some(((*file).to_owned(), path)));
            }
        }
        Ok(None)
    }

    /// Reads the sizes from `config.json`.
    pub fn open(files: &PackageFiles, config: &HubConfig, (file, path): (String, PathBuf)) -> Result<Self, Error> {
        let size = |names: &[&str]| {
            let missing = || files.invalid("config.json", format_args!("has no {}", names.join(" or ")));
            config.size(names).filter(|size| *size > 0).ok_or_else(missing)
        };
        // Some encoders number their positions from behind padding's own, so their table is longer than their input.
        let known = config.model_type.as_deref().and_then(EncoderKind::of_model_type);
        let positions = match known.map(|kind| config.encoder(files, kind)).transpose().ok().flatten() {
            Some(encoder) => EncoderConfig::positions(&encoder),
            None => size(&["max_position_embeddings", "n_positions", "max_sequence_length"])?,
        };
        let hidden_size = size(&["hidden_size", "dim", "d_model", "n_embd"])?;
        Ok(Self { file, path, hidden_size, vocabulary: size(&["vocab_size"])?, positions })
    }
}
