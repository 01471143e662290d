// What is wrong with texts and roles of a client's message, for every dialect.

/** A lone surrogate cannot be encoded and NUL ends the text for some readers, so backends and models would each read something else. */
export function textProblem(text: string): string | undefined {
  if (text.includes("\0")) return "holds a NUL character"
  return text.isWellFormed() ? undefined : "holds a lone surrogate, which is not valid Unicode text"
}

/** Longer than any role that a model knows. */
const maxRoleCharacters = 64

const roles: ReadonlySet<string> = new Set(["assistant", "developer", "function", "system", "tool", "user"])

/** Some backends take "User" for the user, and a guard would take it for somebody else. Other roles pass: models have their own. */
export function roleProblem(role: unknown): string | undefined {
  if (typeof role !== "string" || role === "") return "must be a non-empty string"
  if (roles.has(role)) return undefined
  if (role.length > maxRoleCharacters) return `must be at most ${maxRoleCharacters} characters long`
  const meant = role
    .normalize("NFKC")
    .replace(/[^\p{L}]/gu, "")
    .toLowerCase()
  return roles.has(meant) ? `must be "${meant}", not another spelling of it` : undefined
}
