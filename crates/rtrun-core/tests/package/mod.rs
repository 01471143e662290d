mod adapters;
mod recognized;
mod refused;
