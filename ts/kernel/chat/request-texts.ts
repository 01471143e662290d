// What guards read of a request: every text that a backend gets, or those of the last user turn.

import { RtrError } from "../error.ts"
import type { Block, ChatRequest, Citation, Turn } from "../types/chat.ts"
import type { DialectModule } from "../types/dialect.ts"
import type { UnknownReason } from "../types/fact.ts"
import type { GuardPolicy, UnreadKind } from "../types/guard.ts"
import type { SignalInput } from "../types/signal.ts"
import { textsWithin } from "./scan-budget.ts"
import { lastUserTurns, textOf } from "./texts.ts"
import { decodePercent, decodeText, kindOfData, kindOfMedia, WireReader } from "./wire-strings.ts"

/**
 * Most texts of one request: each is a question to a model, which answers some 200 in a second on one core. A longer
 * conversation would hold the workers for everybody else until the deadline.
 */
const maxTexts = 1000

/** Most characters of them together: about 200,000 words, which a model reads in the time that signals have. */
export const maxTextCharacters = 1_000_000

/** The texts of a request, as far as they can be read. */
interface RequestTexts {
  /** Each once, in order, without blank ones. */
  readonly texts: readonly string[]
  /** How many of them, the first ones, are of messages. */
  readonly ofTurns: number
  /** Those that stand only where the application or its model speaks. */
  readonly trusted: ReadonlySet<string>
  /** Those that are made of others, which have a few words each. */
  readonly joined: ReadonlySet<string>
  /** What is no text. */
  readonly unread: ReadonlySet<UnreadKind>
  /** There is more than guards read. */
  readonly isCut: boolean
}

/** What guards may ask of a request. It is read on first use. */
export interface GuardTexts {
  /** What a rule has to read. Throws `scan_budget_exceeded` when that is too much. */
  readonly textsFor: SignalInput["textsFor"]
  readonly isTrusted: SignalInput["isTrusted"]
  readonly isJoined: SignalInput["isJoined"]
  /** Why a rule that found nothing does not know that there is nothing; undefined when it does. */
  readonly gapFor: (policy: GuardPolicy) => UnknownReason | undefined
  /** Whether a rule reads the whole request, and finds something to read in it. */
  readonly isWholeFor: (policy: GuardPolicy) => boolean
}

/** `dialect` is the client's: what it writes for a backend is what is read. */
export function guardTexts(request: ChatRequest, dialect?: DialectModule): GuardTexts {
  let everything: RequestTexts | undefined
  let latest: RequestTexts | undefined
  const ofAll = (): RequestTexts => (everything ??= readRequestTexts(request, dialect))
  const ofLast = (): RequestTexts => (latest ??= readLastUserTexts(request))
  /** Several rules of one budget read the same. */
  let within: Map<string, readonly string[]> | undefined
  const fitting = ({ texts, ofTurns }: RequestTexts, readsEverything: boolean, budget: number | undefined) => {
    if (budget === undefined) return texts
    const key = `${readsEverything} ${budget}`
    const found = within?.get(key) ?? textsWithin(texts, budget, ofTurns)
    ;(within ??= new Map()).set(key, found)
    return found
  }
  return {
    textsFor({ include_history: readsEverything = true, max_scan_tokens: budget }) {
      const read = readsEverything ? ofAll() : ofLast()
      if (!read.isCut) return fitting(read, readsEverything, budget)
      throw new RtrError(
        "scan_budget_exceeded",
        `Guards read at most ${maxTexts} texts and ${maxTextCharacters} characters of a request`,
      )
    },
    isTrusted: (text) => ofAll().trusted.has(text),
    isJoined: (text) => ofAll().joined.has(text) || latest?.joined.has(text) === true,
    gapFor({ readsEverything, allowedUnread, maxScanTokens }) {
      const read = readsEverything ? ofAll() : ofLast()
      if (read.isCut || fitting(read, readsEverything, maxScanTokens).length < read.texts.length) return "input_limit"
      for (const kind of read.unread) if (!allowedUnread.has(kind)) return "unreadable_content"
      return undefined
    },
    isWholeFor({ readsEverything, maxScanTokens }) {
      const all = ofAll()
      const { texts, unread, isCut } = all
      if (fitting(all, true, maxScanTokens).length < texts.length) return false
      return (
        !isCut && unread.size === 0 && texts.length > 0 && (readsEverything || ofLast().texts.length === texts.length)
      )
    },
  }
}

