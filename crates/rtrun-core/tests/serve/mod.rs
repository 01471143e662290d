mod client;
mod closing;
mod contract;
mod endpoints;
mod limits;
mod metrics;
mod sockets;
