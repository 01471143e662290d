mod adapters;
mod damaged;
mod decisions;
mod recognized;
mod refused;
mod towers;
