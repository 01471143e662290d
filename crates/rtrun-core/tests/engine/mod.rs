mod answers;
mod bundle;
mod images;
mod lanes;
mod loading;
mod options;
mod vectors;
