mod decisions;
mod recognized;
mod refused;
