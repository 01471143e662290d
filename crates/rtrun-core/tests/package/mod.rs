mod recognized;
mod refused;
mod towers;
