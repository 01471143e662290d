// The log port of the pool: one event with names and numbers, never content.

export type WorkerLog = (
  level: "info" | "warning" | "error",
  event: string,
  fields: Readonly<Record<string, unknown>>,
) => void
