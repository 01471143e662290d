//! What this machine could compute on.

use std::path::Path;

use crate::engines::onnxruntime::Runtime;

/// One device, usable or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Device {
    /// The name for the option `device`.
    pub id: &'static str,
    /// `cpu` or `gpu`.
    pub kind: &'static str,
    /// The maker's name for it.
    pub name: Option<String>,
    /// Whether models can be placed on it.
    pub available: bool,
    /// Why not, or what to know.
    pub reason: Option<String>,
    /// Processors that may be used.
    pub cores: Option<usize>,
    /// Vector instruction sets that matter to inference.
    pub instruction_sets: Vec<&'static str>,
}

/// The devices of this machine. The CPU is always there; without the inference library it runs static models only.
pub fn devices(runtime_library: &Path) -> Vec<Device> {
    let reason = Runtime::load(runtime_library).err().map(|error| format!("only static models run: {error}"));
    let cpu = Device {
        id: "cpu",
        kind: "cpu",
        name: cpu_name(),
        available: true,
        reason,
        cores: std::thread::available_parallelism().ok().map(std::num::NonZero::get),
        instruction_sets: instruction_sets(),
    };
    let not_yet = |id| Device {
        id,
        kind: "gpu",
        name: None,
        available: false,
        reason: Some("not supported yet".to_owned()),
        cores: None,
        instruction_sets: Vec::new(),
    };
    vec![cpu, not_yet("cuda"), not_yet("rocm"), not_yet("metal")]
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
