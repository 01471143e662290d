//! What to do about a file that a package should have.

use super::files::PackageFiles;
use crate::error::Error;

/// Why a folder without `tokenizer.json` cannot be used.
pub fn no_tokenizer(files: &PackageFiles, file: &str) -> Error {
    let advice =
        "load the tokenizer with Transformers' AutoTokenizer and save it into the folder, which writes the file";
    files.invalid(file, format_args!("is missing; {advice}"))
}

/// Why a folder without weights in a form that is read cannot be used.
pub fn no_weights(files: &PackageFiles) -> Result<Error, Error> {
    let advice = "load the model with Transformers and save it with save_pretrained, which writes model.safetensors";
    if files.find("model.safetensors.index.json")?.is_some() {
        let problem = "the weights are split into several files, which is not supported yet";
        let advice = "save the model again with a max_shard_size above its size";
        return Ok(files.invalid("model.safetensors.index.json", format_args!("{problem}; {advice}")));
    }
    if files.find("pytorch_model.bin")?.is_some() {
        let problem = "is missing, and pytorch_model.bin is never read because such a file can hold code";
        return Ok(files.invalid("model.safetensors", format_args!("{problem}; {advice}")));
    }
    Ok(files.invalid("model.safetensors", format_args!("is missing, and there is no onnx/model.onnx either; {advice}")))
}
