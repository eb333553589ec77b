import { JOB_STATUSES } from '../../../contract/job.ts';
import { formatViolation, shapeViolations } from '../../../contract/violation.ts';
import { USAGE_KINDS } from '../../domain/metering.ts';
import type { Row } from './rows.ts';
import { isSealed, type Sealing } from './sealing.ts';
import type { Statements } from './statements.ts';
import { LATEST_DATE, storedRecords, type StoredKind } from './storedRecords.ts';

/*
 * Records that cannot be used: they cannot be read, or would break what reads them. They are moved into a table of their own, as they
 * are, and the rest of the platform never sees them. All records are looked at when a store is opened; what is too large to be looked at
 * then is set aside when it is read.
 */

export interface SetAside {
  /** The table it was in. */
  readonly kind: string;
  readonly id: string;
  readonly reason: string;
}

/** Told of each record that is set aside. */
export type OnSetAside = (record: SetAside) => void;

export interface Quarantine {
  /** Sets the rows of a table aside for which the condition holds. Returns how many those are. */
  readonly setAside: (kind: Table, reason: string, condition: string, ...values: (string | number)[]) => number;
  /** Sets every record aside that cannot be used. To be called once, before anything else is read. */
  readonly sweep: () => void;
}

/** A table, what its records are called by, and what makes one useless. */
interface TableRules {
  /** SQL that names a record. */
  readonly id: string;
  /** By reason: a condition that holds for a record that cannot be used. */
  readonly broken: Readonly<Record<string, string>>;
}

const isNo = (column: string, least: number | string, most: number | string): string =>
  `${column} NOT BETWEEN ${least} AND ${most}`;
const isNoTime = (...columns: string[]): string =>
  columns.map((column) => isNo(column, -LATEST_DATE, LATEST_DATE)).join(' OR ');
const isNoCount = (...columns: string[]): string =>
  columns.map((column) => isNo(column, 0, Number.MAX_SAFE_INTEGER)).join(' OR ');
const isNoneOf = (column: string, values: readonly string[]): string =>
  `${column} NOT IN (${values.map((value) => `'${value}'`).join(', ')})`;

const NO_TIME = 'has a time that no date can tell';
const NO_COUNT = 'has a number that is out of range';
const NO_JSON = 'is not JSON';

/** A longer text is looked at when it is read. */
const MOST_BYTES = 1_048_576;
const isNoJson = (column: string): string => `octet_length(${column}) <= ${MOST_BYTES} AND NOT json_valid(${column})`;

const TABLES = {
  endpoints: { id: 'id', broken: { [NO_TIME]: isNoTime('created_at') } },
  accounts: { id: 'id', broken: {} },
  api_keys: { id: 'id', broken: {} },
  resources: {
    id: 'id',
    broken: {
      'is of a kind that is not known': isNoneOf('kind', [
        'templates',
        'registries',
        'networkVolumes',
        'globalVolumes',
      ]),
    },
  },
  releases: {
    id: 'id',
    broken: {
      [NO_TIME]: isNoTime('created_at'),
      [NO_COUNT]: isNoCount('version'),
      'is not a list of changes': `NOT json_valid(diff) OR json_type(diff) <> 'array'`,
    },
  },
  jobs: {
    id: 'id',
    broken: {
      'has a status that is not known': isNoneOf('status', JOB_STATUSES),
      [NO_TIME]: isNoTime('created_at', 'queued_at', 'started_at', 'finished_at', 'expires_at'),
      [NO_COUNT]: isNoCount('ttl', 'execution_timeout', 'lost_workers', 'retries'),
      // Those that have succeeded, or were cancelled, are not run again.
      'has lost its request': `status NOT IN ('COMPLETED', 'CANCELLED') AND
        NOT EXISTS (SELECT 1 FROM job_requests WHERE job_requests.sequence = jobs.sequence)`,
      // Those that are not over are read without being asked for.
      [NO_JSON]: `status IN ('IN_QUEUE', 'IN_PROGRESS') AND (
        ${isNoJson('output')} OR ${isNoJson('error')} OR
        EXISTS (SELECT 1 FROM job_requests WHERE job_requests.sequence = jobs.sequence AND ${isNoJson('request')}))`,
    },
  },
  job_requests: { id: 'sequence', broken: {} },
  job_chunks: { id: 'sequence', broken: { [NO_JSON]: isNoJson('output') } },
  webhooks: { id: 'id', broken: { [NO_TIME]: isNoTime('due_at'), [NO_COUNT]: isNoCount('attempts') } },
  images: { id: 'name', broken: { [NO_TIME]: isNoTime('created_at', 'expires_at') } },
  workers: { id: 'id', broken: { [NO_TIME]: isNoTime('created_at') } },
  // A process is ended by its number; one below 0 is a group.
  runs: {
    id: 'id',
    broken: { [NO_TIME]: isNoTime('started_at', 'last_seen_at'), 'is of no process': isNo('pid', 0, 2 ** 31 - 1) },
  },
  // What is settled is in the sums, and not read again.
  usage: {
    id: 'id',
    broken: {
      [NO_TIME]: `nano_usd IS NULL AND (${isNoTime('started_at', 'ended_at', 'settled_to')})`,
      [NO_COUNT]: `nano_usd IS NULL AND (${isNo('step_ms', 1, Number.MAX_SAFE_INTEGER)} OR nano_usd_per_month < 0)`,
      'is of a kind that is not known': `nano_usd IS NULL AND ${isNoneOf('kind', USAGE_KINDS)}`,
    },
  },
  usage_sums: {
    id: `account_id || ' ' || grain || ' ' || resource_id || ' ' || start || ' ' || kind`,
    broken: {
      [NO_TIME]: isNoTime('start'),
      'is of a kind that is not known': `${isNoneOf('kind', USAGE_KINDS)} OR ${isNoneOf('grain', ['hour', 'day'])}`,
    },
  },
} as const satisfies Record<string, TableRules>;

