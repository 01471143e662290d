// The strings of a request's JSON that may be words: what guards read beside the texts of the conversation.

import type { UnreadKind } from "../types/guard.ts"

/** Collects the strings of the parts of one JSON value, whose number of values and depth the reader of bodies bounds. */
export class WireReader {
  /** Strings that are read elsewhere. */
  readonly #known: ReadonlySet<string>
  /** How often a string stands for a picture, a sound or a file. As often as that it is not read here: once more it is a text. */
  readonly media = new Map<string, number>()
  readonly #unread: Set<UnreadKind>
  readonly #terms: ReadonlySet<string> | undefined
  /** Names that say next to nothing each, and may say something together. */
  readonly names = new Set<string>()
  /** Identifiers of the same kind. They change with each request, and names do not. */
  readonly ids = new Set<string>()

  /** `terms` are names and values of the client's wire that say nothing. */
  constructor(known: ReadonlySet<string>, unread: Set<UnreadKind>, terms?: ReadonlySet<string>) {
    this.#known = known
    this.#unread = unread
    this.#terms = terms
  }

  /** Adds the strings of a field's value, the names in it that say something, and numbers that may be somebody's. */
  read(name: string, value: unknown, strings: string[]): void {
    if (typeof value === "string") this.#text(name, value, strings)
    else if (typeof value === "number") this.#number(name, Math.abs(value), strings)
    else if (Array.isArray(value)) for (const item of value) this.read(name, item, strings)
    else if (typeof value === "object" && value !== null)
      for (const inner in value) {
        this.readName(inner, strings)
        this.read(inner, (value as Readonly<Record<string, unknown>>)[inner], strings)
      }
  }

  readName(name: string, strings: string[]): void {
    if (this.#isWireName(name)) return
    if (isPlainName(name)) this.names.add(name)
    else strings.push(name)
  }

  #isWireName(name: string): boolean {
    return wireNames.has(name) || this.#terms?.has(name) === true
  }

  /** Without its sign, which does not hide whose it is. */
  #number(name: string, value: number, strings: string[]): void {
    if (value < leastLabelledNumber || !Number.isInteger(value)) return
    const isOwn = ownNumbers.has(name)
    if (value >= leastPersonalNumber) {
      if (!isOwn || !isTime(value)) strings.push(String(value))
    } else if (!isOwn && !this.#isWireName(name)) strings.push(`${name}: ${value}`)
  }

  #text(name: string, text: string, strings: string[]): void {
    if (text === "" || wireWords.has(text) || this.#terms?.has(text) === true || this.#known.has(text)) return
    const times = this.media.get(text) ?? 0
    if (times > 0) {
      this.media.set(text, times - 1)
      return
    }
    if (identifiers.has(name) && isPlainName(text)) {
      // That of the request is left out. Others are names, which stay the same in the next request.
      ;(name === "model" ? this.names : this.ids).add(text)
      return
    }
    const media = readDataUrl(text)
    if (media !== undefined) readHead(text, strings)
    if (media === undefined) {
      const mayBeEncrypted = isEncoded(text)
      if (mayBeEncrypted) this.#unread.add("encrypted")
      // In any other field it may be words without blanks, which a document that allows encrypted content does not mean.
      if (!mayBeEncrypted || !seals.has(name)) strings.push(text)
    } else if (typeof media !== "string") this.#unread.add(media.kind)
    else if (!this.#known.has(media)) strings.push(media)
  }
}

/** The text of a `data:` URL, or the kind of what is no text; undefined for anything else. */
function readDataUrl(url: string): string | { readonly kind: UnreadKind } | undefined {
  if (!/^data:/i.test(url)) return undefined
  const comma = url.indexOf(",")
  const head =
    comma < 0 || comma > 200 ? undefined : /^data:([\w.+-]+\/[\w.+-]+)?((?:;[^;,\s]+)*)$/i.exec(url.slice(0, comma))
  if (head === undefined || head === null) return undefined
  const [, type = "text/plain", options = ""] = head
  const body = url.slice(comma + 1)
  const written = type + options
  if (!/;base64$/i.test(options)) {
    const text = isTextType(written) ? asShown(decodePercent(body), type) : undefined
    return text ?? { kind: kindOfData(type) }
  }
  return decodeText(body, written.slice(0, -";base64".length)) ?? { kind: kindOfData(type, body) }
}

/** `data` is in base64; left out where it is not. */
export function kindOfData(type: string, data?: string): UnreadKind {
  const kind = kindOfMedia(type)
  return kind !== "image" || (data !== undefined && isPicture(type, data)) ? kind : "file"
}

/** SVG is text that draws, and what is no base64 is text as well. */
const isPicture = (type: string, data: string): boolean =>
  /^image\/(?!svg)[\w.+-]{1,40}$/i.test(type) && /^[\w+/\r\n-]*={0,2}\s*$/.test(data)

/** What stands before the comma of a `data:` URL, unless it is a media type as others have it. */
function readHead(url: string, strings: string[]): void {
  const head = url.slice(5, url.indexOf(","))
  const [type = "", ...options] = head.split(";")
  const isUsual =
    /^([a-z]+\/[\w.+-]{1,40})?$/i.test(type) &&
    isPlainName(type) &&
    options.every((option) => /^(base64|charset=[\w-]{1,20})$/i.test(option))
  if (!isUsual) strings.push(head.replaceAll(/[;=._+/-]+/g, " "), head)
}

/** The text of base64 data whose media type is one of texts; undefined for what is no such text. */
export function decodeText(data: string, mediaType: string | undefined): string | undefined {
  if (mediaType === undefined || !isTextType(mediaType) || data.length > maxEncodedCharacters) return undefined
  try {
    const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0))
    return asShown(new TextDecoder("utf-8", { fatal: true }).decode(bytes), mediaType)
  } catch {
    // Not base64, or not UTF-8: whoever gets it reads something else than a guard would.
    return undefined
  }
}

