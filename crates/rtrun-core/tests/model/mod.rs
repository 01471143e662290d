mod agreement;
mod profiles;
mod reduced_forms;
