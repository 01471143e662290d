mod adapters;
mod damaged;
mod recognized;
mod refused;
