// Plain values of a document whose shape nobody has checked.

export type Json = Readonly<Record<string, unknown>>

export const isJson = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The maps of a list. */
export const list = (value: unknown): readonly Json[] => (Array.isArray(value) ? value.filter(isJson) : [])

export const numberOf = (value: unknown): number | undefined => (typeof value === "number" ? value : undefined)
