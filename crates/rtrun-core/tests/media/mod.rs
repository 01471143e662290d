mod faults;
mod pixels;
