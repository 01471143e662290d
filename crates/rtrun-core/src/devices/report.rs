//! What this machine could compute on.

use std::path::Path;

use serde::Serialize;

use super::cuda;
use crate::engines::onnxruntime::Runtime;

/// One device, usable or not. Hosts see it in camel case.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DeviceReport {
    /// The name for the option `device`.
    pub id: String,
    /// `cpu` or `gpu`.
    pub kind: &'static str,
    /// The maker's name for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Whether models can be placed on it.
    pub available: bool,
    /// Why not, or what to know.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Processors that may be used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cores: Option<usize>,
    /// Vector instruction sets that matter to inference.
    pub instruction_sets: Vec<&'static str>,
}

/// The devices of this machine. The CPU is always there; without the inference library it runs static models only. A GPU
/// that the driver lists is an entry of its own, available if nothing that it needs is known to be missing.
pub fn devices(runtime_library: &Path) -> Vec<DeviceReport> {
    let runtime = Runtime::load(runtime_library);
    let library = runtime.as_ref().map_or(runtime_library, Runtime::library);
    let gpus = cuda::gpu_names();
    let numbered = gpus.into_iter().enumerate().map(|(number, name)| (format!("cuda:{number}"), Some(name)));
    let mut listed: Vec<(String, Option<String>)> = numbered.collect();
    if listed.is_empty() {
        listed.push(("cuda".to_owned(), None));
    }
    let of_cuda = |(id, name): (String, Option<String>)| {
        let reason = cuda::problem(library);
        DeviceReport { name, available: reason.is_none(), ..gpu(&id, reason) }
    };
    let not_yet = |id| gpu(id, Some("not supported yet".to_owned()));
    let cpu = DeviceReport {
        id: "cpu".to_owned(),
        kind: "cpu",
        name: cpu_name(),
        available: true,
        reason: runtime.as_ref().err().map(|error| format!("only static models run: {error}")),
        cores: std::thread::available_parallelism().ok().map(std::num::NonZero::get),
        instruction_sets: instruction_sets(),
    };
    std::iter::once(cpu).chain(listed.into_iter().map(of_cuda)).chain(["rocm", "xpu", "mps"].map(not_yet)).collect()
}

fn gpu(id: &str, reason: Option<String>) -> DeviceReport {
    let (id, available) = (id.to_owned(), false);
    DeviceReport { id, kind: "gpu", name: None, available, reason, cores: None, instruction_sets: Vec::new() }
}

fn cpu_name() -> Option<String> {
    let info = std::fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = info.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

#[cfg(target_arch = "x86_64")]
fn instruction_sets() -> Vec<&'static str> {
    let sets = [
        ("avx2", std::arch::is_x86_feature_detected!("avx2")),
        ("fma", std::arch::is_x86_feature_detected!("fma")),
        ("avx512f", std::arch::is_x86_feature_detected!("avx512f")),
        ("avx512vnni", std::arch::is_x86_feature_detected!("avx512vnni")),
        ("avx512bf16", std::arch::is_x86_feature_detected!("avx512bf16")),
        ("amx", crate::matmul::has_tiles()),
    ];
    sets.into_iter().filter_map(|(name, is_there)| is_there.then_some(name)).collect()
}

#[cfg(target_arch = "aarch64")]
fn instruction_sets() -> Vec<&'static str> {
    let sets = [
        ("neon", std::arch::is_aarch64_feature_detected!("neon")),
        ("dotprod", std::arch::is_aarch64_feature_detected!("dotprod")),
        ("i8mm", std::arch::is_aarch64_feature_detected!("i8mm")),
        ("bf16", std::arch::is_aarch64_feature_detected!("bf16")),
    ];
    sets.into_iter().filter_map(|(name, is_there)| is_there.then_some(name)).collect()
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn instruction_sets() -> Vec<&'static str> {
    Vec::new()
}
