// From which probability a finding of the built-in model counts, by kind. `npm run bench:operating-points` chooses and prints
// them, on texts and ordinary prompts that measure nothing. A model that a document binds has its own thresholds.

export const operatingPoints: Readonly<Record<string, number>> = {
  AGE: 0.7,
  BIRTH_DATE: 0.6,
  DATE_TIME: 0.6,
  GPE: 0.7,
  ID: 0.6,
  NRP: 0.5,
  ORGANIZATION: 0.6,
  PASSWORD: 0.6,
  PERSON: 0.7,
  STREET_ADDRESS: 0.6,
  TITLE: 0.6,
  USERNAME: 0.6,
  US_DRIVER_LICENSE: 0.6,
  ZIP_CODE: 0.5,
}
