//! Says what a test leaves out on this machine. It is written past the capture of output, so that a test that passes shows
//! it, too.

use std::io::Write;

use rtrun_core::matmul::Precision;

/// Says why the running test leaves something out.
pub fn skip(why: &str) {
    let thread = std::thread::current();
    let _ = writeln!(std::io::stderr(), "skipped in {}: {why}", thread.name().unwrap_or("a test"));
}

/// Whether this processor computes with a precision; says so where it does not.
pub fn computes(precision: Precision) -> bool {
    let is_supported = precision.is_supported();
    if !is_supported {
        skip(&format!("this processor lacks the instructions for {}", precision.as_str()));
    }
    is_supported
}

/// Whether matmuls may be computed in the tiles of AMX; says so where they may not.
pub fn has_tiles() -> bool {
    let has_tiles = rtrun_core::matmul::has_tiles();
    if !has_tiles {
        skip("this processor has no AMX, or the system does not permit it");
    }
    has_tiles
}

/// Whether this processor has any reduced precision; says so where it has none.
pub fn reduces() -> bool {
    let reduces = !rtrun_core::model::rungs(true).is_empty();
    if !reduces {
        skip("this processor has no instructions for a reduced precision");
    }
    reduces
}
