import { MAX_RUN_BYTES, type JobRequest } from '../../../../contract/job.ts';
import { checked, isBody, isObject } from '../../model/jobInput.ts';
import { isTooDeep } from '../../model/positionedJson.ts';

/** Place of a row in its source: a line number, or the name of a file in a folder. */
export type RowReference = number | string;

/** Reason why a row cannot be sent. */
export type RowProblem =
  | { readonly code: 'notJson' | 'invalid'; readonly message: string }
  | { readonly code: 'notObject' | 'notUtf8' | 'tooLarge' | 'tooDeep' | 'quotes' | 'openQuote' }
  | { readonly code: 'columns'; readonly expected: number; readonly found: number };

/** A row of the source: the body of a job, or a problem. */
export type SourceRow =
  { readonly kind: 'row'; readonly reference: RowReference; readonly body: JobRequest } | BrokenRow;

export interface BrokenRow {
  readonly kind: 'broken';
  readonly reference: RowReference;
  readonly problem: RowProblem;
}

/** The file as a whole cannot be read as rows. */
export class SourceError extends Error {
  readonly code: 'empty' | 'utf16' | 'emptyHeader' | 'duplicateHeader' | 'tooManyColumns' | 'quotes' | 'tooManyRows';
  /** Name of a column. */
  readonly subject: string;

  constructor(code: SourceError['code'], subject = '') {
    super(`${code} ${subject}`.trim());
    this.name = 'SourceError';
    this.code = code;
    this.subject = subject;
  }
}

/** Maximum number of rows of a batch. */
export const MAX_ROWS = 1_000_000;
/** Maximum number of columns, as in spreadsheets. */
export const MAX_COLUMNS = 16_384;

export function broken(reference: RowReference, problem: RowProblem): BrokenRow {
  return { kind: 'broken', reference, problem };
}

/** Converts a JSON value to a row. An object is the input, unless it is a whole body, with `input` and no unknown members. */
export function rowOf(reference: RowReference, value: unknown): SourceRow {
  if (!isObject(value)) return broken(reference, { code: 'notObject' });
  if (isTooDeep(value)) return broken(reference, { code: 'tooDeep' });
  const body = isBody(value) ? value : { input: value };
  const { problem } = checked(body, () => 0);
  if (problem !== undefined) return broken(reference, { code: 'invalid', message: problem });
  // The length in UTF-16 code units is a lower bound of the size, and a third of its upper bound.
  const text = JSON.stringify(body);
  const isTooLarge = text.length * 3 > MAX_RUN_BYTES && Buffer.byteLength(text) > MAX_RUN_BYTES;
  return isTooLarge ? broken(reference, { code: 'tooLarge' }) : { kind: 'row', reference, body: body as JobRequest };
}

/** Parses JSON text to a row. */
export function rowOfText(reference: RowReference, text: string): SourceRow {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return broken(reference, { code: 'notJson', message: (error as Error).message });
  }
  return rowOf(reference, value);
}
