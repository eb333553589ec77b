import { isTooDeep, MAX_DEPTH } from './jsonBody.ts';

/** Start of a progress report from an SDK. It distinguishes a report from a result if the text is not valid JSON. */
const PROGRESS = /^\s*\{\s*"status"\s*:\s*"IN_PROGRESS"/;

/** Parses the result of a worker. An unreadable result becomes an `error` that fails the job. */
export function parseResult(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (isTooDeep(text)) return { error: `the worker's result is nested more than ${MAX_DEPTH} levels deep` };
    return typeof value === 'object' && value !== null ? { ...value } : { output: value };
  } catch (failure) {
    const hint = /\b(NaN|Infinity)\b/.test(text) ? ' (it contains NaN or Infinity, which JSON does not allow)' : '';
    const reason = `is not valid JSON${hint}: ${(failure as Error).message}`;
    if (PROGRESS.test(text)) return { status: 'IN_PROGRESS', error: `it ${reason}` };
    return { error: `the worker's result ${reason}` };
  }
}
