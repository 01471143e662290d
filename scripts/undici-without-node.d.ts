// Stands for undici's types where the kernel is checked: those refer to Node's, which then hold in every file. ofetch names one.

export type Dispatcher = object
