//! Files of models that serve: one that is written to in place takes its model out of service.
//!
//! Large files are mapped, so that bytes that another process writes into them become part of later answers, under the
//! digest of the old ones; of a smaller one, only a model that is loaded later has the new bytes. A replaced file is
//! another file and harms nothing.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

use super::load::LoadContext;
use super::loaded::LoadedModel;
use super::slot::Slot;
use super::supervise::take_out_of_service;
use crate::error::Error;

/// How often files are looked at. It costs one call to the system a file.
const PERIOD: Duration = Duration::from_secs(1);

/// Looks at the files of all models until the sender of `end` is dropped.
pub fn watch_files(slots: &[Arc<Slot>], context: &LoadContext, end: &Receiver<()>) {
    while end.recv_timeout(PERIOD) == Err(RecvTimeoutError::Timeout) {
        for slot in slots {
            let Some(error) = slot.loaded().ok().and_then(|model| changed(&model)) else { continue };
            tracing::error!(model = %slot.options.name, %error, "the model is taken out of service");
            take_out_of_service(slot, context, &error);
        }
    }
}

/// Why a model cannot serve any longer.
fn changed(model: &LoadedModel) -> Option<Error> {
    let file = model.files.iter().find(|file| file.is_changed())?;
    let (model, file) = (&model.name, &file.name);
    Some(Error::InvalidPackage(format!(
        "Cannot serve model {model:?} any longer: {file} was written to in place after it was loaded; rename new files over old ones instead, and start the worker again"
    )))
}