/** Fewer texts of a few words each have no room for an attack. */
const fewestFragments = 3

/** Whether a text is of five words at most. */
const isFragment = (text: string): boolean => text.length <= 80 && /^\s*\S+(?:\s+\S+){0,4}\s*$/u.test(text)

/** Fields of requests that hold definitions of tools, in every protocol. */
const toolFields: ReadonlySet<string> = new Set(["tools", "functions"])

/**
 * Every text of a request: turns of every role, what stands beside their texts, and every other string that goes to a backend.
 * Other strings of one message, tool or list entry are one text; those of all other fields are another.
 */
function readRequestTexts(request: ChatRequest, dialect?: DialectModule): RequestTexts {
  const found = new Collector(dialect?.wireTerms)
  const lastAsking = request.turns.findLastIndex(({ role }) => role !== "assistant" && role !== "system")
  for (const [index, turn] of request.turns.entries()) {
    if (found.isCut) return found.result()
    found.turn(turn, index < lastAsking)
  }
  found.endTurns()
  const rest: string[] = []
  const body = sentBody(request, dialect)
  for (const name in body) {
    const value = body[name]
    if (dialect?.references?.has(name) && (value ?? "") !== "") found.unreadable("other")
    if (!Array.isArray(value)) found.wire(name, value, rest)
    else
      for (const item of value) {
        if (found.isCut) return found.result()
        const strings: string[] = []
        found.wire(name, item, strings)
        if (strings.length === 0) continue
        found.add(strings.join("\n"), toolFields.has(name))
        found.fragment(strings.join(" "))
      }
  }
  if (rest.length > 0) found.add(rest.join("\n"))
  // The canonical form has names of its own.
  if (dialect !== undefined) found.names()
  return found.result()
}

/** The last user turn with a text and the turns after it that a backend may take for the user's, with all their parts. */
function readLastUserTexts(request: ChatRequest): RequestTexts {
  const found = new Collector()
  const turns = lastUserTurns(request)
  for (const turn of turns) found.turn(turn)
  const strings: string[] = []
  for (const { blocks, name } of turns) {
    found.wire("name", name, strings)
    for (const block of blocks)
      if (block.type === "opaque") found.wire("value", block.value, strings)
      else if (block.type === "file") found.wire("name", block.name, strings)
  }
  found.add(strings.join("\n"))
  found.endTurns()
  return found.result()
}

/** The JSON that a backend of the client's dialect gets; the canonical form where there is none. */
function sentBody(request: ChatRequest, dialect: DialectModule | undefined): Readonly<Record<string, unknown>> {
  try {
    if (dialect !== undefined) return dialect.writeRequest(request, { model: "" })
  } catch {
    // It cannot be sent as it is. What is sent instead has no other strings.
  }
  const { model: _, origin: __, turns, ...body } = request
  return { ...body, turns: turns.map(({ origin: ___, ...turn }) => turn) }
}

/** Whose short messages are one text together: a model may read them in a row. Results of tools are what others than the model say. */
type Speaker = "user" | "system" | "assistant"

class Collector {
  readonly #texts = new Set<string>()
  readonly #trusted = new Set<string>()
  /** Strings of blocks that are read, or that no client could write. */
  readonly #known = new Set<string>()
  readonly #unread = new Set<UnreadKind>()
  readonly #wire: WireReader
  #characters = 0
  #ofTurns = 0
  #isTrustedTurn = false
  /** What each kind of speaker says in a few words, and then entries of lists, in their order. */
  readonly #fragments = new Map<Speaker, string[]>()
  readonly #joined = new Set<string>()
  isCut = false

  constructor(terms?: ReadonlySet<string>) {
    this.#wire = new WireReader(this.#known, this.#unread, terms)
  }

