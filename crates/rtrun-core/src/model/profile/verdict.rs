//! Verdicts of the agreement test, kept between loads: comparing takes seconds, and its outcome follows from the files,
//! the library and the processor.

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::agreement::Agreement;
use super::probes::probe_texts;
use crate::package::{Digests, Package};
use crate::products::Precision;

/// Grows with every change to kernels, candidates or limits, so that old verdicts are asked for no more.
const VERSION: u32 = 2;

/// The files that decide answers besides the weights.
const FILES: &[&str] = &["rtrun.json", "config.json", "golden.json", "modules.json"];

/// What the agreement test found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Verdict {
    version: u32,
    /// The candidate that passed, by name.
    pub rung: Option<String>,
    /// Compared texts.
    pub probes: usize,
    /// Of the candidate that passed, else of the last one.
    pub labels: Option<f64>,
    /// The same.
    pub cosine: Option<f64>,
    /// Why none passed.
    pub reason: Option<String>,
}

impl Verdict {
    /// The verdict for a candidate that passed.
    pub fn passed(rung: &str, probes: usize, agreement: Agreement) -> Self {
        let Agreement { labels, cosine } = agreement;
        Self { version: VERSION, rung: Some(rung.to_owned()), probes, labels, cosine, reason: None }
    }

    /// The verdict where no candidate passed.
    pub fn failed(probes: usize, last: Option<Agreement>, reason: String) -> Self {
        let (labels, cosine) = last.map_or((None, None), |last| (last.labels, last.cosine));
        Self { version: VERSION, rung: None, probes, labels, cosine, reason: Some(reason) }
    }
}

/// Where the verdict for a package on this machine is kept.
pub fn verdict_path(folder: &Path, package: &Package, digests: &Digests) -> PathBuf {
    let mut digest = Sha256::new();
    let mut add = |part: &[u8]| {
        digest.update((part.len() as u64).to_le_bytes());
        digest.update(part);
    };
    add(&VERSION.to_le_bytes());
    add(env!("CARGO_PKG_VERSION").as_bytes());
    add(ort::info().as_bytes());
    for precision in [Precision::Int8, Precision::Bf16] {
        add(&[u8::from(precision.is_supported())]);
    }
    let Package { family, pooling, normalize, max_tokens, vectors, decisions, .. } = package;
    add(format!("{family:?} {pooling:?} {normalize} {max_tokens} {vectors:?}").as_bytes());
    if let Some(decisions) = decisions {
        add(format!("{:?}", decisions.settings).as_bytes());
        add(decisions.weights.mapped());
    }
    add(&package.tokenizer);
    add(digests.model.as_bytes());
    let heads = package.heads.iter().map(|head| head.file.as_str());
    for file in FILES.iter().copied().chain(heads) {
        // A file that cannot be read fails the load elsewhere.
        add(package.files.read(file).ok().flatten().unwrap_or_default().as_slice());
    }
    for text in probe_texts() {
        add(text.as_bytes());
    }
    folder.join(format!("{:x}.json", digest.finalize()))
}

/// A kept verdict; `None` if there is none that can be read.
pub fn kept(path: &Path) -> Option<Verdict> {
    let verdict: Verdict = serde_json::from_slice(&fs::read(path).ok()?).ok()?;
    (verdict.version == VERSION).then_some(verdict)
}

/// Keeps a verdict. A folder that cannot be written costs the next load its time and nothing else.
pub fn keep(path: &Path, verdict: &Verdict) -> std::io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    // Renamed into its place, so that nobody reads half of it.
    let beside = path.with_extension(format!("{}.part", std::process::id()));
    fs::write(&beside, serde_json::to_vec_pretty(verdict)?)?;
    fs::rename(&beside, path)
}
