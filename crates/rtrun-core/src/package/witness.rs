//! Whether a file that a model computes with is still what it was when it was opened.

use std::fs::File;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// An open file and what it looked like. It takes no part in what is read of the file: mapped pages show what another
/// process writes into it, which is what this finds out.
#[derive(Debug)]
pub struct Witness {
    /// The name of the file inside its package.
    pub name: String,
    path: PathBuf,
    file: File,
    look: Look,
}

/// What writing changes. Renaming another file over it or deleting it leaves all of this, and the mapped pages, as they
/// are.
#[derive(Debug, PartialEq, Eq)]
struct Look {
    bytes: u64,
    seconds: i64,
    nanoseconds: i64,
}

impl Witness {
    /// Remembers what an open file looks like.
    pub fn new(name: &str, path: &Path, file: File) -> io::Result<Self> {
        let look = Look::of(&file)?;
        Ok(Self { name: name.to_owned(), path: path.to_owned(), file, look })
    }

    /// Whether the file was written to or cut since.
    pub fn is_changed(&self) -> bool {
        Look::of(&self.file).is_ok_and(|look| look != self.look)
    }

    /// Whether the path leads to another file by now.
    pub fn is_replaced(&self) -> bool {
        match (self.path.metadata(), self.file.metadata()) {
            (Ok(now), Ok(then)) => (now.dev(), now.ino()) != (then.dev(), then.ino()),
            _ => true,
        }
    }
}

impl Look {
    fn of(file: &File) -> io::Result<Self> {
        let metadata = file.metadata()?;
        Ok(Self { bytes: metadata.len(), seconds: metadata.mtime(), nanoseconds: metadata.mtime_nsec() })
    }
}
