mod library;
mod poolings;
mod priority;
