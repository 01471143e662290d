mod devices;
mod library;
mod poolings;
mod priority;
