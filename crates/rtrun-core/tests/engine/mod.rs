mod answers;
mod budgets;
mod bundle;
mod heads;
mod loading;
mod options;
mod windows;