  result(): RequestTexts {
    // What follows may say the same.
    const trusted: ReadonlySet<string> = this.isCut ? new Set() : this.#trusted
    const [joined, unread] = [this.#joined, this.#unread]
    return { texts: [...this.#texts], ofTurns: this.#ofTurns, trusted, joined, unread, isCut: this.isCut }
  }

  /** What is added from now on is of no message. */
  endTurns(): void {
    this.#joinFragments()
    this.#ofTurns = this.#texts.size
  }

  fragment(text: string, speaker: Speaker = "user"): void {
    if (!isFragment(text)) return
    const fragments = this.#fragments.get(speaker)
    if (fragments === undefined) this.#fragments.set(speaker, [text.trim()])
    else fragments.push(text.trim())
  }

  /** Words can be spread over messages and entries of lists. */
  #joinFragments(): void {
    for (const fragments of this.#fragments.values()) {
      if (fragments.length < fewestFragments) continue
      const text = fragments.join(" ").toWellFormed()
      if (!this.#texts.has(text)) this.#joined.add(text)
      this.add(text, false)
    }
    this.#fragments.clear()
  }

  add(written: string, isTrusted = this.#isTrustedTurn): void {
    if (this.isCut || written === "") return
    if (written.length > maxTextCharacters) {
      this.isCut = true
      return
    }
    if (written.trim() === "") return
    // A worker refuses half a character, and with it every question of the call.
    const text = written.toWellFormed()
    if (this.#texts.has(text)) {
      if (!isTrusted && this.#trusted.delete(text)) this.#addPlain(text, false)
      return
    }
    if (hiddenRun.test(text)) this.#unread.add("encrypted")
    this.#characters += text.length
    // Those that are made of others are no further texts of the request.
    if (this.#texts.size - this.#joined.size >= maxTexts || this.#characters > maxTextCharacters) {
      this.isCut = true
      return
    }
    this.#texts.add(text)
    if (isTrusted) this.#trusted.add(text)
    this.#addPlain(text, isTrusted)
  }

  unreadable(kind: UnreadKind): void {
    this.#unread.add(kind)
  }

  /** What the text says without escapes, and what it shows and hides where it holds characters that nobody sees. */
  #addPlain(text: string, isTrusted: boolean): void {
    const unescaped = text.includes("\\u") ? withoutEscapes(text) : text
    if (unescaped !== text) this.add(unescaped, isTrusted)
    const { shown, hidden } = splitTags(text)
    if (shown !== text) this.add(shown, isTrusted)
    this.add(hidden, isTrusted)
  }

  /** Names and identifiers, each kind as one text, and fragments: words can be spread over many. */
  names(): void {
    this.#joinFragments()
    for (const words of [this.#wire.names, this.#wire.ids]) if (words.size > 0) this.add([...words].join(" "))
  }

  /** `isAnswered`: a user or a tool says something after it. A model continues the last turn of a request, whoever wrote it. */
  turn(turn: Turn, isAnswered = false): void {
    const text = textOf(turn)
    const speaker = turn.role === "system" || turn.role === "assistant" ? turn.role : "user"
    this.fragment(text, speaker)
    for (const block of turn.blocks) {
      if (block.type === "tool_result") this.fragment(textOf(block), "user")
      else if (block.type === "refusal" || block.type === "reasoning") this.fragment(block.text, speaker)
    }
    this.#isTrustedTurn = turn.role === "system" || (isAnswered && saysItself(turn))
    this.#blocks(turn, text)
    this.#isTrustedTurn = false
  }

  #blocks({ blocks }: Pick<Turn, "blocks">, text: string): void {
    this.add(text)
    for (const block of blocks) this.#block(block)
  }

  /** Strings of a piece of JSON that are in no block. */
  wire(name: string, value: unknown, strings: string[]): void {
    this.#wire.readName(name, strings)
    this.#wire.read(name, value, strings)
  }

  #block(block: Block): void {
    switch (block.type) {
      case "text":
        this.#known.add(block.text)
        if (block.citations !== undefined) this.#citations(block.citations)
        return
      case "tool_call":
        this.#read(block.arguments)
        return
      case "tool_result":
        this.#blocks(block, textOf(block))
        return
      case "refusal":
        this.#read(block.text)
        return
      case "reasoning":
        this.#read(block.text)
        // What the router has kept is what a model said, and no client could write it.
        if (block.encrypted === undefined)
          return block.thoughtBy === undefined ? this.#signature(block.signature) : undefined
        this.#known.add(block.encrypted)
        if (block.thoughtBy === undefined) this.#unread.add("encrypted")
        return
      case "opaque":
        this.#opaque(block)
        return
      default:
        // A dialect from outside may pass on what is no block.
        if (typeof block.source === "object") this.#media(block)
        else this.#unread.add("other")
    }
  }

  /** The proof of another vendor, which the body for a backend of the client's own dialect leaves out. */
  #signature(signature: string | undefined): void {
    const strings: string[] = []
    this.#wire.read("signature", signature, strings)
    for (const text of strings) this.#read(text)
  }

  /** One text: a body for a backend of the client's own dialect may leave out what another vendor made. */
  #citations(citations: readonly Citation[]): void {
    const strings: string[] = []
    for (const { url, title, quote } of citations)
      for (const text of [url, title, quote]) this.#wire.read("citations", text, strings)
    this.add(strings.join("\n"))
    for (const text of strings) this.#known.add(text)
  }

  #read(text: string): void {
    this.#known.add(text)
    this.add(text)
  }

