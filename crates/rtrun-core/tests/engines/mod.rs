mod devices;
mod library;
mod poolings;
