import { open, stat, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import * as l10n from '@vscode/l10n';
import { replaceFile } from '../../../../kit/replaceFile.ts';
import { readRows, resultsFile } from '../batchFiles.ts';
import type { BatchState, ResultPlace, RowState } from '../model/batchState.ts';
import type { BatchHeader } from '../model/journalEntries.ts';
import {
  csvHeader,
  csvLine,
  OutputColumns,
  resultLine,
  type OpenStatus,
  type ResultLine,
  type RowResult,
} from '../model/resultTable.ts';

/** Files of results. */
export interface ResultFiles {
  readonly jsonLines: string;
  readonly csv: string;
}

/** Returns the files next to the source, or in another folder. */
export function resultFilesOf(
  { path: location }: Pick<BatchHeader['source'], 'path'>,
  folder = path.dirname(location),
): ResultFiles {
  const name = path.parse(location).name;
  return { jsonLines: path.join(folder, `${name}.results.jsonl`), csv: path.join(folder, `${name}.results.csv`) };
}

/** Returns the files that already exist. */
export async function existing({ jsonLines, csv }: ResultFiles): Promise<string[]> {
  const found = await Promise.all(
    [jsonLines, csv].map((file) =>
      stat(file).then(
        () => file,
        () => undefined,
      ),
    ),
  );
  return found.filter((file) => file !== undefined);
}

/**
 * Writes a line for each row, in the order of the source, as JSON Lines and as a CSV table. Existing files are replaced once the new ones
 * are complete. Holds one result in memory.
 *
 * @param mode permission bits of the files. Default: those of every new file of the user
 * @throws the error of the file system
 */
export async function writeResults(
  folder: string,
  state: BatchState,
  files: ResultFiles,
  mode?: number,
): Promise<void> {
  const columns = new OutputColumns();
  await replaceFile(
    files.jsonLines,
    async (write) => {
      for await (const line of linesOf(folder, state)) {
        columns.add(line.output);
        await write(`${JSON.stringify(line)}\n`);
      }
    },
    mode,
  );
  await replaceFile(
    files.csv,
    async (write) => {
      await write(csvHeader(columns));
      for await (const line of linesOf(folder, state)) await write(csvLine(line, columns));
    },
    mode,
  );
}

/** Reads a line for each row, in the order of the source. Holds one result in memory. @throws the error of the file system */
async function* linesOf(folder: string, state: BatchState): AsyncGenerator<ResultLine, void> {
  const price = state.header.pricePerHour;
  const results = await open(resultsFile(folder), 'a+', 0o600);
  try {
    for await (const { number, reference } of readRows(folder, state.header.rows)) {
      const place = state.resultOf(number);
      const result = (place && (await readResult(results, number, place))) ?? openResult(state, number);
      yield resultLine(result, { reference, price });
    }
  } finally {
    await results.close();
  }
}

/** Reads a result. Resolves with undefined if the place contains another one, or none. */
async function readResult(file: FileHandle, row: number, { at, length }: ResultPlace): Promise<RowResult | undefined> {
  const { buffer } = await file.read(Buffer.alloc(length), 0, length, at);
  try {
    const result = JSON.parse(buffer.toString('utf8')) as RowResult;
    return result.row === row ? result : undefined;
  } catch {
    return undefined;
  }
}

const OPEN_STATUSES: Readonly<Record<RowState, OpenStatus | undefined>> = {
  ...{ pending: 'NOT_SENT', sending: 'UNCERTAIN', uncertain: 'UNCERTAIN', accepted: 'IN_FLIGHT' },
  // The stored result is damaged.
  ...{ completed: undefined, failed: undefined, canceled: undefined },
};

function openResult(state: BatchState, row: number): RowResult {
  const status = OPEN_STATUSES[state.stateOf(row)];
  if (!status) return { row, status: 'DAMAGED', error: l10n.t('the stored result is damaged') };
  const id = state.jobOf(row);
  return { row, ...(id === undefined ? {} : { id }), status };
}
