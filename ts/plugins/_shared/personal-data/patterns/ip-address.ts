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

/** Versions of programs and numbers of sections have four parts too. */
const versionBefore =
  /(?:(?:^|[^a-z])(?:version|ver|release|build|firmware|driver|update|patch|revision|rev|section|chapter|clause|upgraded?(?: from| to)?(?: [\d.]+ to)?)[\s:."'=]{0,5}|[=~<>!]=\s?|[\^~§]\s?)$/i
const machineBefore =
  /(?:^|[^a-z])(?:ip|ipv4|ips|addr|address|host|server|ping|ssh|curl|node|gateway|subnet|router|dns|client|peer)(?![a-z])|:\/\//i
const machineAfter = /^(?::\d{2,5}(?!\d)|\/\d{1,2}(?!\d))/

/** Names of machines that everybody knows, and private networks. */
const wellKnown = /^(?:10\.0\.|10\.\d+\.\d+\.(?!0$)|1\.1\.1\.1$|1\.0\.0\.1$|8\.8\.8\.8$|8\.8\.4\.4$)/

function isVersion4(text: string, found: string, start: number): boolean {
  const numbers = found.split(".").map(Number)
  const [first = 0] = numbers
  // 0 is no machine, 127 is every machine itself; from 224 on are groups and masks.
  if (first === 0 || first === 127 || first >= 224 || numbers.some((each) => each > 255)) return false
  const before = textBefore(text, start)
  if (versionBefore.test(before)) return false
  // Versions such as 5.15.0.91 begin low and stay low; one machine in two hundred has such an address.
  if (first >= 20 || numbers.some((each) => each >= 100) || wellKnown.test(found)) return true
  return machineBefore.test(before) || machineAfter.test(textAfter(text, start + found.length))
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
