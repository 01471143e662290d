// What the pool tells its host: one event with names and numbers, never content.

export type WorkerLog = (
  level: "info" | "warning" | "error",
  event: string,
  fields: Readonly<Record<string, unknown>>,
) => void
