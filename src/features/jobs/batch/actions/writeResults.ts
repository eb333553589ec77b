import { open, stat, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { replaceFile } from '../../../replaceFile.ts';
import { readRows, resultsFile } from '../batchFiles.ts';
import type { BatchState } from '../model/batchState.ts';
import type { BatchHeader } from '../model/journalEntries.ts';
import {
  csvHeader,
  csvLine,
  OutputColumns,
  resultLine,
  type OpenStatus,
  type ResultLine,
} from '../model/resultTable.ts';
import type { RowResult } from '../model/rowResult.ts';

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
 * @throws the error of the file system
 */
export async function writeResults(folder: string, state: BatchState, files: ResultFiles): Promise<void> {
  const columns = new OutputColumns();
  await replaceFile(files.jsonLines, async (write) => {
    for await (const line of linesOf(folder, state)) {
      columns.add(line.output);
      await write(`${JSON.stringify(line)}\n`);
    }
  });
  await replaceFile(files.csv, async (write) => {
    await write(csvHeader(columns));
    for await (const line of linesOf(folder, state)) await write(csvLine(line, columns));
  });
}

/** Reads a line for each row, in the order of the source. Holds one result in memory. @throws the error of the file system */
export async function* linesOf(folder: string, state: BatchState): AsyncGenerator<ResultLine, void> {
  const price = state.header.pricePerHour;
  const results = await open(resultsFile(folder), 'a+');
  try {
    for await (const { number, reference } of readRows(folder)) {
      const place = state.resultOf(number);
      const result = place ? await readResult(results, place) : openResult(state, number);
      yield resultLine(result, { reference, price });
    }
  } finally {
    await results.close();
  }
}

async function readResult(file: FileHandle, { at, length }: { at: number; length: number }): Promise<RowResult> {
  const { buffer } = await file.read(Buffer.alloc(length), 0, length, at);
  return JSON.parse(buffer.toString('utf8')) as RowResult;
}

function openResult(state: BatchState, row: number): RowResult {
  const current = state.stateOf(row);
  const status: OpenStatus = current === 'pending' ? 'NOT_SENT' : current === 'accepted' ? 'IN_FLIGHT' : 'UNCERTAIN';
  const id = state.jobOf(row);
  return { row, ...(id === undefined ? {} : { id }), status };
}