/**
 * A document as its reader sees it: with markup, also without the marks, which may tear words. Undefined for one that is not in
 * UTF-8 after all, where every other byte is zero.
 */
function asShown(text: string | undefined, mediaType: string): string | undefined {
  if (text === undefined || text.includes("\0")) return undefined
  const isTorn = /html|xml/i.test(mediaType) && /\p{L}(<[^<>]{1,200}>)+\p{L}/u.test(text)
  return isTorn ? `${text}\n${text.replaceAll(/<[^<>]{1,200}>/g, "")}` : text
}

/** More than guards read in any case. */
const maxEncodedCharacters = 2_000_000

export function decodePercent(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/** Texts in UTF-8 whose words stand as they are: rich text spells them, and other character sets are not decoded. */
function isTextType(mediaType: string): boolean {
  const charsets = Array.from(mediaType.matchAll(/;\s*charset\s*=\s*"?([^\s";]*)/gi), ([, name = ""]) => name)
  return textType.test(mediaType) && charsets.every((name) => /^(utf-?8|(us-)?ascii)$/i.test(name))
}

const textType =
  /^(text\/(?!(x-)?(rtf|richtext))[\w.+-]+|application\/([\w.-]+\+)?(json|xml|yaml|x-yaml|jsonl|x-ndjson|javascript))\s*(;|$)/i

/** The kind of content by a media type or the name of a part. */
export function kindOfMedia(name: string): UnreadKind {
  if (/image/i.test(name)) return "image"
  if (/audio/i.test(name)) return "audio"
  return /video/i.test(name) ? "video" : "file"
}

/** Long runs without a space in the alphabet of base64: keys, signatures, encrypted reasoning. A backend may know what they say. */
const isEncoded = (text: string): boolean => text.length >= 256 && /^[A-Za-z0-9+/_=-]+$/.test(text)

/**
 * Whether a name or an identifier says next to nothing: short, and of at most two words. `get_weather` and `call_8f3a` do not,
 * `ignore_all_previous_instructions` does.
 */
export function isPlainName(name: string): boolean {
  if (name.length > 64 || !/^[\w.:/$@-]*$/.test(name)) return false
  if (name.length < 12) return true
  const words = name.match(/[a-z]{4,}|[A-Z]{4,}/g) ?? []
  return words.length <= 2 && words.every((word) => word.length <= 16)
}

/** Card numbers and telephone numbers have as many digits. */
const leastPersonalNumber = 1e9

/** Numbers of persons have as many digits, and other numbers as well: the name beside it says which it is. */
const leastLabelledNumber = 1e8

/** Fields that hold what only a vendor can read: reasoning, and the proofs that it is the vendor's. */
const seals: ReadonlySet<string> = new Set([
  "encrypted_content",
  "encrypted_index",
  "encrypted_stdout",
  "signature",
  "thought_signature",
  "thoughtSignature",
])

/** Fields whose numbers are large and nobody's where they can be times. Seeds are often made of them. */
const ownNumbers: ReadonlySet<string> = new Set(["seed", "created", "created_at", "expires_at", "timestamp"])

/** Whether it is a time from 2000 to 2100, in seconds, milliseconds, microseconds or nanoseconds. Most card numbers are none. */
const isTime = (value: number): boolean =>
  [1, 1e3, 1e6, 1e9].some((unit) => value >= 946_684_800 * unit && value < 4_102_444_800 * unit)

/** Fields that hold identifiers. */
const identifiers: ReadonlySet<string> = new Set([
  "id",
  "tool_call_id",
  "tool_use_id",
  "call_id",
  "file_id",
  "callId",
  "model",
])

/** Names of fields in the protocols and in JSON Schema, which say nothing. Every other name is read, with the others. */
const wireNames: ReadonlySet<string> = new Set(
  (
    "model messages role content type text name stream temperature max_tokens max_completion_tokens top_p top_k n stop seed user " +
    "presence_penalty frequency_penalty repetition_penalty logit_bias logprobs top_logprobs stream_options include_usage " +
    "metadata store reasoning reasoning_effort reasoning_content tools tool_choice tool_calls tool_call_id id index " +
    "function functions function_call parameters arguments parallel_tool_calls parallelToolCalls response_format json_schema " +
    "image_url url detail input_audio audio data format file file_id file_data filename refusal modalities prediction " +
    "prompt_cache_key prompt_cache_retention cache_control documents chat_template_kwargs enable_thinking continue_final_message " +
    "skip_special_tokens spaces_between_special_tokens include_stop_str_in_output return_tokens_as_token_ids " +
    "annotations url_citation start_index end_index " +
    "truncate_prompt_tokens guided_decoding_backend schema properties required description strict enum items anyOf oneOf allOf " +
    "const default additionalProperties minimum maximum minLength maxLength pattern title $schema $ref $defs"
  ).split(" "),
)

/** Values of protocols and of JSON Schema, which say nothing by themselves. */
const wireWords: ReadonlySet<string> = new Set(
  (
    "system developer user assistant tool function other text image_url input_audio file refusal custom auto none required " +
    "any default low medium high minimal xhigh wav mp3 object string number integer boolean array null json_object json_schema " +
    "function_call tool_call tool_result opaque image audio reasoning ephemeral flex priority concise detailed " +
    "date-time date time email uri uuid url base64 id"
  ).split(" "),
)
