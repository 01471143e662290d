mod answers;
mod bundle;
mod lanes;
mod loading;
mod options;
mod vectors;
