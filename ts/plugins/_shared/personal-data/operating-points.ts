// From which probability a finding of the built-in model counts, by kind. `npm run bench:operating-points` chooses and prints
// them, on texts and ordinary prompts that measure nothing. A model that a document binds has its own thresholds.

export const operatingPoints: Readonly<Record<string, number>> = {
  AGE: 0.65,
  BIRTH_DATE: 0.6,
  DATE_TIME: 0.7,
  GPE: 0.65,
  ID: 0.75,
  NRP: 0.7,
  ORGANIZATION: 0.7,
  PASSWORD: 0.85,
  PERSON: 0.7,
  STREET_ADDRESS: 0.5,
  TITLE: 0.75,
  USERNAME: 0.75,
  US_DRIVER_LICENSE: 0.5,
  ZIP_CODE: 0.5,
}
