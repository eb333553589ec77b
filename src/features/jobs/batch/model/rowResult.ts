import * as l10n from '@vscode/l10n';

/** Result of a row. Times are in ms. */
export interface RowResult {
  readonly row: number;
  /** ID of the job. Omitted if the platform refused the request. */
  readonly id?: string;
  readonly status: string;
  readonly delayTime?: number | undefined;
  readonly executionTime?: number | undefined;
  readonly workerId?: string | undefined;
  readonly output?: unknown;
  readonly error?: string | undefined;
}

/** Returns a result as a line. Output that is nested too deeply for JSON is replaced by an error. */
export function resultText({ row, id, status, delayTime, executionTime, workerId, output, error }: RowResult): string {
  const facts = { row, id, status, delayTime, executionTime, workerId };
  try {
    return `${JSON.stringify({ ...facts, output, error })}\n`;
  } catch {
    return `${JSON.stringify({ ...facts, error: l10n.t('the output is nested too deeply') })}\n`;
  }
}
