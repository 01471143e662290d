mod client;
mod closing;
mod contract;
mod endpoints;
mod images;
mod limits;
mod metrics;
mod sockets;
