mod devices;
mod library;
mod normalized_sum;
mod poolings;
mod priority;
