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
];
