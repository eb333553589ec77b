import { JOB_STATUSES } from '../../../contract/job.ts';
import { checkShape } from '../../../contract/shapeCheck.ts';
import { formatViolation } from '../../../contract/violation.ts';
import { USAGE_KINDS } from '../../domain/metering.ts';
import { LATEST_DATE } from '../../domain/recordFields.ts';
import type { Row } from './rows.ts';
import { isSealed, type Sealing } from './sealing.ts';
import type { Statements, Value } from './statements.ts';
import { partsOf, stepsOf, type TableParts } from './tableParts.ts';
import { RECORDS, type RecordKind } from './storedRows.ts';

/*
 * Quarantine of unusable records, which cannot be read or would break the code that reads them. They move unchanged to a separate
 * table, which the rest of the platform never reads. Records are checked when a store opens. Large tables are checked afterward, in parts.
 * Until then, the code that reads them does not find unusable records. Records that are too large for the check are set aside when they are
 * read.
 */

export interface SetAside {
  /** Original table of the record. */
  readonly kind: string;
  readonly id: string;
  readonly reason: string;
}

/** Called for each record that is set aside. */
export type OnSetAside = (record: SetAside) => void;

export interface Quarantine {
  /** Sets aside the rows of a table that match the condition. Returns their number. */
  readonly setAside: (kind: Table, reason: string, condition: string, ...values: Value[]) => number;
  /** Sets aside all unusable records of small tables. Call this once, before anything else is read. */
  readonly sweep: () => void;
  /** Sets aside the unusable records in a part of a large table. Returns false once all parts are checked. */
  readonly sweepPart: () => boolean;
  /** Returns an SQL condition for jobs whose columns can be read. It matches all jobs once they are checked. */
  readonly usableJob: () => string;
}

/** Identifies the records of a table, and the unusable ones among them. */
interface TableRules {
  /** SQL expression for the ID of a record. */
  readonly id: string;
  /** SQL conditions that match unusable records, by reason. */
  readonly broken: Readonly<Record<string, string>>;
  /** Set for a table that is checked in parts. */
  readonly parts?: TableParts;
}

const isOutside = (column: string, least: number | string, most: number | string): string =>
  `${column} NOT BETWEEN ${least} AND ${most}`;
export const isInvalidTime = (...columns: string[]): string =>
  columns.map((column) => isOutside(column, -LATEST_DATE, LATEST_DATE)).join(' OR ');
const isInvalidCount = (...columns: string[]): string =>
  columns.map((column) => isOutside(column, 0, Number.MAX_SAFE_INTEGER)).join(' OR ');
const isUnknown = (column: string, values: readonly string[]): string =>
  `${column} NOT IN (${values.map((value) => `'${value}'`).join(', ')})`;

const INVALID_TIME = 'has a time that is out of range';
const INVALID_NUMBER = 'has a number that is out of range';
const INVALID_JSON = 'is not JSON';

/** Maximum size in bytes of a text that is checked when the store opens. Longer texts are checked when they are read. */
const MAX_CHECKED_BYTES = 1_048_576;
const isInvalidJson = (column: string): string =>
  `octet_length(${column}) <= ${MAX_CHECKED_BYTES} AND NOT json_valid(${column})`;

/** Conditions that match jobs with columns that the platform cannot read, by reason. */
const BROKEN_JOBS = {
  'has an unknown status': isUnknown('status', JOB_STATUSES),
  [INVALID_TIME]: isInvalidTime('created_at', 'queued_at', 'started_at', 'finished_at', 'expires_at'),
  [INVALID_NUMBER]: isInvalidCount('ttl', 'execution_timeout', 'lost_workers', 'retries', 'release'),
} as const;

/** SQL condition for jobs whose columns can be read. */
const USABLE_JOB = `(${anyOf(BROKEN_JOBS)}) IS NOT TRUE`;

/** Returns an SQL condition for records that match at least one of the conditions. */
function anyOf(conditions: Readonly<Record<string, string>>): string {
  return Object.values(conditions)
    .map((condition) => `(${condition})`)
    .join(' OR ');
}

