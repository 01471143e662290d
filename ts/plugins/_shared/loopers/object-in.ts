// The JSON object in what a model wrote, which may have a fence or words around it.

/** Undefined where there is none. */
export function objectIn(text: string): Readonly<Record<string, unknown>> | undefined {
  const fenced = /```(?:json)?\s*([^]*?)```/.exec(text)?.[1]
  const between = text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1)
  for (const candidate of [text, fenced, between]) {
    const value = candidate === undefined ? undefined : parsed(candidate)
    if (typeof value === "object" && value !== null && !Array.isArray(value))
      return value as Readonly<Record<string, unknown>>
  }
  return undefined
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
