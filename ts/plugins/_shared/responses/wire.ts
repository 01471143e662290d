// The name of the Responses dialect, and ids of what it makes.

export const dialectId = "responses"

/** An id as the API makes them: the kind of thing, and 32 characters that nobody guesses. */
export function makeId(prefix: "resp" | "msg" | "rs" | "fc" | "ctc" | "ig"): string {
  return `${prefix}_${crypto.randomUUID().replaceAll("-", "")}`
}
