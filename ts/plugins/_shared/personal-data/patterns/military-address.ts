// Postal addresses of the armed forces and embassies of the United States (Publication 28 of the postal service, section 238).

import type { TextRange, Work } from "../../../../kernel/index.ts"
import { findChecked } from "./text-range.ts"

const candidate =
  /(?<![\p{L}\d])(?:(?:PSC|CMR|Unit) \d{1,5},? Box \d{1,6}|US(?:NS|NV|S|CGC) \p{L}[\p{L}'’ -]{1,40}?)[,\s]\s{0,4}(?:APO|FPO|DPO),? (?:AA|AE|AP) \d{5}(?:-\d{4})?(?![\p{L}\d])/giu

export const findMilitaryAddresses = (text: string): Work<readonly TextRange[]> =>
  findChecked(text, candidate, () => true)
