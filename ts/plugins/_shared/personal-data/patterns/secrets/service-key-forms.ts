// How the keys and tokens of well-known services look: their beginnings, signs and lengths, in the order of the services.

/** A number of RFC 9562. */
const uuid = "[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}"

/** Sources of regular expressions. A form has to be so narrow that words and ids of other kinds do not have it. */
export const forms: readonly string[] = [
  // 1Password: service accounts, and the key of an account
  "ops_eyJ[\\w+/-]{100,2000}={0,3}",
  "A3-[A-Z0-9]{6}-[A-Z0-9]{6}-?[A-Z0-9]{5}(?:-[A-Z0-9]{5}){3}",
  // Adafruit
  "aio_[A-Za-z0-9]{28}",
  // age
  "AGE-SECRET-KEY-1[02-9AC-HJ-NP-Z]{58}",
  // Airtable
  "pat[A-Za-z0-9]{14}\\.[0-9a-f]{64}",
  // Aiven
  "AVNS_[\\w-]{15,24}",
  // Alibaba Cloud
  "LTAI[A-Za-z0-9]{12,24}",
  // Amazon Web Services, and Bedrock
  "(?:AKIA|ASIA)[A-Z2-7]{16}",
  "ABSK[A-Za-z0-9+/]{80,270}={0,2}",
  "bedrock-api-key-[A-Za-z0-9+/]{80,2000}={0,2}",
  // Anthropic, OpenAI, OpenRouter, DeepSeek and others
  "sk-(?:ant-|proj-|svcacct-|or-v1-)?[\\w-]{20,200}",
  // Apify
  "apify_api_[A-Za-z0-9]{36}",
  // Artifactory
  "AKCp[A-Za-z0-9]{60,80}",
  // Asana
  "[12]/\\d{13,19}(?:/\\d{13,19})?:[0-9a-f]{32}",
  // Atlassian, Bitbucket, Trello
  "AT[AC]TT3[\\w-]{40,250}(?:=[0-9A-F]{8})?",
  "ATBB[A-Za-z0-9]{28,32}",
  "ATTA[0-9a-f]{64,72}",
  // Azure: storage and buses, signed addresses, applications of its directory
  "(?<=(?:Account|SharedAccess)Key=)[A-Za-z0-9+/]{43,86}={1,2}",
  "(?<=[?&;]sig=)(?:[A-Za-z0-9+/_-]|%2[BbFf]){40,64}(?:={1,2}|%3[Dd])?",
  "(?<![.~])[\\w~.]{3}\\dQ~[\\w~.-]{30,33}[\\w~-]",
  // Brevo
  "xkeysib-[0-9a-f]{64}-[A-Za-z0-9]{16}",
  // Buildkite
  "bk[ua]a_[0-9a-z]{40}",
  // Cerebras
  "csk-[0-9a-z]{40,56}",
  // CircleCI
  "CCIP(?:AT|RJ)_[A-Za-z0-9]{20,24}_[0-9a-f]{40}",
  // ClickUp
  "pk_\\d{5,10}_[A-Z0-9]{32}",
  // Clojars
  "CLOJARS_[0-9a-z]{60}",
  // Cloudflare, keys of its certificates
  "v1\\.0-[0-9a-f]{24}-[0-9a-f]{146}",
  // Contentful
  "CFPAT-[\\w-]{40,70}",
  // crates.io
  "cio[A-Za-z0-9]{32}",
  // Databricks
  "dapi[0-9a-f]{32}(?:-\\d)?",
  // DigitalOcean
  "do[opr]_v1_[0-9a-f]{64}",
  // Discord: bots, whose number is the first part, and webhooks
  "[MNO][A-Za-z0-9_-]{22,27}\\.[\\w-]{6}\\.[\\w-]{27,42}",
  "(?:https://)?(?:\\w{1,8}\\.)?discord(?:app)?\\.com/api/webhooks/\\d{17,20}/[\\w-]{60,80}",
  // Docker
  "dckr_(?:pat|oat)_[\\w-]{24,40}",
  // Doppler
  "dp\\.(?:pt|st|ct|sa|scim|audit)\\.(?:[\\w-]{2,35}\\.)?[A-Za-z0-9]{40,44}",
  // Duffel
  "duffel_(?:live|test)_[\\w-]{40,48}=?",
  // Dynatrace
  "dt0[a-z]\\d\\d\\.[A-Z0-9]{24}\\.[A-Z0-9]{64}",
  // E2B
  "e2b_[0-9a-f]{40}",
  // EasyPost
  "EZ[AT]K[A-Za-z0-9]{54}",
  // ElevenLabs
  "sk_[0-9a-f]{48}",
  // Facebook
  "EAA[A-Z][A-Za-z0-9]{90,300}",
  // Figma
  "figd_[\\w-]{38,44}",
  // Firecrawl
  "fc-[0-9a-f]{32}",
  // Fireworks
  "fw_[A-Za-z0-9]{22,26}",
  // Fly
  "fm[12][ar]?_[A-Za-z0-9+/]{80,1000}={0,3}",
  "fo1_[\\w-]{43}",
  // Frame.io
  "fio-u-[\\w-]{64}",
  // GitHub
  "gh[pousr]_[A-Za-z0-9]{36,251}",
  "github_pat_[A-Za-z0-9_]{22,244}",
  // GitLab
  "gl(?:agent|cbt|dt|ffct|ft|imt|oas|pat|ptt|rtr?|soat|wt)-[\\w-]{20,300}(?:\\.[0-9a-z]{2}\\.[0-9a-z]{9})?",
  // Google
  "AIza[\\w-]{35}",
  "GOCSPX-[\\w-]{28}",
  "ya29\\.[\\w-]{20,200}",
  // Grafana
  "glsa_[A-Za-z0-9]{32}_[0-9a-fA-F]{8}",
  "glc_eyJ[A-Za-z0-9+/]{40,400}={0,2}",
  // Groq
  "gsk_[A-Za-z0-9]{48,56}",
  // HashiCorp: Vault and Terraform
  "hv[sbr]\\.[\\w-]{24,300}",
  "[A-Za-z0-9]{14}\\.atlasv1\\.[\\w-]{60,70}",
  // Heroku
  "HRKU-[\\w-]{36,66}",
  // HubSpot
  `pat-[a-z]{2}\\d-${uuid}`,
  // Hugging Face
  "hf_[A-Za-z0-9]{30,40}",
  // Infracost
  "ico-[A-Za-z0-9]{32}",
  // Jina
  "jina_[\\w-]{50,64}",
  // JSON Web Token
  "eyJ[\\w-]{10,500}\\.eyJ[\\w-]{10,2000}\\.[\\w-]{10,700}",
  // LangSmith
  "lsv2_(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}",
  // LaunchDarkly
  `sdk-${uuid}`,
  // Linear
  "lin_(?:api|oauth)_[A-Za-z0-9]{32,64}",
  // Mailchimp, MailerSend, Mailgun
  "[0-9a-f]{32}-us\\d{1,2}",
  "mlsn\\.[0-9a-f]{64}",
  "key-[0-9a-f]{32}",
  "[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8}",
  // Mapbox; what begins with "pk" stands in every page
  "[st]k\\.eyJ1[\\w-]{20,300}\\.[\\w-]{20,24}",
  // Neon
  "napi_[0-9a-z]{40,70}",
  // Netlify
  "nf[bcopu]_[A-Za-z0-9]{36,40}",
  // New Relic
  "NRAK-[A-Z0-9]{27}",
  // Notion
  "ntn_[A-Za-z0-9]{40,50}",
  "secret_[A-Za-z0-9]{43}",
  // npm, NuGet, PyPI, RubyGems
  "npm_[A-Za-z0-9]{36}",
  "oy2[0-9a-z]{43}",
  "pypi-[\\w-]{50,300}",
  "rubygems_[0-9a-f]{48}",
  // NVIDIA
  "nvapi-[\\w-]{60,70}",
  // Octopus Deploy
  "API-[A-Z0-9]{26}",
  // OpenShift
  "sha256~[\\w-]{43}",
  // Perplexity
  "pplx-[A-Za-z0-9]{40,56}",
  // Pinecone
  "pcsk_[A-Za-z0-9_]{50,80}",
  // Plaid
  `access-(?:production|development|sandbox)-${uuid}`,
  // PlanetScale
  "pscale_(?:tkn|oauth|pw)_[\\w.=-]{31,63}[\\w=]",
  // PostHog
  "phx_[A-Za-z0-9]{40,50}",
  // Postman
  "PMAK-[0-9a-f]{24}-[0-9a-f]{34}",
  // Prefect
  "pn[bu]_[A-Za-z0-9]{36}",
  // Pulumi
  "pul-[0-9a-f]{40}",
  // Razorpay
  "rzp_(?:live|test)_[A-Za-z0-9]{14,24}",
  // ReadMe
  "rdme_[0-9a-z]{60,80}",
  // Render
  "rnd_[A-Za-z0-9]{28,32}",
  // Replicate
  "r8_[A-Za-z0-9]{37}",
  // Resend
  "re_[A-Za-z0-9]{8}_[A-Za-z0-9]{24}",
  // RunPod
  "rpa_[A-Z0-9]{40,46}",
  // Scaleway
  "SCW[A-Z0-9]{17}",
  // SendGrid
  "SG\\.[\\w-]{22}\\.[\\w-]{43}",
  // Sentry
  "sntrys_eyJ[\\w+/=-]{60,400}",
  "sntry[ua]_[0-9a-f]{64}",
  // Shippo
  "shippo_(?:live|test)_[0-9a-f]{40}",
  // Shopify
  "shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}",
  // Slack
  "xox[abeoprs]-[\\w-]{10,200}",
  "xapp-\\d-[A-Z0-9]{9,13}-\\d{10,16}-[0-9a-f]{40,80}",
  "(?:https://)?hooks\\.slack\\.com/services/T[A-Z0-9]{7,12}/B[A-Z0-9]{7,12}/[A-Za-z0-9]{20,28}",
  // Snyk
  "snyk_[a-z]{3}\\.[0-9a-f]{8}\\.[\\w.-]{30,300}[\\w-]",
  // SonarQube
  "sq[apu]_[0-9a-f]{40}",
  // Sourcegraph
  "sgp_(?:(?:local|[0-9a-fA-F]{16})_)?[0-9a-f]{40}",
  // Square
  "EAAA[\\w-]{60}",
  "sq0(?:atp|csp|idp)-[\\w-]{22,43}",
  // Stripe
  "(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{16,120}",
  "whsec_[A-Za-z0-9+/]{32,64}",
  // Supabase
  "sbp_[0-9a-f]{40}",
  // Tailscale
  "tskey-(?:auth|api|client)-[\\w-]{20,80}",
  // Tavily
  "tvly-(?:dev-|prod-)?[A-Za-z0-9-]{28,64}",
  // Teams
  `(?:https://)?[\\w-]{1,40}\\.(?:webhook\\.)?office\\.com/webhook(?:b2)?/${uuid}@${uuid}/IncomingWebhook/[0-9a-f]{32}/${uuid}(?:/[\\w-]{20,60})?`,
  // Telegram
  "\\d{8,10}:AA[\\w-]{33}",
  // Tencent Cloud
  "AKID[A-Za-z0-9]{32}",
  // Together
  "tgp_v1_[\\w-]{43}",
  // Twilio
  "(?:SK|AC)[0-9a-f]{32}",
  // Typeform
  "tfp_[\\w.-]{40,70}",
  // Vercel
  "vc[aikpr]_[A-Za-z0-9]{24,72}",
  // Voyage
  "pa-[\\w-]{43}",
  // Weights & Biases
  "wandb_v1_\\w{40,120}",
  // xAI
  "xai-[A-Za-z0-9]{70,90}",
  // Zapier
  "(?:https://)?hooks\\.zapier\\.com/hooks/catch/(?!1234)\\d{5,10}/[0-9a-z]{5,12}",
]

/** Beginnings so short that words may have them: the rest has to look drawn. */
export const shortBeginning: RegExp = /^(?:aio_|cio|fo1_|fw_|ico-|oy2|pa-|re_|rnd_|tfp_|vc[a-z]_)/
