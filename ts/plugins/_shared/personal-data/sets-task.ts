// Whether a text sets a task, and so may name people only to say what it is about: docs/why/private-persons.md.

import { otherBeginning, otherTask } from "./task-verbs.ts"

/** Prompts say what is to be done before or behind what they are about. */
const edge = 400

/** Whether a text sets a task, and so may name people only to say what it is about. */
export const setsTask = (text: string): boolean =>
  beginning.test(text.slice(0, edge)) ||
  otherBeginning.test(text.slice(0, edge)) ||
  [text.slice(0, edge), text.length > edge ? text.slice(-edge) : ""].some(
    (part) => task.test(part) || label.test(part) || otherTask.test(part),
  ) ||
  endsInQuestion.test(text.slice(-edge))

const endsInQuestion = /[?？][^.!?？]{0,120}$/u

const polite =
  "(?:(?:please|pls|and|now|then|next|also|can you|could you|would you|will you|i want you to|i(?:'d| would) like you to|i need you to|you (?:must|should|will)|let's|help me(?: to)?|do not|don't|briefly|instructions?|question|task|context|prompt|to)[\\s,:]+){0,3}"
/** Verbs of tasks, at the beginning of a sentence or a line. */
const task = new RegExp(
  `(?:^|[\\n.!?:;"”)*#>-]\\s*)${polite}(?:act as|analy[sz]e|assume|brainstorm|categori[sz]e|check (?:it|this|that|these|whether|if)|classify|compare|compose|compute|construct|continue|convert|craft|create|critique|debate|define|describe|design|determine|develop|discuss|draft|edit|elaborate|embody|estimate|evaluate|examine|explain|explore|extract|generate|fact[ -]check|feedback on|comments? on|give me|give the|grade|guess|highlight|identify|imagine|implement|infer|interpret|introduce|invent|list|make (?:me|it|this|an?|one|two|three|four|five|ten|some|\\d+)|name(?! ?[,:])|outline|paraphrase|parse|polish|pretend|proofread|prove|rank|rate|recommend|rephrase|rewrite|roleplay|shorten|simplify|simulate|solve|suggest|summari[sz]e|suppose|tell me|tell the story|tighten|translate|transform|turn (?:it|this|that|the|these|them)|write|you are|you're)(?![\\p{L}\\p{N}]| ?[;|\\t])`,
  "iu",
)
/** What stands over the parts of a task. */
const label =
  /(?:^|\n)[#*\s]{0,4}(?:chapter|prologue|epilogue|scene|act|kapitel|chapitre|capítulo)(?: [\p{L}\d-]{1,12})?[*:.]{0,3}\n|(?:^|\n)[^\p{L}\n]*(?:questions?|tasks?|instructions?|prompt|problem|exercise|passage|role|options|choices|answer)\b[^\p{L}\n]{0,4}:|(?:the|this) (?:following|above|given|provided|below) (?:text|passage|paragraph|story|article|conversation|dialogue|list|table|sentence|question|statement|scenario)/iu
/** Verbs that begin sentences of other kinds as well: at the beginning of the text alone. */
const beginning = new RegExp(
  `^[^\\p{L}\\p{N}]*${polite}(?:add|answer|apply|ask|calculate|change|check|choose|come up|complete|consider|correct|count|decide|draw|expand|express|fill|find|fix|format|give|improve|include|is|are|was|were|did|does|do|has|have|can|could|should|would|judge|look up|make|match|offer|organi[sz]e|perform|pick|plan|play|predict|prepare|present|produce|propose|provide|read|refer|research|respond|retrieve|return|review|revise|say|search|select|show|sort|speak|start|state|take|talk|teach|tell|think|title|try|turn|use|watch|who|who's|whose|whom|what|what's|when|where|which|why|how)(?![\\p{L}\\p{N}])`,
  "iu",
)