  #media(block: Extract<Block, { readonly source: unknown }>): void {
    const { source } = block
    if (block.type === "audio" && block.transcript !== undefined) this.#read(block.transcript)
    if (source.kind === "url" && /^\s*data:/i.test(source.url)) return this.#dataUrl(source.url.trim())
    const isData = source.kind === "base64"
    const kind = block.type === "image" && isData ? kindOfData(source.mediaType ?? "image", source.data) : block.type
    const text = kind === "file" && isData ? decodeText(source.data, source.mediaType) : undefined
    const written = source.kind === "url" ? source.url : source.kind === "base64" ? source.data : source.id
    const prose = source.kind === "url" ? proseOf(written) : undefined
    if (prose !== undefined) this.#read(prose)
    this.#wire.media.set(written, (this.#wire.media.get(written) ?? 0) + 1)
    if (text === undefined) this.#unread.add(kind)
    else this.#read(text)
  }

  /** It may be a text, whatever part it stands in. */
  #dataUrl(url: string): void {
    const strings: string[] = []
    this.#wire.read("url", url, strings)
    for (const text of strings) this.#read(text)
  }

  /** A part that only one dialect knows: its text is read, and where it names pictures or sound, those are not. */
  #opaque({ value, text }: Extract<Block, { readonly type: "opaque" }>): void {
    if (text !== undefined) this.#known.add(text)
    const type = typeof value === "object" && value !== null && "type" in value ? String(value.type) : ""
    if (/image|audio|video|file|document/i.test(type)) this.#unread.add(kindOfMedia(type))
    else if (text === undefined) this.#unread.add("other")
  }
}

/** Whether an assistant's turn holds the model's own words alone: no quotes, documents or results, and no name of another agent. */
const saysItself = ({ role, name, blocks }: Turn): boolean =>
  role === "assistant" &&
  name === undefined &&
  blocks.every((block) =>
    block.type === "text"
      ? block.citations === undefined && block.isDocument !== true
      : block.type === "tool_call" || block.type === "reasoning" || block.type === "refusal",
  )

/**
 * Characters that show nothing, or that mean something to the two ends only: bytes can be written with them. Selectors of variants belong
 * to ideographs, and only one to each.
 */
const hiddenRun =
  /(?<!\p{sc=Han})[\u{e0100}-\u{e01ef}]|[\ufe00-\ufe0f]{3}|[\ufe00-\ufe0f\ue000-\uf8ff\u{f0000}-\u{10fffd}]{4}|[\u200b-\u200f\u2060-\u2064\ufeff]{8}/u

/**
 * What a text shows and what it spells in tag characters, which nobody sees and models read as ASCII. Flags of regions are made of
 * them, too.
 */
function splitTags(text: string): { readonly shown: string; readonly hidden: string } {
  const codes = (text.match(tags) ?? [])
    .filter((part) => !flag.test(part))
    .map((tag) => (tag.codePointAt(0) ?? 0) & 0x7f)
  if (codes.length === 0) return { shown: text, hidden: "" }
  const spelled = codes.filter((code) => code >= 0x20 && code < 0x7f).map((code) => String.fromCharCode(code))
  return { shown: text.replaceAll(tags, (part) => (flag.test(part) ? part : "")), hidden: spelled.join("") }
}

/** A tag, or a flag as a whole. */
const tags = /\u{1f3f4}[\u{e0061}-\u{e007a}\u{e0030}-\u{e0039}]{2,6}\u{e007f}|[\u{e0000}-\u{e007f}]/gu
const flag = /^\u{1f3f4}/u

const [longestAddress, mostWordsOfAddress] = [4096, 8]

/** What an address says that is longer than addresses are, or has more words. */
function proseOf(url: string): string | undefined {
  if (url.length > longestAddress) return url
  const words = (decodePercent(url) ?? url).replaceAll(/[-_+./?=&#%:]+/g, " ")
  return (words.match(/\p{L}{2,}/gu)?.length ?? 0) > mostWordsOfAddress ? words : undefined
}

/** Letters that stand as `\u0061`, as who parses them reads them. */
const withoutEscapes = (text: string): string =>
  text
    .replaceAll(/\\u([0-9a-fA-F]{4})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .toWellFormed()
