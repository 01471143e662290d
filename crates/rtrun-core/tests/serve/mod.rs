mod client;
mod closing;
mod endpoints;
mod limits;
mod metrics;
mod sockets;
