mod agreement;
mod profiles;