const TABLES = {
  endpoints: { id: 'id', broken: { [INVALID_TIME]: isInvalidTime('created_at') } },
  accounts: { id: 'id', broken: {} },
  api_keys: { id: 'id', broken: {} },
  resources: {
    id: 'id',
    broken: {
      'has an unknown kind': isUnknown('kind', ['templates', 'registries', 'networkVolumes', 'globalVolumes']),
    },
  },
  releases: {
    id: 'id',
    broken: {
      [INVALID_TIME]: isInvalidTime('created_at'),
      [INVALID_NUMBER]: isInvalidCount('version'),
      'is not a list of changes': `NOT json_valid(diff) OR json_type(diff) <> 'array'`,
    },
  },
  release_images: {
    id: `endpoint_id || ' ' || first_version`,
    broken: { [INVALID_NUMBER]: isInvalidCount('first_version') },
  },
  pulled_images: { id: 'id', broken: { [INVALID_TIME]: isInvalidTime('pulled_at') } },
  jobs: {
    id: 'id',
    parts: {
      key: ['sequence'],
      bytes: `ifnull(octet_length(output), 0)
        + ifnull((SELECT octet_length(request) FROM job_requests WHERE job_requests.sequence = jobs.sequence), 0)`,
    },
    broken: {
      ...BROKEN_JOBS,
      // Completed and canceled jobs do not run again.
      'has no request': `status NOT IN ('COMPLETED', 'CANCELLED') AND
        NOT EXISTS (SELECT 1 FROM job_requests WHERE job_requests.sequence = jobs.sequence)`,
      // The platform reads unfinished jobs by itself, not only when a caller requests them.
      [INVALID_JSON]: `status IN ('IN_QUEUE', 'IN_PROGRESS') AND (
        ${isInvalidJson('output')} OR ${isInvalidJson('error')} OR
        EXISTS (SELECT 1 FROM job_requests WHERE job_requests.sequence = jobs.sequence AND ${isInvalidJson('request')}))`,
    },
  },
  job_requests: { id: 'sequence', broken: {} },
  large_values: { id: 'reference', broken: {} },
  large_value_parts: { id: 'sequence', broken: {} },
  job_chunks: {
    id: 'sequence',
    parts: { key: ['sequence'], bytes: 'octet_length(output)' },
    broken: { [INVALID_JSON]: isInvalidJson('output') },
  },
  webhooks: {
    id: 'id',
    broken: { [INVALID_TIME]: isInvalidTime('due_at'), [INVALID_NUMBER]: isInvalidCount('attempts') },
  },
  images: { id: 'name', broken: { [INVALID_TIME]: isInvalidTime('created_at', 'expires_at') } },
  workers: { id: 'id', broken: { [INVALID_TIME]: isInvalidTime('created_at') } },
  gate_ports: { id: 'address', broken: { [INVALID_NUMBER]: isOutside('port', 1, 65_535) } },
  // Only the runtime reads the content of a handle, and checks it.
  runs: {
    id: 'id',
    broken: { [INVALID_TIME]: isInvalidTime('started_at', 'last_seen_at'), [INVALID_JSON]: 'NOT json_valid(handle)' },
  },
  usage: {
    id: 'id',
    broken: {
      [INVALID_TIME]: isInvalidTime('started_at', 'ended_at', 'settled_to'),
      [INVALID_NUMBER]: `${isOutside('step_ms', 1, Number.MAX_SAFE_INTEGER)} OR nano_usd_per_month < 0`,
      'has an unknown kind': isUnknown('kind', USAGE_KINDS),
    },
  },
  metrics: {
    parts: { key: ['endpoint_id', 'step', 'start', 'release'], bytes: '0' },
    id: `endpoint_id || ' ' || step || ' ' || start || ' ' || release`,
    broken: { [INVALID_TIME]: isInvalidTime('start'), [INVALID_NUMBER]: isInvalidCount('release') },
  },
  metric_crashes: {
    id: 'id',
    broken: { [INVALID_TIME]: isInvalidTime('at'), [INVALID_NUMBER]: isInvalidCount('release') },
  },
  worker_events: {
    parts: { key: ['id'], bytes: 'octet_length(event)' },
    id: 'id',
    broken: {
      [INVALID_TIME]: isInvalidTime('at'),
      [INVALID_NUMBER]: isInvalidCount('release'),
      [INVALID_JSON]: 'NOT json_valid(event)',
    },
  },
  job_events: {
    parts: { key: ['id'], bytes: 'octet_length(event)' },
    id: 'id',
    broken: { [INVALID_JSON]: 'NOT json_valid(event)' },
  },
  metric_runs: { id: 'started_at', broken: { [INVALID_TIME]: isInvalidTime('started_at', 'ended_at') } },
  usage_sums: {
    parts: { key: ['account_id', 'grain', 'resource_id', 'start', 'kind'], bytes: '0' },
    id: `account_id || ' ' || grain || ' ' || resource_id || ' ' || start || ' ' || kind`,
    broken: {
      [INVALID_TIME]: isInvalidTime('start'),
      'has an unknown kind': `${isUnknown('kind', USAGE_KINDS)} OR ${isUnknown('grain', ['hour', 'day'])}`,
    },
  },
} as const satisfies Record<string, TableRules>;

