//! The files of one package: found inside its folder only, and only if the manifest lists them.

use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use serde::de::DeserializeOwned;

use super::manifest::Manifest;
use super::witness::Witness;
use crate::error::Error;

/// A package folder whose files, where a manifest is present, have been checked against it.
#[derive(Debug)]
pub struct PackageFiles {
    name: String,
    root: PathBuf,
    /// The folder that links may not leave: the package, or the whole model in a hub cache.
    bounds: PathBuf,
    manifest: Option<Manifest>,
    /// Where an adapter finds what it does not bring itself.
    base: Option<Box<Self>>,
    /// The files that the model computes with as they lie on the disk.
    watched: Mutex<Vec<Witness>>,
}

/// Files that speak of one package only: an adapter never has those of its base.
const OF_ONE_PACKAGE: &[&str] = &["golden.json", "manifest.json", "rtrun.json"];

impl PackageFiles {
    /// Opens the folder and, if it has a `manifest.json`, checks every file that it lists.
    pub fn open(name: &str, folder: &Path) -> Result<Self, Error> {
        let root = fs::canonicalize(folder).map_err(|error| {
            let message = format!("Cannot open package {name:?}: folder {} cannot be read: {error}", folder.display());
            // A folder that is not there yet may be on its way: a download, or a mount that comes up late.
            Error::Unavailable(message)
        })?;
        if !root.is_dir() {
            return Err(Error::InvalidPackage(format!(
                "Cannot open package {name:?}: {} is not a folder",
                folder.display()
            )));
        }
        let bounds = cached_model(&root).unwrap_or(&root).to_owned();
        let watched = Mutex::default();
        let mut files = Self { name: name.to_owned(), root, bounds, manifest: None, base: None, watched };
        files.manifest = Manifest::open(&files)?;
        Ok(files)
    }

    /// The files of an adapter and of its base: whatever the adapter does not bring is taken from the base, but for the
    /// files that speak of the base alone.
    #[must_use]
    pub fn over(self, base: Self) -> Self {
        Self { base: Some(Box::new(base)), ..self }
    }

    /// The files of the base of an adapter.
    pub fn base(&self) -> Option<&Self> {
        self.base.as_deref()
    }

    /// The error for a damaged or unsupported file of this package.
    pub fn invalid(&self, file: &str, problem: impl std::fmt::Display) -> Error {
        Error::InvalidPackage(format!("Cannot use package {:?}: {file}: {problem}", self.name))
    }

    /// The real path of a file, `None` if the package has no such file.
    pub fn find(&self, file: &str) -> Result<Option<PathBuf>, Error> {
        if file.is_empty() || Path::new(file).components().any(|part| !matches!(part, std::path::Component::Normal(_)))
        {
            return Err(self.invalid(file, "the name must be a relative path inside the package"));
        }
        let path = match fs::canonicalize(self.root.join(file)) {
            Ok(path) => path,
            Err(error)
                if error.kind() == ErrorKind::NotFound && fs::symlink_metadata(self.root.join(file)).is_err() =>
            {
                let base = self.base.as_ref().filter(|_| !OF_ONE_PACKAGE.contains(&file));
                return base.map_or(Ok(None), |base| base.find(file));
            }
            Err(error) => return Err(self.invalid(file, format_args!("cannot be opened: {error}"))),
        };
        if !path.starts_with(&self.bounds) {
            return Err(self.invalid(file, "is a link that leads out of the package folder or of its model in a hub cache; put the file itself there"));
        }
        if !path.is_file() {
            return Err(self.invalid(file, "is not a regular file"));
        }
        if let Some(manifest) = &self.manifest
            && !manifest.lists(file)
        {
            return Err(self.invalid(file, "is used but not listed in manifest.json"));
        }
        Ok(Some(path))
    }

    /// The real path of a file that must be there.
    pub fn require(&self, file: &str) -> Result<PathBuf, Error> {
        self.find(file)?.ok_or_else(|| self.invalid(file, "is missing"))
    }

    /// The content of a file, `None` if the package has no such file.
    pub fn read(&self, file: &str) -> Result<Option<Vec<u8>>, Error> {
        let Some(path) = self.find(file)? else { return Ok(None) };
        fs::read(path).map(Some).map_err(|error| self.invalid(file, format_args!("cannot be read: {error}")))
    }

    /// A parsed JSON file, `None` if the package has no such file.
    pub fn read_json<T: DeserializeOwned>(&self, file: &str) -> Result<Option<T>, Error> {
        let Some(bytes) = self.read(file)? else { return Ok(None) };
        serde_json::from_slice(&bytes).map(Some).map_err(|error| self.invalid(file, error))
    }

    /// Remembers what a file looks like that the model will compute with. It must not be written to from here on.
    pub fn watch(&self, file: &str, path: &Path, opened: File) -> Result<(), Error> {
        let witness = Witness::new(file, path, opened)
            .map_err(|error| self.invalid(file, format_args!("cannot be read: {error}")))?;
        self.watched.lock().unwrap_or_else(PoisonError::into_inner).push(witness);
        Ok(())
    }

    /// The watched files, none of which has been changed or replaced since it was opened.
    pub fn into_watched(self) -> Result<Vec<Witness>, Error> {
        let watched = self.watched.into_inner().unwrap_or_else(PoisonError::into_inner);
        match watched.iter().find(|file| file.is_changed() || file.is_replaced()) {
            // The next try finds one whole package, whichever it is.
            Some(file) => Err(Error::Unavailable(format!(
                "Cannot use package {:?}: {} was changed while the package was loaded",
                self.name, file.name
            ))),
            None => Ok(watched),
        }
    }

    /// The SHA-256 of `manifest.json`, `None` if the package has none.
    pub fn manifest_sha256(&self) -> Option<&str> {
        self.manifest.as_ref().map(Manifest::sha256)
    }

    /// The SHA-256 that the manifest records for a file and that has been found to be right.
    pub fn checked_sha256(&self, file: &str) -> Option<&str> {
        self.manifest.as_ref().and_then(|manifest| manifest.sha256_of(file))
    }
}

/// The folder of a model in a hub cache, `models--<organisation>--<name>`, if `root` is one of its snapshots
/// `snapshots/<commit>`. The files of a snapshot are links to `blobs/` beside it.
fn cached_model(root: &Path) -> Option<&Path> {
    let snapshots = root.parent().filter(|folder| folder.ends_with("snapshots"))?;
    let model = snapshots.parent()?;
    let is_commit = |name: &str| name.len() == 40 && name.bytes().all(|byte| byte.is_ascii_hexdigit());
    let is_named = |folder: &Path, fits: &dyn Fn(&str) -> bool| folder.file_name()?.to_str().map(fits);
    (is_named(root, &is_commit)? && is_named(model, &|name| name.starts_with("models--"))?).then_some(model)
}
