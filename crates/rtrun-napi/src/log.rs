//! Log lines as JSON on standard error.

use std::panic::PanicHookInfo;

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
    // Standard error may be closed, and a line that cannot be written is not worth a panic.
    let subscriber = subscriber.log_internal_errors(false);
    // An error means that a subscriber is there already.
    if subscriber.try_init().is_ok() {
        std::panic::set_hook(Box::new(log_panic));
    }
    Ok(())
}

/// Says where a panic was. Its message may quote what was computed with, such as a part of a prompt.
fn log_panic(panic: &PanicHookInfo) {
    let place = panic.location().map(ToString::to_string).unwrap_or_default();
    tracing::error!(thread = std::thread::current().name(), place, "a panic");
}
