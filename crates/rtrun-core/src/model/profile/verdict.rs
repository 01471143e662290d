//! Verdicts of the agreement test, kept between loads: comparing takes seconds, and its outcome follows from the files,
//! the library and the processor.

use std::fs::{self, OpenOptions};
use std::io::Read;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::agreement::Agreement;
use super::ladder::Rung;
use super::probes::probe_texts;
use crate::matmul::Precision;
use crate::package::{Digests, Package};

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

    /// Whether a comparison of these candidates can have this outcome: what passed is one of them, has figures, and these
    /// are good enough; where none passed, there is a reason and the figures are not good enough.
    fn is_possible(&self, candidates: &[Rung]) -> bool {
        let Self { version, rung, probes, labels, cosine, reason } = self;
        let figures = [labels, cosine].into_iter().flatten();
        // Rounding takes the cosine of equal vectors a little above 1.
        let are_figures = figures.clone().all(|figure| (-1.01..=1.01).contains(figure));
        let has_figures = figures.count() > 0;
        let is_enough = Agreement { labels: *labels, cosine: *cosine }.is_enough();
        let fits = match rung {
            Some(rung) => {
                candidates.iter().any(|known| known.name == rung) && has_figures && is_enough && reason.is_none()
            }
            None => reason.is_some() && !(has_figures && is_enough),
        };
        *version == VERSION && *probes > 0 && are_figures && fits
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
    for precision in Precision::ALL {
        add(&[u8::from(precision.is_supported())]);
    }
    let Package { family, pooling, normalize, max_tokens, vectors, decisions, .. } = package;
    add(format!("{family:?} {pooling:?} {normalize} {max_tokens} {vectors:?}").as_bytes());
    if let Some(decisions) = decisions {
        add(format!("{:?}", decisions.settings).as_bytes());
        add(decisions.weights.content());
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

/// No verdict is longer, however many candidates its reason names.
const LONGEST_FILE: u64 = 64 << 10;

/// A kept verdict; `None` if there is none, or one that a comparison of these candidates cannot have written.
pub fn kept(path: &Path, candidates: &[Rung]) -> Option<Verdict> {
    // Opening a pipe that nobody writes into would wait for ever.
    let file = OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK).open(path).ok()?;
    if !file.metadata().is_ok_and(|metadata| metadata.is_file()) {
        return None;
    }
    let mut bytes = Vec::new();
    file.take(LONGEST_FILE).read_to_end(&mut bytes).ok()?;
    let verdict: Verdict = serde_json::from_slice(&bytes).ok()?;
    verdict.is_possible(candidates).then_some(verdict)
}

/// Keeps a verdict. A folder that cannot be written costs the next load its time and nothing else.
pub fn keep(path: &Path, verdict: &Verdict) -> std::io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    // Renamed into its place, so that nobody reads half of it.
    let beside = path.with_extension(format!("{}.part", std::process::id()));
    let bytes = serde_json::to_vec_pretty(verdict)?;
    // A disk that is full leaves a part of it.
    fs::write(&beside, bytes).and_then(|()| fs::rename(&beside, path)).inspect_err(|_| drop(fs::remove_file(&beside)))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{Verdict, keep, kept};
    use crate::graph::Reduction;
    use crate::model::profile::agreement::Agreement;
    use crate::model::profile::ladder::Rung;

    const REDUCTION: Reduction = Reduction { attention: None, ffn_up: None, ffn_down: None, kept: None };
    const CANDIDATES: &[Rung] = &[Rung { name: "int8", reduction: REDUCTION }];

    fn agreement(labels: f64, cosine: Option<f64>) -> Agreement {
        Agreement { labels: Some(labels), cosine }
    }

    #[test]
    fn a_verdict_is_found_as_it_was_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("made/verdict.json");
        for verdict in [
            Verdict::passed("int8", 240, agreement(0.995, Some(0.9999))),
            Verdict::passed("int8", 1, Agreement { labels: None, cosine: Some(1.000_000_1) }),
            Verdict::failed(240, Some(agreement(0.5, Some(0.9999))), "int8: too few".to_owned()),
            Verdict::failed(240, None, "int8: some answers are not finite".to_owned()),
        ] {
            keep(&path, &verdict).unwrap();
            assert_eq!(kept(&path, CANDIDATES), Some(verdict));
        }
        assert_eq!(kept(&path, &[]), Some(Verdict::failed(240, None, "int8: some answers are not finite".to_owned())));
    }

    #[test]
    fn what_no_comparison_can_have_written_is_not_believed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("verdict.json");
        keep(&path, &Verdict::passed("int8", 240, agreement(0.995, None))).unwrap();
        let right: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
        let changes = [
            json!({ "labels": 0.0 }),
            json!({ "labels": 7.0 }),
            json!({ "labels": null }),
            json!({ "cosine": 0.9 }),
            json!({ "probes": 0 }),
            json!({ "rung": "foo" }),
            json!({ "rung": null }),
            json!({ "rung": null, "reason": "none agrees" }),
            json!({ "reason": "none agrees" }),
            json!({ "version": 1 }),
            json!({ "colour": 1 }),
        ];
        for change in changes {
            let mut damaged = right.clone();
            change.as_object().unwrap().iter().for_each(|(key, value)| damaged[key] = value.clone());
            std::fs::write(&path, damaged.to_string()).unwrap();
            assert_eq!(kept(&path, CANDIDATES), None, "{change}");
        }
        for text in ["", "{", "[]"] {
            std::fs::write(&path, text).unwrap();
            assert_eq!(kept(&path, CANDIDATES), None, "{text:?}");
        }
    }

    #[test]
    fn only_a_regular_file_is_read() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(kept(folder.path(), CANDIDATES), None);
        let path = folder.path().join("verdict.json");
        assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
        assert_eq!(kept(&path, CANDIDATES), None);
        let verdict = Verdict::passed("int8", 240, agreement(1.0, None));
        keep(&path, &verdict).unwrap();
        assert_eq!(kept(&path, CANDIDATES), Some(verdict));
    }

    #[test]
    fn a_verdict_that_cannot_be_kept_leaves_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("verdict.json");
        // Nothing can be renamed over a folder, whoever the user is.
        std::fs::create_dir(&path).unwrap();
        assert!(keep(&path, &Verdict::failed(1, None, "none".to_owned())).is_err());
        let left: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
        assert_eq!(left, [path]);
    }
}
