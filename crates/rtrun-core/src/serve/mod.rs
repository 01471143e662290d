//! The HTTP contract of the worker over TCP and Unix sockets.

mod ask;
mod body;
mod connection;
pub mod decisions;
mod encode;
mod endpoints;
mod listen;
mod reply;
mod requests;
mod responses;
mod router;
mod server;
mod timing;

pub use ask::ask;
pub use listen::Address;
pub use server::{ServeOptions, Server};
