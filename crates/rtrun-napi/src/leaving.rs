//! The end of the process: models stop before the destructors of their library run.

use std::sync::atomic::{AtomicBool, Ordering};

use napi::Env;
use napi::bindgen_prelude::{FnArgs, Function, JsObjectValue, Object};

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
