//! Where models compute.

pub mod cuda;
mod device;
mod report;

pub use device::{Device, DeviceChoice};
pub use report::{DeviceReport, devices};
