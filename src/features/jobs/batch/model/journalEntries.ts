import * as l10n from '@vscode/l10n';
import * as z from 'zod';

const RowNumber = z.int().min(1);

/** First entry of a journal. */
export const BatchHeader = z.object({
  kind: z.literal('header'),
  version: z.literal(1),
  id: z.string(),
  connectionId: z.string(),
  endpointId: z.string(),
  endpointName: z.string(),
  /** The source when its rows were copied into the folder of the batch. */
  source: z.object({
    kind: z.enum(['jsonLines', 'csv', 'folder']),
    path: z.string(),
    /** Bytes. */
    size: z.number(),
    /** Milliseconds since the epoch. */
    modifiedAt: z.number(),
    sha256: z.string(),
  }),
  rows: z.int().min(0),
  /** Number of rows of the source that were left out. */
  broken: z.int().min(0),
  createdAt: z.number(),
  /** Highest price of one worker, in USD per hour. */
  pricePerHour: z.number().optional(),
  /** Member of the input that receives the data URL of a file. */
  member: z.string().optional(),
  /** Kind of a batch whose results another feature saves. Default: the results are written as tables. */
  task: z.string().optional(),
});
export type BatchHeader = z.infer<typeof BatchHeader>;

/** Why a batch stands still: the user canceled it, or all rows have ended. */
const BATCH_STOPS = ['canceled', 'done'] as const;
export type BatchStop = (typeof BATCH_STOPS)[number];

const JournalEntry = z.discriminatedUnion('kind', [
  /** Precedes the request. Repetitions have the same key. */
  z.object({ kind: z.literal('sending'), row: RowNumber, key: z.string(), at: z.number() }),
  z.object({ kind: z.literal('accepted'), row: RowNumber, job: z.string() }),
  /** The platform refused the request for a temporary reason, such as a rate limit. The row is sent later. */
  z.object({ kind: z.literal('returned'), row: RowNumber }),
  /** It is not known whether the platform accepted the request. */
  z.object({ kind: z.literal('uncertain'), row: RowNumber }),
  /** The row has ended. `at` and `length` locate its result in the file of results, in bytes. */
  z.object({
    ...{ kind: z.literal('ended'), row: RowNumber, status: z.string(), at: z.int().min(0), length: z.int().min(1) },
    /** Execution time in ms. */
    ms: z.number().optional(),
  }),
  /** The rows are sent once more, as new jobs. */
  z.object({ kind: z.literal('again'), rows: z.array(RowNumber) }),
  z.object({ kind: z.literal('resumed') }),
  z.object({ kind: z.literal('stopped'), stop: z.enum(BATCH_STOPS) }),
]);
export type JournalEntry = z.infer<typeof JournalEntry>;

/** Thrown for a journal that cannot be used. */
export class JournalError extends Error {
  constructor(line: number) {
    super(l10n.t`line ${line} of the journal is damaged`);
    this.name = 'JournalError';
  }
}

/** Parses the first line of a journal. @throws JournalError */
export function parseHeader(line: string): BatchHeader {
  const header = BatchHeader.safeParse(parsed(line)).data;
  if (!header) throw new JournalError(1);
  return header;
}

/** Parses another line of a journal. @throws JournalError */
export function parseEntry(line: string, number: number): JournalEntry {
  const entry = JournalEntry.safeParse(parsed(line)).data;
  if (!entry) throw new JournalError(number);
  return entry;
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
