//! The one class.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

use napi::bindgen_prelude::{PromiseRaw, ToNapiValue, spawn_blocking};
use napi::{Env, JsError};
use napi_derive::napi;
use rtrun_core as core;
use rtrun_core::serve::{Callers, ServeOptions, Server, Waiting};
use serde::Serialize;

use crate::convert::{EngineOptions, ModelState, ServeAddress, seconds};
use crate::host::{log_to_standard_error, stop_before_exit};

/// Local models, loaded once and asked many times.
#[napi]
pub struct Engine(Arc<Running>);

struct Running {
    engine: Arc<core::Engine>,
    servers: Mutex<Vec<Arc<Server>>>,
    /// What `open` was told to bind, until it is served.
    bound: Mutex<Option<Server>>,
    callers: Callers,
}

/// How long `close` lets running requests end if it is not told.
const GRACE: Duration = Duration::from_secs(5);

#[napi]
impl Engine {
    /// Binds `listen`, if it is given, then checks the options and starts to load the models in the background.
    #[napi(catch_unwind, ts_return_type = "Promise<Engine>")]
    pub fn open(env: &Env, mut options: EngineOptions) -> napi::Result<PromiseRaw<'_, Engine>> {
        stop_before_exit(*env);
        let running = Arc::new(Mutex::new(Weak::<Running>::new()));
        let opened = Arc::clone(&running);
        // A worker thread of the host that ends takes its engines with it.
        let _ = env.add_env_cleanup_hook(running, |running| {
            let running = running.lock().unwrap_or_else(PoisonError::into_inner).upgrade();
            // As in `promise`: a panic must not get into the host.
            let _ = catch_unwind(AssertUnwindSafe(|| {
                if let Some(running) = running {
                    running.stop();
                }
            }));
        })?;
        let open = async move {
            log_to_standard_error(options.log_level.as_deref())?;
            let bound = match options.listen.take().map(ServeOptions::from) {
                Some(address) => Some(off_thread(move || Server::bind(&address)).await??),
                None => None,
            };
            let engine = core::Engine::open(options.into_core()?)?;
            let running = Arc::new(Running {
                engine,
                servers: Mutex::default(),
                bound: Mutex::new(bound),
                callers: Callers::default(),
            });
            *opened.lock().unwrap_or_else(PoisonError::into_inner) = Arc::downgrade(&running);
            Ok(running)
        };
        promise(env, open, Engine)
    }

    /// Resolves when every model is ready or has failed for good.
    #[napi(catch_unwind, ts_return_type = "Promise<ModelState[]>")]
    pub fn ready<'env>(&self, env: &'env Env) -> napi::Result<PromiseRaw<'env, Vec<ModelState>>> {
        let running = Arc::clone(&self.0);
        let ready = async move { Ok(running.engine.ready().await) };
        promise(env, ready, |states| states.into_iter().map(ModelState::from).collect())
    }

    /// The state of every model now.
    #[napi(catch_unwind)]
    pub fn states(&self) -> Vec<ModelState> {
        self.0.engine.states().into_iter().map(ModelState::from).collect()
    }

    /// The contract's version and every model's card, as `GET /v1/models` shows it.
    #[napi(catch_unwind, ts_return_type = "Promise<{ apiVersion: string, models: Record<string, unknown>[] }>")]
    pub fn describe<'env>(&self, env: &'env Env) -> napi::Result<PromiseRaw<'env, serde_json::Value>> {
        let running = Arc::clone(&self.0);
        let describe = async move {
            Ok(serde_json::json!({ "apiVersion": core::API_VERSION, "models": json(&running.engine.describe())? }))
        };
        promise(env, describe, |value| value)
    }

    /// Answers the body of `POST /v1/bundle` as the worker would. Calls of one caller end when it leaves.
    #[napi(catch_unwind, ts_return_type = "Promise<string>")]
    pub fn ask<'env>(
        &self,
        env: &'env Env,
        body: String,
        caller: Option<String>,
    ) -> napi::Result<PromiseRaw<'env, String>> {
        let running = Arc::clone(&self.0);
        let waiting = caller.map(|caller| self.0.callers.enter(caller));
        let ask = async move { core::serve::ask(&running.engine, body.as_bytes()).await };
        promise(env, until_left(waiting, ask), |answer| answer)
    }

    /// Says that a caller waits for its calls no more: they end, and what waits for them is dropped.
    #[napi(catch_unwind)]
    pub fn leave(&self, caller: String) {
        self.0.callers.leave(caller);
    }

    /// Serves the HTTP contract and resolves with the address: the given one once it is bound, or the one that `open` has
    /// bound.
    #[napi(catch_unwind, ts_return_type = "Promise<ServeAddress>")]
    pub fn serve<'env>(
        &self,
        env: &'env Env,
        address: Option<ServeAddress>,
    ) -> napi::Result<PromiseRaw<'env, ServeAddress>> {
        let running = Arc::clone(&self.0);
        let serve = async move {
            let server = match address {
                Some(address) => {
                    let options = ServeOptions::from(address);
                    off_thread(move || Server::bind(&options)).await??
                }
                None => running.bound.lock().unwrap_or_else(PoisonError::into_inner).take().ok_or_else(|| {
                    let message = "Cannot serve: give an address, or open the engine with listen";
                    core::Error::InvalidOptions(message.to_owned())
                })?,
            };
            server.serve(Arc::clone(&running.engine));
            let address = ServeAddress::from(server.address());
            running.servers.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::new(server));
            Ok(address)
        };
        promise(env, serve, |address| address)
    }

    /// Pending while a server runs, which keeps the process alive.
    #[napi(catch_unwind, ts_return_type = "Promise<void>")]
    pub fn closed<'env>(&self, env: &'env Env) -> napi::Result<PromiseRaw<'env, ()>> {
        let running = Arc::clone(&self.0);
        let closed = async move {
            for server in running.servers() {
                server.closed().await;
            }
            Ok(())
        };
        promise(env, closed, |()| ())
    }

    /// Stops the servers and the models; requests that run get the grace time to end.
    #[napi(catch_unwind, ts_return_type = "Promise<void>")]
    pub fn close<'env>(&self, env: &'env Env, grace_ms: Option<f64>) -> napi::Result<PromiseRaw<'env, ()>> {
        let running = Arc::clone(&self.0);
        let close = async move {
            let grace = seconds("graceMs", grace_ms, 1e-3)?.unwrap_or(GRACE);
            let end = Instant::now().checked_add(grace);
            drop(running.bound.lock().unwrap_or_else(PoisonError::into_inner).take());
            for server in running.servers() {
                server.close(grace).await;
            }
            let rest = end.map_or(grace, |end| end.saturating_duration_since(Instant::now()));
            off_thread(move || running.engine.close(rest)).await
        };
        promise(env, close, |()| ())
    }

    /// The devices of this machine.
    #[napi(catch_unwind, ts_return_type = "Promise<Record<string, unknown>[]>")]
    pub fn devices(env: &Env, runtime_library: String) -> napi::Result<PromiseRaw<'_, serde_json::Value>> {
        let devices = async move {
            let devices = off_thread(move || core::devices(&PathBuf::from(runtime_library))).await?;
            json(&devices)
        };
        promise(env, devices, |devices| devices)
    }
}

