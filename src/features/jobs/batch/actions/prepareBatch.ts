import { createHash, randomUUID } from 'node:crypto';
import { mkdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Clock } from '../../../../client/clock.ts';
import { createJournal } from '../journal.ts';
import type { BatchHeader } from '../model/journalEntries.ts';
import { MAX_ROWS, SourceError, type BrokenRow } from '../model/sourceRow.ts';
import { RowWriter } from '../batchFiles.ts';
import { readSource, type Source } from './readSource.ts';

/** Maximum number of broken rows that are listed. */
const MAX_LISTED_BROKEN = 1_000;

/** A batch whose rows are copied and checked, before anything is sent. */
export interface PreparedBatch {
  readonly id: string;
  readonly folder: string;
  readonly source: BatchHeader['source'];
  /** Number of rows that can be sent. */
  readonly rows: number;
  /** Number of broken rows, and the first of them. */
  readonly broken: number;
  readonly listed: readonly BrokenRow[];
}

export interface PrepareOptions {
  readonly source: Source;
  /** Member of the input that receives the data URL of a file. */
  readonly member: string;
  readonly signal: AbortSignal;
  readonly onRow?: (rows: number) => void;
}

/**
 * Copies the rows of a source into a new folder, so that the source can change or disappear. Holds one row in memory.
 *
 * @throws SourceError; the error of the file system; the reason of the signal. The folder is then deleted.
 */
export async function prepareBatch(root: string, options: PrepareOptions): Promise<PreparedBatch> {
  const { source, member, signal, onRow } = options;
  const id = randomUUID();
  const folder = path.join(root, id);
  // Inputs and outputs can be private.
  await mkdir(folder, { recursive: true, mode: 0o700 });
  try {
    const { mtimeMs } = await stat(source.path);
    const hash = createHash('sha256');
    let size = 0;
    const onBytes = (bytes: Uint8Array): void => {
      hash.update(bytes);
      size += bytes.length;
    };
    const listed: BrokenRow[] = [];
    let [rows, broken] = [0, 0];
    const writer = await RowWriter.create(folder);
    try {
      for await (const row of readSource(source, { member, onBytes })) {
        signal.throwIfAborted();
        if (row.kind === 'broken') {
          broken++;
          if (listed.length < MAX_LISTED_BROKEN) listed.push(row);
        } else {
          if (++rows > MAX_ROWS) throw new SourceError('tooManyRows');
          await writer.add(row);
          onRow?.(rows);
        }
      }
    } finally {
      await writer.close();
    }
    const facts = { kind: source.kind, path: source.path, size, modifiedAt: mtimeMs, sha256: hash.digest('hex') };
    return { id, folder, source: facts, rows, broken, listed };
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

export interface BatchTarget {
  readonly connectionId: string;
  readonly endpointId: string;
  readonly endpointName: string;
  /** Highest price of one worker, in USD per hour. */
  readonly pricePerHour: number | undefined;
  readonly member: string;
}

/** Makes a prepared batch one that can run. */
export async function startBatch(prepared: PreparedBatch, target: BatchTarget, clock: Clock): Promise<BatchHeader> {
  const { id, folder, source, rows, broken } = prepared;
  const { pricePerHour, ...rest } = target;
  const header: BatchHeader = {
    ...{ kind: 'header', version: 1, id, source, rows, broken, createdAt: clock.now(), ...rest },
    ...(pricePerHour === undefined ? {} : { pricePerHour }),
  };
  await createJournal(folder, header);
  return header;
}

/** Deletes a prepared batch that is not started. */
export async function discardPrepared({ folder }: Pick<PreparedBatch, 'folder'>): Promise<void> {
  await rm(folder, { recursive: true, force: true });
}
