// What a guard has to read, and what follows when it did not.

import type { Fact, UnknownReason } from "./fact.ts"

/** Content that no guard can read. `other` is what only the dialect of the client knows, without a text. */
export const unreadKinds = ["image", "audio", "video", "file", "encrypted", "other"] as const
export type UnreadKind = (typeof unreadKinds)[number]

/** How one rule of a guard takes what it could not read. */
export interface GuardPolicy {
  /** block: its unknown fact counts as found in every condition; allow: conditions and decisions say what it means. */
  readonly onUnscanned: "block" | "allow"
  /** Whether it reads every text of the request, or those of the last user turn alone. */
  readonly readsEverything: boolean
  readonly allowedUnread: ReadonlySet<UnreadKind>
  /** About how many tokens of a request the rule reads; all that guards read where left out. */
  readonly maxScanTokens?: number | undefined
}

/** What holds for a rule that says nothing. */
export const strictPolicy: GuardPolicy = { onUnscanned: "block", readsEverything: true, allowedUnread: new Set() }

/** A rule of a guard that did not read all that it has to. */
export interface Unscanned {
  /** Condition type of the guard. */
  readonly guard: string
  readonly rule: string
  readonly reason: UnknownReason
}

/** What one rule of a guard says to a request. */
export interface GuardReading {
  /** Condition type of the guard. */
  readonly guard: string
  readonly fact: Fact
  readonly policy: GuardPolicy
  /** What its settings say of a text in a language that it was not measured in; left out where they leave that to decisions. */
  readonly onUnknown?: "match" | "no_match" | undefined
}
