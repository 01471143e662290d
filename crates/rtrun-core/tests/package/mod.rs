mod recognized;
mod refused;
