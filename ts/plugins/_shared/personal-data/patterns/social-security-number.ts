// Social security numbers of the United States.

import type { TextRange, Work } from "../../../../kernel/index.ts"
import { findChecked, isNumberOfThing, textAfter, textBefore } from "./text-range.ts"

const candidate = /(?<![\w-]|\d[./])(\d{3})( - |[- .]?)(\d{2})\2(\d{4})(?![\w-]|[./]\d)/g

const words =
  /(?:^|[^a-z])(?:(?:ssn|ss#|soc\.? sec|(?:my|his|her) social(?=\W*(?:is|number|no)?\W*$))(?![a-z])|social[\s_-]?security|seguro social)|社会安全|社會安全|社会保障/i

/** Numbers that were printed in advertisements and belong to nobody. */
const printed: ReadonlySet<string> = new Set(["078051120", "219099999", "457555462"])

/** The form with hyphens stands for itself, unless it is the number of a thing; any other needs words that say what it is. */
export function findSocialSecurityNumbers(text: string): Work<readonly TextRange[]> {
  return findChecked(text, candidate, ({ 0: found, 1: area = "", 2: joint, 3: group = "", 4: serial = "", index }) => {
    // Never issued.
    if (area === "000" || area === "666" || area.startsWith("9") || group === "00" || serial === "0000") return false
    if (printed.has(area + group + serial)) return false
    return (
      (joint === "-" && !isNumberOfThing(text, index)) ||
      words.test(textBefore(text, index)) ||
      words.test(textAfter(text, index + found.length))
    )
  })
}
