// Keys and tokens of well-known services, by the beginnings that their makers gave them so that scanners find them.

import type { TextRange, Work } from "../../../../kernel/index.ts"
import { decodedBase64, isDrawnOfLetters } from "./secret-value.ts"
import { findChecked } from "./text-range.ts"

const forms = [
  // Amazon Web Services
  "(?:AKIA|ASIA)[A-Z2-7]{16}",
  // Anthropic, OpenAI, OpenRouter, DeepSeek and others
  "sk-(?:ant-|proj-|svcacct-|or-v1-)?[\\w-]{20,200}",
  // Azure storage
  "AccountKey=[A-Za-z0-9+/]{86}==",
  // Brevo
  "xkeysib-[0-9a-f]{64}-[A-Za-z0-9]{16}",
  // Cloudflare, keys of its certificates
  "v1\\.0-[0-9a-f]{24}-[0-9a-f]{146}",
  // Databricks
  "dapi[0-9a-f]{32}",
  // DigitalOcean
  "do[opr]_v1_[0-9a-f]{64}",
  // Discord: bots, whose number is the first part, and webhooks
  "[MNO][A-Za-z0-9_-]{22,27}\\.[\\w-]{6}\\.[\\w-]{27,42}",
  "(?:https://)?(?:\\w{1,8}\\.)?discord(?:app)?\\.com/api/webhooks/\\d{17,20}/[\\w-]{60,80}",
  // Docker
  "dckr_(?:pat|oat)_[\\w-]{24,40}",
  // Figma
  "figd_[\\w-]{38,44}",
  // GitHub
  "gh[pousr]_[A-Za-z0-9]{36,251}",
  "github_pat_[A-Za-z0-9_]{22,244}",
  // GitLab
  "gl(?:pat|dt|rt)-[\\w-]{20,60}",
  // Google
  "AIza[\\w-]{35}",
  "GOCSPX-[\\w-]{28}",
  "ya29\\.[\\w-]{20,200}",
  // Grafana
  "glsa_[A-Za-z0-9]{32}_[0-9a-fA-F]{8}",
  // Groq
  "gsk_[A-Za-z0-9]{48,56}",
  // HashiCorp: Vault and Terraform
  "hv[sbr]\\.[\\w-]{24,300}",
  "[A-Za-z0-9]{14}\\.atlasv1\\.[\\w-]{60,70}",
  // Hugging Face
  "hf_[A-Za-z0-9]{30,40}",
  // JSON Web Token
  "eyJ[\\w-]{10,500}\\.eyJ[\\w-]{10,2000}\\.[\\w-]{10,700}",
  // LangSmith
  "lsv2_(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}",
  // Linear
  "lin_(?:api|oauth)_[A-Za-z0-9]{32,64}",
  // Mailchimp, Mailgun
  "[0-9a-f]{32}-us\\d{1,2}",
  "key-[0-9a-f]{32}",
  "[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8}",
  // New Relic
  "NRAK-[A-Z0-9]{27}",
  // Notion
  "ntn_[A-Za-z0-9]{40,50}",
  "secret_[A-Za-z0-9]{43}",
  // npm, PyPI
  "npm_[A-Za-z0-9]{36}",
  "pypi-[\\w-]{50,300}",
  // NVIDIA
  "nvapi-[\\w-]{60,70}",
  // Perplexity
  "pplx-[A-Za-z0-9]{40,56}",
  // Postman
  "PMAK-[0-9a-f]{24}-[0-9a-f]{34}",
  // Replicate
  "r8_[A-Za-z0-9]{37}",
  // SendGrid
  "SG\\.[\\w-]{22}\\.[\\w-]{43}",
  // Shopify
  "shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}",
  // Slack
  "xox[abeoprs]-[\\w-]{10,200}",
  "xapp-\\d-[A-Z0-9]{9,13}-\\d{10,16}-[0-9a-f]{40,80}",
  "(?:https://)?hooks\\.slack\\.com/services/T[A-Z0-9]{7,12}/B[A-Z0-9]{7,12}/[A-Za-z0-9]{20,28}",
  // Stripe
  "(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{16,120}",
  "whsec_[A-Za-z0-9+/]{32,64}",
  // Supabase
  "sbp_[0-9a-f]{40}",
  // Tailscale
  "tskey-(?:auth|api|client)-[\\w-]{20,80}",
  // Telegram
  "\\d{8,10}:AA[\\w-]{33}",
  // Twilio
  "(?:SK|AC)[0-9a-f]{32}",
  // xAI
  "xai-[A-Za-z0-9]{70,90}",
]

const candidate = new RegExp(`(?<![\\w-])(?:${forms.join("|")})(?![\\w-])`, "g")
const block = /-----BEGIN (?:[A-Z]{2,12} ){0,2}PRIVATE KEY(?: BLOCK)?-----/g

export function* findServiceKeys(text: string): Work<readonly TextRange[]> {
  const keys = yield* findChecked(text, candidate, ({ 0: found }) => isDrawn(found))
  const blocks = yield* findChecked(text, block, () => true)
  return [...keys, ...blocks].toSorted((a, b) => a.start - b.start)
}

/**
 * Documentation writes `sk-your-api-key-goes-here` and `ghp_xxxxxxxxxxxx`; what was drawn has many signs, among them digits.
 * Only Hugging Face draws from letters alone.
 */
const isDrawn = (key: string): boolean =>
  new Set(key).size >= 10 &&
  (/\d/.test(key) || (key.startsWith("hf_") && isDrawnOfLetters(key.slice(3)))) &&
  !/example|your[_-]|xxxx|placeholder|123456789|abcdefgh/i.test(key) &&
  (!/^[MNO][\w-]{22,27}\./.test(key) || isOfBot(key))

/** Digits in base64. */
const isOfBot = (key: string): boolean =>
  /^\d{16,20}$/.test(decodedBase64(key.slice(0, key.indexOf(".")).replaceAll("-", "+").replaceAll("_", "/")) ?? "")
