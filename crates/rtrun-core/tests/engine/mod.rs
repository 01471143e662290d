mod answers;
mod bundle;
mod images;
mod loading;
mod options;
