/** Maximum time of one step of a check with a JSON schema, in ms. The check of a text of 1.5 MB takes about 200 ms. */
export const SCHEMA_TIME_LIMIT_MS = 1_000;