type Table = keyof typeof TABLES;

/** Tables with JSON records that have a schema. The schema of a resource depends on its kind. */
const RECORD_TABLES = ['endpoints', 'accounts', 'api_keys', 'resources'] as const;

/** Returns a parser for the records of a store, which encrypts some of them. */
export function recordParser({ parse }: Pick<Sealing, 'parse'>): ParseRecord {
  return (kind, id, text): unknown => (isSealed(kind) ? parse(kind, id, text) : JSON.parse(text));
}

/** Parses a stored record. @throws Error if it cannot be read */
export type ParseRecord = (kind: RecordKind, id: string, text: string) => unknown;

/**
 * Opens the quarantine of the main database.
 *
 * @param onSetAside called after the transaction that sets a record aside, or within the current one
 */
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
        // Another job may get the same sequence number.
        run('DELETE FROM job_events WHERE job NOT IN (SELECT sequence FROM jobs)');
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
      const reason = defectOf(row, parse);
      if (reason !== undefined) setAside(table, reason, 'rowid = ?', row['row'] as number);
    }
  };

  /** Sets aside the unusable records of a table, or of the rows that match `within`. */
  const sweepRows = (table: Table, within = 'TRUE', ...values: Value[]): void => {
    const { broken } = TABLES[table] as TableRules;
    // Nearly always no row matches. One combined query then scans the rows only once.
    const any = anyOf(broken);
    if (any === '' || all(`SELECT 1 FROM ${table} WHERE ${within} AND (${any}) LIMIT 1`, ...values).length === 0)
      return;
    for (const [reason, condition] of Object.entries(broken)) {
      setAside(table, reason, `${within} AND (${condition})`, ...values);
    }
  };

  function* sweepParts(): Generator<void> {
    for (const [table, { parts }] of Object.entries<TableRules>(TABLES)) {
      if (!parts) continue;
      yield* partsOf(statements, table, parts, (part, values) => sweepRows(table as Table, part, ...values));
      checked.add(table);
    }
  }
  const checked = new Set<string>();

  return {
    setAside,
    sweep: () => {
      for (const [table, { parts }] of Object.entries<TableRules>(TABLES)) {
        if (!parts) sweepRows(table as Table);
      }
      for (const table of RECORD_TABLES) sweepRecords(table);
      if (all(`SELECT 1 FROM job_counts WHERE ${isInvalidCount('jobs', 'retries')}`).length > 0) transaction(recount);
    },
    sweepPart: stepsOf(sweepParts),
    usableJob: () => (checked.has('jobs') ? 'TRUE' : USABLE_JOB),
  };
}

const COUNT_JOBS = `
  INSERT INTO job_counts SELECT endpoint_id, status, count(*), sum(retries) FROM jobs GROUP BY endpoint_id, status`;

/** Returns the reason why a record is unusable, or undefined if it is usable. */
function defectOf({ kind, id, record }: Row, parse: ParseRecord): string | undefined {
  let value: unknown;
  try {
    value = parse(kind as RecordKind, id as string, record as string);
  } catch {
    // The parser's message quotes the text, which may contain a secret.
    return 'is not JSON, or cannot be decrypted';
  }
  const { data, violations } = checkShape(RECORDS[kind as RecordKind], value);
  if (violations.length > 0) return violations.map(formatViolation).join('; ');
  return data?.id === id ? undefined : `$.id: is not '${id as string}'`;
}

/**
 * Moves the rows that match a condition from their table to another, as JSON of their columns with blobs in hexadecimal. Returns their
 * IDs.
 */
export function mover({ all, run }: Pick<Statements, 'all' | 'run'>, quarantine: string) {
  return (table: string, id: string, reason: string, condition: string, ...values: Value[]): string[] => {
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
