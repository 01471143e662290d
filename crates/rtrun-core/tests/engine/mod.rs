mod answers;
mod bundle;
mod loading;
mod options;
mod vectors;
