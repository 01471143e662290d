//! Log lines as JSON on standard error.

use rtrun_core::Error;
use tracing_subscriber::filter::LevelFilter;

/// Installs the process-wide subscriber. The first engine of a process decides; a host that has one of its own keeps it.
pub fn install(level: Option<&str>) -> Result<(), Error> {
    let level = level.unwrap_or("warn");
    let filter: LevelFilter = level.parse().map_err(|_| {
        Error::InvalidOptions(format!("logLevel {level:?} is not known; use off, error, warn, info, debug or trace"))
    })?;
    let subscriber = tracing_subscriber::fmt().json().with_writer(std::io::stderr).with_max_level(filter);
    // An error means that a subscriber is there already.
    let _ = subscriber.try_init();
    Ok(())
}