type Table = keyof typeof TABLES;

/** Tables whose records are JSON of a shape; that of a resource depends on its kind. */
const RECORD_TABLES = ['endpoints', 'accounts', 'api_keys', 'resources'] as const;

/** Reads the records of a store that encrypts some of them. */
export function recordParser({ parse }: Pick<Sealing, 'parse'>): ParseRecord {
  return (kind, id, text): unknown => (isSealed(kind) ? parse(kind, id, text) : JSON.parse(text));
}

/** What reads a stored record. @throws Error when it cannot be read */
export type ParseRecord = (kind: StoredKind, id: string, text: string) => unknown;

/** The quarantine of the main database. @param onSetAside told after the transaction that sets a record aside, or within one that is under way */
export function openQuarantine(statements: Statements, parse: ParseRecord, onSetAside: OnSetAside): Quarantine {
  const { all, run, transaction } = statements;
  const move = mover(statements, 'quarantine');

  const recount = (): void => {
    run('DELETE FROM job_counts');
    run(COUNT_JOBS);
  };

  const setAside: Quarantine['setAside'] = (kind, reason, condition, ...values) => {
    const moved = transaction(() => {
      const ids = move(kind, TABLES[kind].id, reason, condition, ...values);
      if (kind === 'jobs' && ids.length > 0) {
        move(
          'job_requests',
          'sequence',
          'belongs to a job that is set aside',
          'sequence NOT IN (SELECT sequence FROM jobs)',
        );
        recount();
      }
      return ids;
    });
    for (const id of moved) onSetAside({ kind, id, reason });
    return moved.length;
  };

  const sweepRecords = (table: (typeof RECORD_TABLES)[number]): void => {
    const kind = table === 'resources' ? 'kind' : `'${table}' AS kind`;
    for (const row of all(`SELECT rowid AS row, id, ${kind}, record FROM ${table}`)) {
      const reason = whyUseless(row, parse);
      if (reason !== undefined) setAside(table, reason, 'rowid = ?', row['row'] as number);
    }
  };

  return {
    setAside,
    sweep: () => {
      for (const [table, { broken }] of Object.entries<TableRules>(TABLES)) {
        const conditions = Object.entries(broken);
        // Nearly always there is none: then the table is gone over once.
        const any = conditions.map(([, condition]) => `(${condition})`).join(' OR ');
        if (any === '' || all(`SELECT 1 FROM ${table} WHERE ${any} LIMIT 1`).length === 0) continue;
        for (const [reason, condition] of conditions) setAside(table as Table, reason, condition);
      }
      for (const table of RECORD_TABLES) sweepRecords(table);
      if (all(`SELECT 1 FROM job_counts WHERE ${isNoCount('jobs', 'retries')}`).length > 0) transaction(recount);
    },
  };
}

const COUNT_JOBS = `
  INSERT INTO job_counts SELECT endpoint_id, status, count(*), sum(retries) FROM jobs GROUP BY endpoint_id, status`;

/** Why a record cannot be used; undefined when it can. */
function whyUseless({ kind, id, record }: Row, parse: ParseRecord): string | undefined {
  let value: unknown;
  try {
    value = parse(kind as StoredKind, id as string, record as string);
  } catch {
    // The parser's message quotes the text, which may hold a secret.
    return 'is not JSON, or cannot be decrypted';
  }
  const { data, error } = storedRecords[kind as StoredKind].safeParse(value, { reportInput: true });
  if (error) return shapeViolations(error).map(formatViolation).join('; ');
  return data.id === id ? undefined : `$.id: is not '${id as string}'`;
}

/**
 * Moves the rows for which a condition holds from their table into another, as JSON of their columns, those of bytes in hexadecimal.
 * Returns their ids.
 */
export function mover({ all, run }: Pick<Statements, 'all' | 'run'>, quarantine: string) {
  return (table: string, id: string, reason: string, condition: string, ...values: (string | number)[]): string[] => {
    const found = all(`SELECT CAST(${id} AS TEXT) AS id FROM ${table} WHERE ${condition}`, ...values);
    if (found.length === 0) return [];
    const columns = all(`SELECT name, type FROM pragma_table_info('${table}')`).map(({ name, type }) => {
      const column = `"${name as string}"`;
      return `'${name as string}', ${type === 'BLOB' ? `hex(${column})` : column}`;
    });
    run(
      `INSERT INTO ${quarantine} (kind, record_id, reason, content)
        SELECT '${table}', CAST(${id} AS TEXT), '${reason.replaceAll("'", "''")}', json_object(${columns.join(', ')})
        FROM ${table} WHERE ${condition}`,
      ...values,
    );
    run(`DELETE FROM ${table} WHERE ${condition}`, ...values);
    return found.map((row) => row['id'] as string);
  };
}
