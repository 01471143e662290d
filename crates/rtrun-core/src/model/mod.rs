//! One served model: its slot, how it is loaded, what it says about itself.

mod back_lane;
mod blueprint;
mod card;
mod golden_check;
mod graphs;
mod heap;
mod load;
mod loaded;
mod memory;
mod open;
mod place;
mod profile;
mod slot;
mod supervise;
mod watch;

pub use card::{GoldenStatus, ModelCard};
pub use load::LoadContext;
pub use loaded::LoadedModel;
pub use profile::{Agreement, Profile, ProfileReport, Rung, probe_texts, rungs};
pub use slot::{ModelState, ModelStatus, Slot};
pub use supervise::supervise;
pub use watch::watch_files;
