// Matches how the conversation is built: messages by role, tools, their calls and results, images.

import {
  type Block,
  type ChatRequest,
  defineSignal,
  type Fact,
  literals,
  predicateHolds,
  predicateProblem,
  section,
  type Turn,
  Type,
} from "../../kernel/index.ts"
import { beforeTools, waiting } from "../_shared/loopers/suspended.ts"
import { numberPredicate } from "../_shared/signals/number-predicate.ts"

const roles = ["user", "assistant", "system", "developer", "tool", "non_user"] as const
type Role = (typeof roles)[number]

/** What can be counted; of the states there is one or none. */
const counts = {
  message: ({ turns }: ChatRequest, role?: Role) => countMessages(turns, role),
  tool_definition: ({ tools }: ChatRequest) => tools.length,
  tool_choice_required: ({ toolChoice, tools }: ChatRequest) => Number(requiresTool(toolChoice, tools.length)),
  tool_choice_none: ({ toolChoice }: ChatRequest) => Number(toolChoice === "none"),
  assistant_tool_call: ({ turns }: ChatRequest) => sum(turns, ({ blocks }) => countBlocks(blocks, "tool_call")),
  assistant_tool_cycle: ({ turns }: ChatRequest) => sum(turns, countResults),
  active_tool_loop: ({ turns }: ChatRequest) => Number(isInToolLoop(turns)),
  // Of workflows that are kept, which the request does not tell.
  flow_tool_state: () => 0,
  image_content: ({ turns }: ChatRequest) => sum(turns, ({ blocks }) => countImages(blocks)),
} satisfies Readonly<Record<string, (request: ChatRequest, role?: Role) => number>>

const rule = Type.Object({
  feature: section({
    type: literals(["count", "exists"]),
    source: section({
      type: literals(Object.keys(counts) as readonly (keyof typeof counts)[], { description: "What is counted" }),
      role: Type.Optional(
        literals(roles, { description: "Whose messages count, for a source of type message; all when left out" }),
      ),
    }),
  }),
  predicate: Type.Optional(numberPredicate),
})

export default defineSignal({
  about: "Matches how the conversation is built: messages by role, tools, calls, results, images",
  needs: ["store.workflows"],
  rule,
  check(rules, report) {
    rules.forEach(({ feature, predicate }, index) => {
      const { type, source } = feature
      if (source.role !== undefined && source.type !== "message")
        report([index, "feature", "source", "role"], "belongs to a source of type message")
      if (type === "exists" && predicate !== undefined) report([index, "predicate"], "is not allowed with exists")
      if (type === "count" && predicate === undefined)
        report([index, "feature", "type"], "is count without a predicate, which matches every request", "warning")
      const range = predicate === undefined ? undefined : predicateProblem(predicate)
      if (range !== undefined) report([index, "predicate"], range)
    })
  },
  setup(rules, { workflows }) {
    const asksStore = rules.some(({ feature }) => feature.source.type === "flow_tool_state")
    const factsOf = (request: ChatRequest, kept: number): readonly Fact[] =>
      rules.map(({ name, feature: { type, source }, predicate }): Fact => {
        const count = source.type === "flow_tool_state" ? kept : counts[source.type](request, source.role)
        const value = type === "exists" ? Math.min(1, count) : count
        const matched = type === "exists" ? value > 0 : predicate === undefined || predicateHolds(predicate, value)
        return { rule: name, state: matched ? "match" : "no_match", confidence: Number(matched), value }
      })
    return {
      read({ request, principal }) {
        if (!asksStore || beforeTools(request.turns) === undefined) return factsOf(request, 0)
        return waiting(workflows, principal, request.turns).then((kept) => factsOf(request, Number(kept !== undefined)))
      },
    }
  },
})

const sum = (turns: readonly Turn[], count: (turn: Turn) => number): number =>
  turns.reduce((total, turn) => total + count(turn), 0)

/** Each result of a tool is one message, as chat completions write it. Several texts of the developer are one instruction. */
function countMessages(turns: readonly Turn[], role: Role | undefined): number {
  let developers = 0
  const others = sum(turns, (turn) => {
    if (turn.developer === true) {
      developers = 1
      return 0
    }
    if (turn.role === "tool")
      return role === undefined || role === "tool" || role === "non_user" ? countResults(turn) : 0
    const isWanted = role === undefined || (role === "non_user" ? turn.role !== "user" : turn.role === role)
    return Number(isWanted)
  })
  return others + (role === undefined || role === "developer" || role === "non_user" ? developers : 0)
}

const countBlocks = (blocks: readonly Block[], type: Block["type"]): number =>
  blocks.reduce((count, block) => count + Number(block.type === type), 0)

/** Results of tools may stand beside a text of the user. */
const countResults = ({ role, blocks }: Turn): number =>
  Math.max(countBlocks(blocks, "tool_result"), Number(role === "tool"))

const countImages = (blocks: readonly Block[]): number =>
  blocks.reduce(
    (count, block) =>
      count + (block.type === "tool_result" ? countImages(block.blocks) : Number(block.type === "image")),
    0,
  )

/** A choice that only its own protocol knows asks for tools as well, unless it says `auto`, as a list of allowed tools may. */
function requiresTool(choice: ChatRequest["toolChoice"], tools: number): boolean {
  if (choice === undefined || typeof choice === "string") return choice === "required"
  if ("name" in choice) return true
  return tools > 0 && !JSON.stringify(choice.opaque).includes('"mode":"auto"')
}

/**
 * Whether the model is at work with tools: it waits for results of calls, or results are the last that it was told, with or
 * without a remark of the user behind them.
 */
function isInToolLoop(turns: readonly Turn[]): boolean {
  const hasResult = (turn: Turn | undefined): boolean => turn !== undefined && countResults(turn) > 0
  const [before, last] = [turns.at(-2), turns.at(-1)]
  if (hasResult(last) || (last?.role === "user" && hasResult(before))) return true
  return sum(turns, ({ blocks }) => countBlocks(blocks, "tool_call")) > sum(turns, countResults)
}
