//! The bytes of a whole file: the one place that maps files.

use std::fs::File;
use std::io::{self, Read};
use std::ops::Deref;
use std::path::Path;

use memmap2::{Mmap, MmapMut, UncheckedAdvice};

/// The bytes of a file, aligned to a page.
///
/// A file that is small is copied, so that nothing that happens to it later reaches whoever computes with these bytes. A large one
/// is mapped: what another process writes into it shows, and reading a page that was cut off ends the process.
#[derive(Debug)]
pub struct FileBytes {
    map: Mmap,
    is_copy: bool,
}

/// Files up to this size are copied. Most packages are smaller, and most machines can spare the memory.
const COPIED_BYTES: u64 = 64 << 20;

impl FileBytes {
    /// Those of a file with this path.
    pub fn open(path: &Path) -> io::Result<Self> {
        Self::of(&File::open(path)?)
    }

    /// Those of a file that was just opened.
    pub fn of(mut file: &File) -> io::Result<Self> {
        let length = file.metadata()?.len();
        if length > COPIED_BYTES {
            #[allow(unsafe_code)]
            // SAFETY: the map is private and read-only. A package is replaced by renaming a new file into its place, as
            // the package format demands; whoever overwrites a large file of a loaded package breaks that contract.
            let map = unsafe { Mmap::map(file) }?;
            return Ok(Self { map, is_copy: false });
        }
        let length = usize::try_from(length).map_err(io::Error::other)?;
        let mut copy = MmapMut::map_anon(length)?;
        file.read_exact(&mut copy)?;
        Ok(Self { map: copy.make_read_only()?, is_copy: true })
    }

    /// Gives the pages of a map back; what is read later is mapped again. A copy keeps its own.
    pub fn release_pages(&self) {
        if !self.is_copy {
            #[allow(unsafe_code)]
            // SAFETY: nothing is ever written to the map, so its pages are those of the file whenever they come back.
            // A failure leaves the pages where they are.
            let _ = unsafe { self.map.unchecked_advise(UncheckedAdvice::DontNeed) };
        }
    }
}

impl Deref for FileBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.map
    }
}

impl AsRef<[u8]> for FileBytes {
    fn as_ref(&self) -> &[u8] {
        self
    }
}
