// Where a server listens.

export type Address = { readonly host: string; readonly port: number } | { readonly path: string }

export const local = (port: number): { readonly host: string; readonly port: number } => ({ host: "127.0.0.1", port })
