//! Devices up to the point where only a GPU could answer.

use std::fs;
use std::path::Path;

use rtrun_core::devices::{Device, DeviceChoice, cuda};
use rtrun_core::engines::onnxruntime::Runtime;
use rtrun_core::{Engine, EngineOptions, devices};

use super::library::assert_child_succeeds;
use crate::support::skip::skip;
use crate::support::{block_on, fixture, load_failure, open_ready, options, runtime_library};

fn on(device: &str, package: &str) -> EngineOptions {
    let mut options = options(&[("model", &fixture(package))]);
    options.models[0].device = Some(device.to_owned());
    options
}

#[test]
fn a_device_is_named_in_one_of_a_few_ways() {
    let parsed = |text: &str| text.parse::<DeviceChoice>();
    assert_eq!(parsed("auto"), Ok(DeviceChoice::Auto));
    assert_eq!(parsed("cpu"), Ok(DeviceChoice::Only(Device::Cpu)));
    assert_eq!(parsed("cuda"), Ok(DeviceChoice::Only(Device::Cuda(0))));
    assert_eq!(parsed("cuda:3"), Ok(DeviceChoice::Only(Device::Cuda(3))));
    let known = "use auto, cpu, cuda or cuda:<number>";
    for text in ["rocm", "rocm:1", "xpu", "mps"] {
        assert_eq!(parsed(text), Err(format!("{text:?} is not supported yet; {known}")));
    }
    for text in ["cuda:", "cuda:-1", "cuda:x"] {
        assert_eq!(parsed(text), Err(format!("{text:?} has no whole number behind \"cuda:\"; {known}")));
    }
    for text in ["", "gpu", "CUDA", "cpu:0"] {
        assert_eq!(parsed(text), Err(format!("{text:?} is no device; {known}")));
    }
    assert_eq!([Device::Cpu, Device::Cuda(2)].map(|device| device.to_string()), ["cpu", "cuda:2"]);
}

#[test]
fn a_gpu_takes_longer_inputs_larger_forwards_and_a_wider_tolerance() {
    let [cpu, cuda] = [Device::Cpu, Device::Cuda(0)];
    assert_eq!([cpu.scan_rows(), cuda.scan_rows()], [4, 32]);
    assert!(cpu.forward_tokens() < cuda.forward_tokens());
    let tolerances = [cpu.tolerance(1e-4), cuda.tolerance(1e-4), cuda.tolerance(0.5)];
    assert_eq!(tolerances.map(f32::to_bits), [1e-4_f32, 0.02, 0.5].map(f32::to_bits));
}

#[test]
fn a_missing_provider_file_is_named_with_its_folder_and_what_brings_it() {
    let folder = tempfile::tempdir().unwrap();
    let library = folder.path().join("libonnxruntime.so");
    let place = folder.path().display().to_string();
    for file in ["libonnxruntime_providers_shared.so", "libonnxruntime_providers_cuda.so"] {
        let missing = cuda::missing_provider(&library).unwrap();
        assert!(missing.starts_with(&format!("{file} is not in {place}; ")), "{missing}");
        assert!(missing.contains("onnxruntime-gpu") && missing.contains("docs/devices.md"), "{missing}");
        fs::write(folder.path().join(file), "").unwrap();
    }
    assert_eq!(cuda::missing_provider(&library), None);
}

#[test]
fn a_model_that_must_be_on_a_gpu_says_what_is_missing() {
    if cuda::missing_provider(&runtime_library()).is_none() {
        return skip(
            "the library has the CUDA provider, and what is missing then only a machine with a GPU could tell",
        );
    }
    let reason = load_failure(on("cuda:1", "embeddings"));
    assert!(reason.starts_with("Cannot place model \"model\" on cuda:1: libonnxruntime_providers_"), "{reason}");
    let table = load_failure(on("cuda", "static"));
    assert!(table.contains("a table of vectors is read on the CPU; use auto or cpu"), "{table}");
}

#[test]
fn a_provider_that_does_not_load_is_told_in_the_librarys_words() {
    assert_child_succeeds("devices::child_with_a_broken_provider");
}

#[test]
#[ignore = "a child of the test above: a process loads the library once"]
fn child_with_a_broken_provider() {
    let folder = tempfile::tempdir().unwrap();
    let library = folder.path().join("libonnxruntime.so.1");
    std::os::unix::fs::symlink(runtime_library(), &library).unwrap();
    for file in ["libonnxruntime_providers_shared.so", "libonnxruntime_providers_cuda.so"] {
        fs::write(folder.path().join(file), "this is no library").unwrap();
    }
    let options = |device| EngineOptions { runtime_library: library.clone(), ..on(device, "embeddings") };
    let reason = load_failure(options("cuda"));
    assert!(reason.starts_with("Cannot create a session on cuda:0: "), "{reason}");
    assert!(reason.contains("libonnxruntime_providers") || reason.contains("CUDA"), "{reason}");
    // Left to choose, the model takes what works.
    let card = &serde_json::to_value(open_ready(options("auto")).describe()).unwrap()[0];
    assert_eq!(card["device"], "cpu");
}

#[test]
fn left_to_choose_a_machine_without_a_gpu_computes_on_the_cpu() {
    if cuda::problem(&runtime_library()).is_none() {
        return skip("this machine has a GPU that can be used");
    }
    let engine = Engine::open(on("auto", "embeddings")).unwrap();
    assert_eq!(block_on(engine.ready())[0].reason, None);
    let card = &serde_json::to_value(engine.describe()).unwrap()[0];
    assert_eq!((&card["device"], &card["limits"]["max_scan_tokens"]), (&"cpu".into(), &(4 * 48).into()));
}

#[test]
fn devices_say_why_they_cannot_be_used() {
    let devices = devices(&runtime_library());
    assert!(devices[0].id == "cpu" && devices[0].available && devices[0].reason.is_none());
    assert!(devices[0].cores.unwrap() >= 1);
    let (gpus, others): (Vec<_>, Vec<_>) = devices[1..].iter().partition(|device| device.id.starts_with("cuda"));
    let others: Vec<_> = others.iter().map(|device| (device.id.as_str(), device.reason.as_deref())).collect();
    assert_eq!(others, ["rocm", "xpu", "mps"].map(|id| (id, Some("not supported yet"))));
    assert!(!gpus.is_empty() && gpus.iter().all(|device| device.kind == "gpu"));
    let library = Runtime::load(&runtime_library()).unwrap();
    let problem = cuda::problem(library.library());
    assert!(gpus.iter().all(|device| device.available == problem.is_none() && device.reason == problem));
    if !Path::new("/proc/driver/nvidia").exists() {
        let unseen = "no NVIDIA driver is loaded (there is no /proc/driver/nvidia)";
        assert_eq!(problem.as_deref(), Some(unseen));
    }
}
