//! Log lines as JSON on standard error.

use rtrun_core::Error;
use tracing_subscriber::filter::LevelFilter;

/// Installs the process-wide subscriber. The first engine of a process decides; a host that has one of its own keeps it.
pub fn install(level: Option<&str>) -> Result<(), Error> {
    let filter = match level.unwrap_or("warning") {
        "debug" => LevelFilter::DEBUG,
        "info" => LevelFilter::INFO,
        "warning" => LevelFilter::WARN,
        "error" => LevelFilter::ERROR,
        other => {
            let message = format!("logLevel {other:?} is not known; use debug, info, warning or error");
            return Err(Error::InvalidOptions(message));
        }
    };
    let subscriber = tracing_subscriber::fmt().json().with_writer(std::io::stderr).with_max_level(filter);
    // An error means that a subscriber is there already.
    let _ = subscriber.try_init();
    Ok(())
}
