//! What CUDA needs besides a GPU: two files beside the inference library, and the driver.

use std::fs;
use std::path::Path;

/// The parts of the library that compute on a GPU. The library looks for them in its own folder only.
#[cfg(not(target_os = "windows"))]
const PROVIDER_FILES: [&str; 2] = ["libonnxruntime_providers_shared.so", "libonnxruntime_providers_cuda.so"];
#[cfg(target_os = "windows")]
const PROVIDER_FILES: [&str; 2] = ["onnxruntime_providers_shared.dll", "onnxruntime_providers_cuda.dll"];

/// The package that has the files.
const PACKAGE: &str = "the Python package onnxruntime-gpu has it beside its own libonnxruntime (docs/devices.md)";

/// Which file of the provider is missing beside the library and what brings it; `None` if all are there.
pub fn missing_provider(library: &Path) -> Option<String> {
    let folder = library.parent().unwrap_or(Path::new("/"));
    let file = PROVIDER_FILES.into_iter().find(|file| !folder.join(file).is_file())?;
    Some(format!("{file} is not in {}; {PACKAGE}", folder.display()))
}

/// Whether a driver for NVIDIA's GPUs is loaded, under Linux itself or under Windows around it.
pub fn has_driver() -> bool {
    Path::new("/proc/driver/nvidia/version").exists() || Path::new("/dev/dxg").exists()
}

/// The maker's names of the GPUs, as the driver lists them.
pub fn gpu_names() -> Vec<String> {
    let Ok(folders) = fs::read_dir("/proc/driver/nvidia/gpus") else { return Vec::new() };
    let mut paths: Vec<_> = folders.flatten().map(|entry| entry.path().join("information")).collect();
    // In the order of their addresses on the bus, as the numbers of devices are by default on machines with equal ones.
    paths.sort();
    let name = |text: String| Some(text.lines().find_map(|line| line.strip_prefix("Model:"))?.trim().to_owned());
    paths.iter().filter_map(|path| fs::read_to_string(path).ok().and_then(name)).collect()
}

/// Why no model can be placed on a GPU; `None` if one can be tried.
pub fn problem(library: &Path) -> Option<String> {
    if !has_driver() {
        return Some("no NVIDIA driver is loaded (there is no /proc/driver/nvidia)".to_owned());
    }
    missing_provider(library)
}
