import { createHash } from 'node:crypto';
import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import { parseJson } from '../../../../contract/parsedJson.ts';

const RowNumber = z.int().min(1);
const VERSION = 1;

/** First entry of a journal. */
export const BatchHeader = z.object({
  kind: z.literal('header'),
  version: z.literal(VERSION),
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

/** Why a line cannot be used: its bytes have changed, or a newer version of the extension wrote it. */
export type JournalProblem = 'damaged' | 'newer';

/** Thrown for a journal that cannot be used. */
export class JournalError extends Error {
  readonly problem: JournalProblem;
  /** Undefined if the header cannot be used either. */
  readonly header: BatchHeader | undefined;

  constructor(problem: JournalProblem, header?: BatchHeader) {
    super(
      problem === 'newer'
        ? l10n.t('the batch was written by a newer version of the extension')
        : l10n.t('the journal of the batch is damaged'),
    );
    this.name = 'JournalError';
    this.problem = problem;
    this.header = header;
  }
}

/** Encodes an entry as a line. Its checksum is its last member. */
export function encodeLine(entry: BatchHeader | JournalEntry): string {
  const text = JSON.stringify(entry);
  return `${text.slice(0, -1)},"sum":"${sumOf(text)}"}\n`;
}

/** Decodes the first line of a journal. */
export function decodeHeader(line: string): BatchHeader | JournalProblem {
  const value = valueIn(line);
  const header = BatchHeader.safeParse(value).data;
  if (header) return header;
  const { version } = AnyHeader.safeParse(value).data ?? { version: 0 };
  return version > VERSION ? 'newer' : 'damaged';
}

/** Decodes another line of a journal. */
export function decodeEntry(line: string): JournalEntry | JournalProblem {
  const value = valueIn(line);
  const entry = JournalEntry.safeParse(value).data;
  if (entry) return entry;
  const { kind } = AnyEntry.safeParse(value).data ?? {};
  return kind !== undefined && !KINDS.has(kind) ? 'newer' : 'damaged';
}

const AnyHeader = z.object({ kind: z.literal('header'), version: z.number() });
const AnyEntry = z.object({ kind: z.string() });
const KINDS = new Set<string>(JournalEntry.options.map(({ shape }) => shape.kind.value));

const SUM = /,"sum":"([0-9a-f]{8})"\}$/;
const sumOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 8);

/** Returns whether a line without its line break is written to its end. */
export const isWhole = (line: string): boolean => SUM.test(line);

/** Returns the value of a line, or undefined if it is not JSON or has another checksum. A newer version can write lines without one. */
function valueIn(line: string): unknown {
  const sum = SUM.exec(line);
  const text = sum ? `${line.slice(0, sum.index)}}` : line;
  if (sum && sumOf(text) !== sum[1]) return undefined;
  return parseJson(text);
}
