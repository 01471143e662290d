mod library;
mod poolings;
