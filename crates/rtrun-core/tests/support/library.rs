//! Where the tests find the inference library.

use std::path::PathBuf;

use super::place::core_folder;

/// The library of the npm package in a `node_modules` above this crate, else what `ORT_DYLIB_PATH` names.
pub fn runtime_library() -> PathBuf {
    let architecture = if cfg!(target_arch = "aarch64") { "arm64" } else { "x64" };
    let inside = format!("node_modules/onnxruntime-node/bin/napi-v6/linux/{architecture}/libonnxruntime.so.1");
    let core = core_folder();
    let above = core.ancestors().map(|folder| folder.join(&inside));
    let named = std::env::var_os("ORT_DYLIB_PATH").map(PathBuf::from);
    above.chain(named).find(|path| path.is_file()).unwrap_or_else(|| {
        panic!("no inference library: run `npm ci` in the repository, or set ORT_DYLIB_PATH to a libonnxruntime")
    })
}
