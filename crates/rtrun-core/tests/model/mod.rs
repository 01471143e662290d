mod agreement;
mod profiles;
mod rankings;
mod reduced_forms;
