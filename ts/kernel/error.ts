// The one error class and the closed list of codes, with the HTTP status of each.

/** Every code that an `RtrError` may carry. The worker uses the same strings; `test/kernel/error.test.ts` compares the lists. */
export const errorCodes = {
  invalid_request: 400,
  no_model_selected: 400,
  invalid_api_key: 401,
  model_not_allowed: 403,
  identity_required: 403,
  // A guard found an attack in what the model answered, or did not read all of it.
  reply_blocked: 403,
  model_not_found: 404,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  context_length_exceeded: 413,
  request_too_large: 413,
  unsupported_media_type: 415,
  unsupported_surface: 422,
  overloaded: 429,
  client_closed_request: 499,
  internal_error: 500,
  invalid_config: 500,
  invalid_module: 500,
  not_supported: 501,
  upstream_error: 502,
  not_ready: 503,
  unavailable: 503,
  signal_unresolved: 503,
  upstream_unavailable: 503,
  deadline_exceeded: 504,
  upstream_timeout: 504,
  // A backend is a router that sends the request back.
  loop_detected: 508,
  // Item codes: one input of a worker request failed, the others did not.
  invalid_input: 400,
  invalid_model_output: 500,
  invalid_question: 400,
  max_length_exceeded: 400,
  scan_budget_exceeded: 400,
  // A model's vocabulary has nothing for words of the text, so it did not see them.
  unread_words: 400,
  // Guards have to read the request, and it has content that is no text, such as an image.
  unreadable_content: 400,
  // The worker was started with options or a package that cannot work.
  invalid_options: 400,
  invalid_package: 500,
} as const

export type ErrorCode = keyof typeof errorCodes

/** A path into a document: keys and list positions, outermost first. */
export type DocumentPath = readonly (string | number)[]

export interface RtrErrorDetails {
  readonly path?: DocumentPath
  readonly hint?: string
  readonly cause?: unknown
  /** Seconds after which a retry makes sense; becomes the `Retry-After` header. */
  readonly retryAfterSeconds?: number
  /** Why a backend's reply is none, in words that are fixed in the code: the log shows them, so they never hold what a backend sent. */
  readonly reason?: string
}

/**
 * What every part of the product throws when it knows what went wrong.
 * The message says the action, the value and what would be right, and never carries a secret or text from a prompt.
 */
export class RtrError extends Error {
  override readonly name = "RtrError"
  readonly code: ErrorCode
  readonly path: DocumentPath | undefined
  readonly hint: string | undefined
  readonly retryAfterSeconds: number | undefined
  readonly reason: string | undefined

  constructor(code: ErrorCode, message: string, details: RtrErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.code = code
    this.path = details.path
    this.hint = details.hint
    this.retryAfterSeconds = details.retryAfterSeconds
    this.reason = details.reason
  }

  get status(): number {
    return errorCodes[this.code]
  }
}

/** What is wrong with what a backend sent, in fixed words. */
export const upstreamFault = (reason: string, cause?: unknown): RtrError =>
  new RtrError("upstream_error", reason, { reason, cause })

/** Kept apart from the errors, whose messages may be changed by whoever catches them. */
const faultTexts = new WeakMap<object, string>()

/**
 * The kernel's own error about a module. The log shows its text whole, so it has names of the document and of the contract
 * and numbers, and nothing else that a module returned.
 */
export function moduleFault(text: string, code: ErrorCode = "invalid_module"): RtrError {
  const error = new RtrError(code, text)
  faultTexts.set(error, text)
  return error
}

/** The text of an error that `moduleFault` made; undefined for every other one, such as those that modules make. */
export const moduleFaultText = (error: unknown): string | undefined =>
  typeof error === "object" && error !== null ? faultTexts.get(error) : undefined

/** Recognises an `RtrError` by name and code, because an outside module may carry its own copy of the class. */
export function isRtrError(value: unknown): value is RtrError {
  return (
    value instanceof Error &&
    value.name === "RtrError" &&
    "code" in value &&
    Object.hasOwn(errorCodes, String(value.code))
  )
}

/** How a time reads in a message: `1 second`, `0.3 seconds`. */
export const secondsText = (ms: number): string => `${ms / 1000} second${ms === 1000 ? "" : "s"}`
