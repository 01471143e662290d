//! What the host process has once: log lines, and its end, before which models stop.

use std::panic::PanicHookInfo;
use std::sync::atomic::{AtomicBool, Ordering};

use napi::Env;
use napi::bindgen_prelude::{FnArgs, Function, JsObjectValue, Object};
use rtrun_core::Error;
use tracing_subscriber::filter::LevelFilter;

/// Writes log lines as JSON to standard error, for the whole process. The first engine of a process decides; a host that has one of its own keeps it.
pub fn log_to_standard_error(level: Option<&str>) -> Result<(), Error> {
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

/// Whether the process has its listener.
static LISTENS: AtomicBool = AtomicBool::new(false);

/// Stops forwards and loads when the host emits `exit`, which is before anything of the process is taken down. Cleanup
/// hooks do not run at `process.exit()`. Only the main thread ends the process; a worker thread has its cleanup hook.
pub fn stop_before_exit(env: Env) {
    if is_main_thread() && !LISTENS.swap(true, Ordering::SeqCst) && listen(env).is_err() {
        // A host without `process` leaves by the exit handler alone.
        tracing::debug!("the host emits no exit event");
    }
}

type Listener<'env> = Function<'env, (), ()>;

fn listen(env: Env) -> napi::Result<()> {
    let process: Object = env.get_global()?.get_named_property("process")?;
    let on: Function<FnArgs<(String, Listener)>, Object> = process.get_named_property("on")?;
    let leave = env.create_function_from_closure("stopModels", |_| {
        // A panic here would end a process that ends anyway, with another exit code.
        let _ = std::panic::catch_unwind(rtrun_core::leave);
        Ok(())
    })?;
    on.apply(process, FnArgs::from(("exit".to_owned(), leave))).map(|_| ())
}

#[allow(unsafe_code)]
fn is_main_thread() -> bool {
    #[cfg(target_os = "linux")]
    // SAFETY: both take nothing and cannot fail.
    return unsafe { libc::gettid() == libc::getpid() };
    #[cfg(target_os = "macos")]
    // SAFETY: it takes nothing and cannot fail.
    return unsafe { libc::pthread_main_np() != 0 };
    #[cfg(not(any(target_os = "linux", target_os = "macos")))]
    return false;
}
