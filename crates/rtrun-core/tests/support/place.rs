//! Where the files of this crate are.

use std::path::{Path, PathBuf};

/// The folder of the crate, also when these sources are compiled into the fuzz targets of the repository.
pub fn core_folder() -> PathBuf {
    let above = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().map(|folder| folder.join("crates/rtrun-core"));
    above.into_iter().find(|folder| folder.is_dir()).expect("tests run in the repository")
}