async fn until_left<T>(
    waiting: Option<Waiting>,
    call: impl Future<Output = Result<T, core::Error>>,
) -> Result<T, core::Error> {
    match waiting {
        None => call.await,
        Some(waiting) => waiting.run(call).await,
    }
}

impl Running {
    fn servers(&self) -> Vec<Arc<Server>> {
        self.servers.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Ends everything at once.
    fn stop(&self) {
        drop(self.bound.lock().unwrap_or_else(PoisonError::into_inner).take());
        self.servers.lock().unwrap_or_else(PoisonError::into_inner).clear();
        self.engine.close(Duration::ZERO);
    }
}

fn json(value: &impl Serialize) -> Result<serde_json::Value, core::Error> {
    serde_json::to_value(value).map_err(|error| core::Error::Internal(format!("Cannot write what there is: {error}")))
}

async fn off_thread<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, core::Error> {
    spawn_blocking(work).await.map_err(|_| core::Error::Internal("The work did not end".to_owned()))
}

/// Runs a future off the JavaScript thread and converts what it gives on that thread. An error becomes a JavaScript
/// `Error` with the worker's message and, as `code`, the worker's code, and so does a panic.
fn promise<T, V, F>(
    env: &Env,
    future: F,
    convert: impl FnOnce(T) -> V + Send + 'static,
) -> napi::Result<PromiseRaw<'_, V>>
where
    T: Send + 'static,
    V: ToNapiValue,
    F: Future<Output = Result<T, core::Error>> + Send + 'static,
{
    let future = async move { Ok(core::caught(future).await) };
    env.spawn_future_with_callback(future, move |env, result| {
        // A panic that went through the frames of the host would end the process.
        let converted = result.and_then(|value| {
            let failed = |_| core::Error::Internal("The answer could not be converted".to_owned());
            catch_unwind(AssertUnwindSafe(|| convert(value))).map_err(failed)
        });
        converted.map_err(|error| rejection(*env, &error))
    })
}

/// Only a JavaScript value can hold a code that is not one of Node-API's.
fn rejection(env: Env, error: &core::Error) -> napi::Error {
    let error = napi::Error::new(error.code().to_owned(), error.to_string());
    napi::Error::from(JsError::from(error).into_unknown(env))
}
