/**
 * The schema as a list of steps; the database's user_version is the number of steps it has taken. A step that has been released is
 * never changed: changes are new steps.
 */
export const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE endpoints (
    id TEXT PRIMARY KEY,
    created_at INTEGER NOT NULL,
    record TEXT NOT NULL
  ) STRICT;

  CREATE TABLE jobs (
    id TEXT PRIMARY KEY,
    endpoint_id TEXT NOT NULL,
    status TEXT NOT NULL,
    low_priority INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    queued_at INTEGER NOT NULL,
    started_at INTEGER,
    finished_at INTEGER,
    expires_at INTEGER NOT NULL,
    worker_id TEXT,
    lost_workers INTEGER NOT NULL,
    retries INTEGER NOT NULL,
    request TEXT NOT NULL,
    output TEXT,
    error TEXT
  ) STRICT;
  CREATE INDEX jobs_by_status ON jobs (endpoint_id, status, queued_at);
  CREATE INDEX jobs_by_expiry ON jobs (expires_at);

  CREATE TABLE job_chunks (
    sequence INTEGER PRIMARY KEY,
    job_id TEXT NOT NULL,
    output TEXT NOT NULL
  ) STRICT;
  CREATE INDEX job_chunks_by_job ON job_chunks (job_id, sequence);

  CREATE TABLE workers (
    id TEXT PRIMARY KEY,
    endpoint_id TEXT NOT NULL,
    created_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX workers_by_endpoint ON workers (endpoint_id);

  CREATE TABLE runs (
    id TEXT PRIMARY KEY,
    worker_id TEXT NOT NULL,
    endpoint_id TEXT NOT NULL,
    pid INTEGER NOT NULL,
    process_start TEXT,
    started_at INTEGER NOT NULL,
    last_seen_at INTEGER NOT NULL,
    ended_at INTEGER,
    resource TEXT NOT NULL,
    nano_usd_per_second INTEGER NOT NULL,
    disk_gb INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX runs_by_time ON runs (started_at);
  CREATE INDEX runs_open ON runs (ended_at) WHERE ended_at IS NULL;

  CREATE TABLE log_lines (
    worker_id TEXT NOT NULL,
    ts TEXT NOT NULL,
    source TEXT NOT NULL,
    line TEXT NOT NULL,
    PRIMARY KEY (worker_id, ts)
  ) STRICT, WITHOUT ROWID;
  `,
  // Logs are in a file of their own.
  'DROP TABLE log_lines',

  // What workers' time costs moves from their runs into a ledger of all usage. A row is summed up once nano_usd is there.
  `
  CREATE TABLE usage (
    id INTEGER PRIMARY KEY,
    source_id TEXT NOT NULL,
    resource_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    nano_usd_per_month INTEGER NOT NULL,
    step_ms INTEGER NOT NULL,
    started_at INTEGER NOT NULL,
    ended_at INTEGER,
    settled_to INTEGER NOT NULL,
    nano_usd INTEGER
  ) STRICT;
  CREATE INDEX usage_unsettled ON usage (source_id) WHERE nano_usd IS NULL;

  CREATE TABLE usage_sums (
    grain TEXT NOT NULL,
    resource_id TEXT NOT NULL,
    start INTEGER NOT NULL,
    kind TEXT NOT NULL,
    nano_usd INTEGER NOT NULL,
    PRIMARY KEY (grain, resource_id, start, kind)
  ) STRICT, WITHOUT ROWID;

  INSERT INTO usage (source_id, resource_id, kind, nano_usd_per_month, step_ms, started_at, ended_at, settled_to)
  SELECT
    id, endpoint_id, CASE resource WHEN 'gpu' THEN 'serverlessGpu' ELSE 'serverlessCpu' END,
    nano_usd_per_second * 2592000, 1000, started_at, ended_at, started_at
  FROM runs WHERE nano_usd_per_second > 0
  UNION ALL
  SELECT id, endpoint_id, 'serverlessDisk', disk_gb * 100000000, 1000, started_at, ended_at, started_at
  FROM runs WHERE disk_gb > 0;

  DELETE FROM runs WHERE ended_at IS NOT NULL;
  DROP INDEX runs_by_time;
  DROP INDEX runs_open;
  ALTER TABLE runs DROP COLUMN ended_at;
  ALTER TABLE runs DROP COLUMN resource;
  ALTER TABLE runs DROP COLUMN nano_usd_per_second;
  ALTER TABLE runs DROP COLUMN disk_gb;
  `,

  `
  CREATE TABLE releases (
    id TEXT PRIMARY KEY,
    endpoint_id TEXT NOT NULL,
    version INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    diff TEXT NOT NULL
  ) STRICT;
  CREATE INDEX releases_by_endpoint ON releases (endpoint_id, version);
  INSERT INTO releases SELECT lower(hex(randomblob(7))), id, 1, created_at, '[]' FROM endpoints;
  `,
];
