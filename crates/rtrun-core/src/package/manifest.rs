//! `manifest.json`: the size and SHA-256 of every file, checked before any of them is used.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde::Deserialize;
use sha2::{Digest, Sha256};

use super::files::PackageFiles;
use crate::error::Error;

const MANIFEST: &str = "manifest.json";

/// The checked manifest of a package.
#[derive(Debug)]
pub struct Manifest {
    files: BTreeMap<String, Entry>,
    sha256: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ManifestFile {
    schema: u32,
    files: BTreeMap<String, Entry>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    bytes: u64,
    sha256: String,
}

impl Manifest {
    /// Reads the manifest of a package and checks every file it lists; `None` if there is no manifest.
    pub fn open(package: &PackageFiles) -> Result<Option<Self>, Error> {
        let Some(bytes) = package.read(MANIFEST)? else { return Ok(None) };
        let manifest: ManifestFile =
            serde_json::from_slice(&bytes).map_err(|error| package.invalid(MANIFEST, error))?;
        if manifest.schema != 1 {
            return Err(package.invalid(MANIFEST, format_args!("schema is {}; only 1 is known", manifest.schema)));
        }
        check_all(package, &manifest.files)?;
        Ok(Some(Self { files: manifest.files, sha256: to_hex(&Sha256::digest(&bytes)) }))
    }

    /// Whether the manifest has the file; it never lists itself.
    pub fn lists(&self, file: &str) -> bool {
        self.files.contains_key(file)
    }

    /// The SHA-256 of the manifest itself.
    pub fn sha256(&self) -> &str {
        &self.sha256
    }

    /// The recorded SHA-256 of a listed file.
    pub fn sha256_of(&self, file: &str) -> Option<&str> {
        self.files.get(file).map(|entry| entry.sha256.as_str())
    }
}

/// The SHA-256 of a file in lower-case hexadecimal digits.
pub fn hash_file(path: &Path) -> std::io::Result<String> {
    let mut file = File::open(path)?;
    let mut hasher = Sha256::new();
    let mut buffer = vec![0_u8; 1 << 20];
    loop {
        let read = file.read(&mut buffer)?;
        if read == 0 {
            return Ok(to_hex(&hasher.finalize()));
        }
        hasher.update(&buffer[..read]);
    }
}

/// The SHA-256 of a text.
pub fn hash_text(text: &str) -> String {
    to_hex(&Sha256::digest(text))
}

/// Hashes the files on every processor: a package has one large file and several of some hundred kilobytes.
fn check_all(package: &PackageFiles, files: &BTreeMap<String, Entry>) -> Result<(), Error> {
    let mut order: Vec<(&String, &Entry)> = files.iter().collect();
    order.sort_by_key(|(_, entry)| std::cmp::Reverse(entry.bytes));
    let next = AtomicUsize::new(0);
    let failures = Mutex::new(BTreeMap::new());
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get).min(order.len());
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some((name, entry)) = order.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Err(error) = check(package, name, entry) {
                        failures.lock().expect("no check panics; this is a bug").insert((*name).clone(), error);
                    }
                }
            });
        }
    });
    // The first by name, so that the same damage always reads the same.
    let failures = failures.into_inner().expect("no check panics; this is a bug");
    failures.into_values().next().map_or(Ok(()), Err)
}

fn check(package: &PackageFiles, name: &str, entry: &Entry) -> Result<(), Error> {
    let path = package.find(name)?.ok_or_else(|| package.invalid(name, "is listed in manifest.json but missing"))?;
    let unreadable = |error: std::io::Error| package.invalid(name, format_args!("cannot be read: {error}"));
    let bytes = path.metadata().map_err(unreadable)?.len();
    if bytes != entry.bytes {
        let problem = format!("has {bytes} bytes; manifest.json records {}", entry.bytes);
        return Err(package.invalid(name, problem));
    }
    let sha256 = hash_file(&path).map_err(unreadable)?;
    if sha256 != entry.sha256 {
        let problem = format!("has SHA-256 {sha256}; manifest.json records {}", entry.sha256);
        return Err(package.invalid(name, problem));
    }
    Ok(())
}

fn to_hex(bytes: &[u8]) -> String {
    use std::fmt::Write;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        write!(text, "{byte:02x}").expect("writing to a String cannot fail; this is a bug otherwise");
        text
    })
}
