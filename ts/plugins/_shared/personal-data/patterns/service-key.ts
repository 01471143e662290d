// Keys and tokens of well-known services, by the beginnings that their makers gave them so that scanners find them.

import type { TextRange, Work } from "../../../../kernel/index.ts"
import { findChecked } from "./text-range.ts"

const forms = [
  // Amazon Web Services
  "(?:AKIA|ASIA)[A-Z2-7]{16}",
  // Anthropic, OpenAI, OpenRouter, DeepSeek and others
  "sk-(?:ant-|proj-|svcacct-|or-v1-)?[\\w-]{20,200}",
  // Azure storage
  "AccountKey=[A-Za-z0-9+/]{86}==",
  // Databricks
  "dapi[0-9a-f]{32}",
  // DigitalOcean
  "do[opr]_v1_[0-9a-f]{64}",
  // GitHub
  "gh[pousr]_[A-Za-z0-9]{36,251}",
  "github_pat_[A-Za-z0-9_]{22,244}",
  // GitLab
  "gl(?:pat|dt|rt)-[\\w-]{20,60}",
  // Google
  "AIza[\\w-]{35}",
  "GOCSPX-[\\w-]{28}",
  "ya29\\.[\\w-]{20,200}",
  // Hugging Face
  "hf_[A-Za-z0-9]{30,40}",
  // JSON Web Token
  "eyJ[\\w-]{10,500}\\.eyJ[\\w-]{10,2000}\\.[\\w-]{10,700}",
  // npm, PyPI
  "npm_[A-Za-z0-9]{36}",
  "pypi-[\\w-]{50,300}",
  // SendGrid
  "SG\\.[\\w-]{22}\\.[\\w-]{43}",
  // Shopify
  "shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}",
  // Slack
  "xox[abeoprs]-[\\w-]{10,200}",
  // Stripe
  "(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{16,120}",
  // Telegram
  "\\d{8,10}:AA[\\w-]{33}",
  // Twilio
  "(?:SK|AC)[0-9a-f]{32}",
]

const candidate = new RegExp(`(?<![\\w-])(?:${forms.join("|")})(?![\\w-])`, "g")
const block = /-----BEGIN (?:[A-Z]{2,12} ){0,2}PRIVATE KEY(?: BLOCK)?-----/g

export function* findServiceKeys(text: string): Work<readonly TextRange[]> {
  const keys = yield* findChecked(text, candidate, ({ 0: found }) => isDrawn(found))
  const blocks = yield* findChecked(text, block, () => true)
  return [...keys, ...blocks].toSorted((a, b) => a.start - b.start)
}

/** Documentation writes `sk-your-api-key-goes-here` and `ghp_xxxxxxxxxxxx`; what was drawn has digits and many signs. */
const isDrawn = (key: string): boolean =>
  new Set(key).size >= 10 && /\d/.test(key) && !/example|your[_-]|xxxx|placeholder|123456789|abcdefgh/i.test(key)
