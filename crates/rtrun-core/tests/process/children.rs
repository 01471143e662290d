//! Starting this test binary again for one ignored test.

use std::path::Path;
use std::process::{Command, Output};

/// Runs the ignored test of that name in a process of its own, with a home folder of its own.
pub fn run(name: &str, home: &Path) -> Output {
    command(name, home).output().unwrap()
}

/// What [`run`] runs.
pub fn command(name: &str, home: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", "--ignored", "--nocapture", "--quiet", name])
        .env("HOME", home)
        .env("XDG_CACHE_HOME", home.join("cache"));
    command
}

/// All files below a folder.
pub fn files(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        }
        found.push(path.display().to_string());
    }
    found
}
