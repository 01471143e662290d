// What the clients ask, and where router.yaml must send it. Every contender gets the same prompts in the same order.

export interface BenchPrompt {
  readonly text: string
  /** Undefined when no decision matches. */
  readonly decision: string | undefined
  /** Model name that the backend must see behind rtr. */
  readonly upstreamModel: string
}

export const systemPrompt =
  "You are the assistant of a software company. Answer briefly and factually, in the language of the question. " +
  "Say so when you do not know something, and name the team that can help."

export const prompts: readonly BenchPrompt[] = [
  {
    text: "Since the deploy at nine our checkout returns 502 and the pager does not stop. Which logs should I look at first, and how do I roll back safely?",
    decision: "emergency",
    upstreamModel: "upstream-expert",
  },
  {
    text: "A scanner reports a critical vulnerability in the image library that our upload service uses. How do I find out whether we are affected before the fix is released?",
    decision: "security-review",
    upstreamModel: "upstream-expert",
  },
  {
    text: "I opened SUP-4821 two weeks ago because I was charged twice, and the refund has still not arrived. What happens next?",
    decision: "retention",
    upstreamModel: "upstream-expert",
  },
  {
    text: "Where do I find the invoice of last month, and can you put our new postal address on it? The accounting department needs it by Friday.",
    decision: "billing",
    upstreamModel: "upstream-small",
  },
  {
    text: "Please review this contract for a freelance designer. The part about liability seems to put all of the risk on the designer, even for mistakes of the client.",
    decision: "contracts",
    upstreamModel: "upstream-expert",
  },
  {
    text: "Write a function that merges overlapping intervals in a list, keeps the input unchanged, and runs in n log n. Show two tests for the borders.",
    decision: "programming",
    upstreamModel: "upstream-coder",
  },
  {
    text: "What is the probability that in a group of thirty people at least two have their birthday on the same day? Explain each step, please.",
    decision: "mathematics",
    upstreamModel: "upstream-expert",
  },
  {
    text: "Suggest a short walk through the old town for a rainy afternoon, with one museum, one bakery and a place to sit and read.",
    decision: undefined,
    upstreamModel: "upstream-small",
  },
]
