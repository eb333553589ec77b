import type { BatchHeader, BatchStop, JournalEntry } from './journalEntries.ts';

/** Statuses of rows whose request the platform refused, and of rows whose job the platform no longer has. */
export const REFUSED = 'REFUSED';
export const GONE = 'GONE';

/** Maximum number of jobs in flight. */
export const MAX_IN_FLIGHT = 1_000;
/** Lower bound of the size of an entry with a row. */
const MIN_ENTRY_BYTES = 24;

export type RowState = 'pending' | 'sending' | 'accepted' | 'uncertain' | 'completed' | 'failed' | 'canceled';
const STATES: readonly RowState[] = ['pending', 'sending', 'accepted', 'uncertain', 'completed', 'failed', 'canceled'];

/** A request whose response is not known yet. */
export interface SentRow {
  readonly key: string;
  /** Time of the first request, in ms since the epoch. */
  readonly at: number;
}

/** Place of a result in the file of results, in bytes. */
export interface ResultPlace {
  readonly at: number;
  readonly length: number;
}

/** State of all rows of a batch, from its journal. Holds a few bytes per row. */
export class BatchState {
  readonly header: BatchHeader;
  readonly #states: Uint8Array;
  readonly #places: Float64Array;
  readonly #counts: Record<RowState, number>;
  readonly #sent = new Map<number, SentRow>();
  readonly #jobs = new Map<number, string>();
  readonly #attempts = new Map<number, number>();
  #stop: BatchStop | undefined;
  #executionMs = 0;
  #damages = 0;
  /** Highest row with an entry. */
  #highest = 0;
  /** Rows up to this one were considered when entries were lost, except those that are pending again. */
  #lostUpTo = 0;
  readonly #reopened = new Set<number>();

  constructor(header: BatchHeader) {
    this.header = header;
    this.#states = new Uint8Array(header.rows + 1);
    this.#places = new Float64Array(2 * (header.rows + 1));
    const none = { sending: 0, accepted: 0, uncertain: 0, completed: 0, failed: 0, canceled: 0 };
    this.#counts = { ...none, pending: header.rows };
  }

  /** Why the batch stands still. Undefined while it runs, and after it was interrupted. */
  get stop(): BatchStop | undefined {
    return this.#stop;
  }

  /** Number of rows in each state. */
  get counts(): Readonly<Record<RowState, number>> {
    return this.#counts;
  }

  /** Number of rows that have not ended. */
  get left(): number {
    const { pending, sending, accepted } = this.#counts;
    return pending + sending + accepted;
  }

  /** Sum of the execution times, in ms. */
  get executionMs(): number {
    return this.#executionMs;
  }

  stateOf(row: number): RowState {
    return STATES[this.#states[row] ?? 0] ?? 'pending';
  }

  /** Returns the rows in this state, in order. */
  rowsIn(state: RowState): number[] {
    const wanted = STATES.indexOf(state);
    const rows: number[] = [];
    for (let row = 1; row <= this.header.rows; row++) if (this.#states[row] === wanted) rows.push(row);
    return rows;
  }

  sentOf(row: number): SentRow | undefined {
    return this.#sent.get(row);
  }

  jobOf(row: number): string | undefined {
    return this.#jobs.get(row);
  }

  resultOf(row: number): ResultPlace | undefined {
    const [at = 0, length = 0] = this.#places.subarray(2 * row, 2 * row + 2);
    return length > 0 ? { at, length } : undefined;
  }

  /** Returns the key of the next request for a row. A row that is sent as a new job has a new key. */
  keyOf(row: number): string {
    return this.#sent.get(row)?.key ?? `${this.header.id}-${row}-${this.attemptsOf(row)}`;
  }

  /** Number of places in the journal that cannot be read. */
  get damages(): number {
    return this.#damages;
  }

  /** Number of times that a row was sent again. */
  attemptsOf(row: number): number {
    return this.#attempts.get(row) ?? 0;
  }

  /** Returns whether all rows of an entry exist. */
  has(entry: JournalEntry): boolean {
    const rows = 'row' in entry ? [entry.row] : entry.kind === 'again' ? entry.rows : [];
    return rows.every((row) => row <= this.header.rows);
  }

  /**
   * Records that entries cannot be read. A row whose request may be among them counts as sent, so that no job is paid for twice: it is
   * repeated with its key, or becomes uncertain.
   *
   * Rows are started in order. Rows above all recorded ones were therefore either in flight without an entry, or are among the lost entries.
   *
   * @param bytes size of the lost entries
   */
  lose(bytes: number): void {
    this.#damages++;
    const end = Math.min(this.header.rows, this.#highest + MAX_IN_FLIGHT + Math.ceil(bytes / MIN_ENTRY_BYTES));
    const suspects = [...this.#reopened];
    for (let row = this.#lostUpTo + 1; row <= end; row++) suspects.push(row);
    this.#reopened.clear();
    this.#lostUpTo = Math.max(this.#lostUpTo, end);
    for (const row of suspects) {
      if (this.stateOf(row) !== 'pending') continue;
      this.#sent.set(row, { key: this.keyOf(row), at: this.header.createdAt });
      this.#set(row, 'sending');
    }
  }

  /** Applies an entry of the journal. Its rows must exist. */
  apply(entry: JournalEntry): void {
    if ('row' in entry) this.#highest = Math.max(this.#highest, entry.row);
    switch (entry.kind) {
      case 'sending':
        this.#sent.set(entry.row, this.#sent.get(entry.row) ?? { key: entry.key, at: entry.at });
        this.#set(entry.row, 'sending');
        return;
      case 'accepted':
        this.#sent.delete(entry.row);
        this.#jobs.set(entry.row, entry.job);
        this.#set(entry.row, 'accepted');
        return;
      case 'returned':
        this.#sent.delete(entry.row);
        this.#set(entry.row, 'pending');
        return;
      case 'uncertain':
        this.#sent.delete(entry.row);
        this.#set(entry.row, 'uncertain');
        return;
      case 'ended':
        this.#sent.delete(entry.row);
        this.#jobs.delete(entry.row);
        this.#places.set([entry.at, entry.length], 2 * entry.row);
        this.#executionMs += entry.ms ?? 0;
        this.#set(entry.row, outcomeOf(entry.status));
        return;
      case 'again':
        for (const row of entry.rows) this.#sendAgain(row);
        this.#stop = undefined;
        return;
      case 'resumed':
        this.#stop = undefined;
        return;
      case 'stopped':
        this.#stop = entry.stop;
        return;
    }
  }

  #sendAgain(row: number): void {
    this.#attempts.set(row, this.attemptsOf(row) + 1);
    this.#sent.delete(row);
    this.#jobs.delete(row);
    this.#places.set([0, 0], 2 * row);
    this.#set(row, 'pending');
  }

  #set(row: number, state: RowState): void {
    this.#counts[this.stateOf(row)]--;
    this.#counts[state]++;
    this.#states[row] = STATES.indexOf(state);
    if (state === 'pending' && row <= this.#lostUpTo) this.#reopened.add(row);
  }
}

function outcomeOf(status: string): RowState {
  if (status === 'COMPLETED') return 'completed';
  return status === 'CANCELLED' ? 'canceled' : 'failed';
}
