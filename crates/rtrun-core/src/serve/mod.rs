//! The HTTP contract of the worker over TCP and Unix sockets.

mod beside;
mod body;
mod body_budget;
mod bundled;
mod callers;
mod client_limits;
mod connection;
pub mod decisions;
mod encode;
mod endpoints;
mod last_call;
mod listen;
mod object;
mod reply;
mod requests;
mod responses;
mod router;
mod served;
mod server;
mod timing;
mod unstalled;

pub use bundled::ask;
pub use callers::{Callers, Waiting};
pub use client_limits::ClientLimits;
pub use listen::Address;
pub use server::{ServeOptions, Server};
