// What a router did with one prompt, as the headers of its reply say.

export interface Outcome {
  readonly status: number
  readonly decision: string | undefined
  readonly model: string | undefined
  readonly category: string | undefined
  /** Rules that matched, by the key of their signal: `matched.keywords`. */
  readonly matched: Readonly<Record<string, readonly string[]>>
  /** `domain:math` → 0.93. */
  readonly values: Readonly<Record<string, number>>
  /** What plugins did: `system_prompt` → `changed`. */
  readonly plugins: Readonly<Record<string, string>>
  /** Guards that did not read the prompt whole. */
  readonly unscanned: string | undefined
}

export function readOutcome({ status, headers }: Response): Outcome {
  const list = (name: string): readonly string[] => (headers.get(name) ?? "").split(",").filter((item) => item !== "")
  const pairs = (name: string): readonly (readonly [string, string])[] =>
    list(name).map((item) => [item.slice(0, item.lastIndexOf("=")), item.slice(item.lastIndexOf("=") + 1)])
  const prefix = "x-rtr-matched-"
  const names = [...headers.keys()].filter((name) => name.startsWith(prefix))
  return {
    status,
    decision: headers.get("x-rtr-selected-decision") ?? undefined,
    model: headers.get("x-selected-model") ?? undefined,
    category: headers.get("x-rtr-selected-category") ?? undefined,
    matched: Object.fromEntries(names.map((name) => [name.slice(prefix.length), list(name)])),
    values: Object.fromEntries(pairs("x-rtr-signal-values").map(([name, value]) => [name, Number(value)])),
    plugins: Object.fromEntries(pairs("x-rtr-plugins")),
    unscanned: headers.get("x-rtr-unscanned") ?? undefined,
  }
}

/** Why a prompt went where it went: what matched, and the numbers of the signals that decide such cases. */
export function explain({ status, decision, matched, values, unscanned }: Outcome, signals: readonly string[]): string {
  const found = Object.entries(matched).map(([signal, rules]) => `${signal} ${rules.join(", ")}`)
  const best = signals.flatMap((signal) =>
    Object.entries(values)
      .filter(([name]) => name.startsWith(`${signal}:`))
      .toSorted(([, a], [, b]) => b - a)
      .slice(0, 3)
      .map(([name, value]) => `${name} ${value.toFixed(2)}`),
  )
  return [
    status === 200 ? (decision ?? "no decision") : `status ${status}`,
    `matched: ${found.length === 0 ? "nothing" : found.join("; ")}`,
    ...(best.length > 0 ? [`numbers: ${best.join(", ")}`] : []),
    ...(unscanned === undefined ? [] : [`not read whole: ${unscanned}`]),
  ].join(" · ")
}
