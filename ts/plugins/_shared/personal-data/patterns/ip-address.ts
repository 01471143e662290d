// Addresses of machines, versions 4 and 6.

import type { TextRange, Work } from "../../../../kernel/index.ts"
import { findChecked, textAfter, textBefore } from "./text-range.ts"

export function* findIpAddresses(text: string): Work<readonly TextRange[]> {
  const version4 = yield* findChecked(text, quad, ({ 0: found, index }) => isVersion4(text, found, index))
  const version6 = yield* findChecked(text, groups, ({ 0: found, index }) => isVersion6(text, found, index))
  return [...version4, ...version6].toSorted((a, b) => a.start - b.start)
}

const number = "(?:0|[1-9]\\d{0,2})"
const quad = new RegExp(`(?<![\\w.]|\\d-)${number}(?:\\.${number}){3}(?!\\w|\\.\\w|-[A-Za-z])`, "g")

/** Versions of programs, numbers of sections and colours have four parts too. */
const versionBefore =
  /(?:(?:^|[^a-z])(?:versions?|ver|v|releases?|build|firmware|driver|kernel|update|patch|revision|rev|section|chapter|clause|table|figure|fig|appendix|theorem|lemma|exercise|abschnitt|kapitel|tabelle|abbildung|anhang|ziffer|oid|rgba?|cmyk|colou?r|upgraded?(?: from| to)?(?: [\d.]+ to)?)[\s:."'=(#-]{0,5}|[=~<>!]=\s?|[\^~§]\s?)$/i
/** "upgrade the chart from 45.27.2.1"; what stands between may still name a machine. */
const changeBefore =
  /(?:^|[^a-z])(?:(?:up|down)(?:grad|dat)(?:ed?|ing)|bump(?:ed|ing)?)(?: (?:from|to))?( [^\n.!?;\d]{0,32}?)?(?: (?:[\d.]+ )?(?:from|to|->|→))? $/i
const versionBehind =
  /^ \(?(?:is |was |has been |are )?(?:just )?(?:released?|out now|changelog|panics?|crash(?:es|ed)?|alpha|beta|rc\d?|stable|lts|ships|shipped|deprecat|introduc|adds|fixes|supports)(?![a-z])/i

/** What a version stands behind without a word for it: a known program, or a name with capitals or signs inside of it. */
const programBefore =
  /(?:^|[^\p{L}])(?:nginx|apache|node\.?js|python|php|java|jdk|ruby|django|gcc|glibc|openssl|openssh|chrom(?:e|ium)|firefox|docker|kubernetes|redis|postgres|mysql|kafka|windows|android|ios|linux|ubuntu|debian|cuda|npm|helm|chart|package|library|module|plugin|app|sdk|toolkit|framework|[a-z]+\.js) $/iu
const nameBefore =
  /(?:(?:^|\s)\.\p{Lu}\p{L}+|(?<!\p{L})(?:\p{Lu}?\p{Ll}+\p{Lu}[\p{L}\d]*|\p{Lu}{2,}\p{Ll}[\p{L}\d]*)|\p{Ll} \p{Lu}\p{Ll}{2,}) $/u

const machineBefore =
  /(?:^|[^a-z])(?:ip|ipv4|ips|addr|address|host|server|ping|ssh|curl|node|gateway|subnet|router|dns|client|peer|adresse|rechner|laptop|firewall|(?:requests?|connections?|connect(?:ed|ing)?|logins?|logged in|log ?ins?|traffic|packets?|attacks?|attempts|hits|scans?|anfragen?|zugriffe?|angriffe?) (?:came |kamen? )?(?:from|by|to|via|von|aus))(?![a-z])|:\/\/(?:[^\s/]*@)?$/i
const machineAfter = /^(?::\d{2,5}(?!\d)|\/\d{1,2}(?!\d))/
/** "10.1.2.3 sent 400 requests", "5.6.7.8 as its address", "5.6.7.8 port 22". */
const machineBehind =
  /^ (?:[^\n.!?;,\d]{0,20}\d{1,9} (?:requests|anfragen|packets|pakete|connections|verbindungen|logins|attempts|hits)|(?:as|is|als|ist) (?:[a-z]{1,8} )?(?:ip|address|adresse)|port \d+|(?:is unreachable|timed out|refused|does not respond|antwortet nicht))(?![a-z])/i

/** Names of machines that everybody knows, and private networks. */
const wellKnown = /^(?:10\.0\.|10\.\d+\.\d+\.(?!0$)|1\.1\.1\.1$|1\.0\.0\.1$|8\.8\.8\.8$|8\.8\.4\.4$)/

function isVersion4(text: string, found: string, start: number): boolean {
  const numbers = found.split(".").map(Number)
  const [first = 0, second = 0] = numbers
  // 0 is no machine, 127 is every machine itself; from 224 on are groups and masks.
  if (first === 0 || first === 127 || first >= 224 || numbers.some((each) => each > 255)) return false
  const before = textBefore(text, start)
  const behind = textAfter(text, start + found.length)
  if (machineAfter.test(behind)) return true
  const isNamed = machineBefore.test(before) || machineBehind.test(behind)
  // Versions such as 5.15.0.91 begin low and stay low; one machine in two hundred has such an address.
  if (!isNamed && first < 20 && numbers.every((each) => each < 100) && !wellKnown.test(found)) return false
  if (isVersion(before, behind)) return false
  if (!isProgram(before)) return true
  return isNamed ? first >= 20 || second >= 20 : numbers.filter((each) => each >= 20).length > 2
}

/** German writes all nouns with capitals: "die Adresse 5.6.7.8". */
const isProgram = (before: string): boolean =>
  programBefore.test(before) || (nameBefore.test(before) && !machineBefore.test(/\S+ $/.exec(before)?.[0] ?? ""))

function isVersion(before: string, behind: string): boolean {
  if (versionBefore.test(before) || versionBehind.test(behind)) return true
  const change = changeBefore.exec(before)
  if (change === null) return false
  const [, changed = ""] = change
  return /firmware|software|version/i.test(changed) || !(machineBefore.test(changed) || /record|entry/i.test(changed))
}

/** Global, local and link-local addresses; anything else with colons is a time, a path of code or a hardware address. */
const groups =
  /(?<![\w:.])(?:[23][0-9a-f]{3}|f[cd][0-9a-f]{2}|fe[89ab][0-9a-f])(?::[0-9a-f]{0,4}){1,6}:(?:[0-9a-f]{1,4}|(?<=::))(?!\w|:[\w:]|\.\d)/gi

function isVersion6(text: string, found: string, start: number): boolean {
  const gaps = found.split("::").length - 1
  const filled = found.split(":").filter((group) => group !== "").length
  const isComplete = gaps === 0 ? filled === 8 : gaps === 1 && filled <= 7
  // `rows[2000::2]` takes a part of a list.
  const isSlice = /[\w)\]]\[$/.test(text.slice(Math.max(0, start - 2), start))
  return isComplete && !found.includes(":::") && !isSlice
}
