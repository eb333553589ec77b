import type { Schema } from './migrate.ts';

/** Schema of the database. Earlier versions were never released. */
export const SCHEMA: Schema = {
  first: 22,
  steps: [
    `
    CREATE TABLE endpoints (
      id TEXT PRIMARY KEY,
      created_at INTEGER NOT NULL,
      record TEXT NOT NULL
    ) STRICT;
    CREATE TABLE releases (
      id TEXT PRIMARY KEY,
      endpoint_id TEXT NOT NULL,
      version INTEGER NOT NULL,
      created_at INTEGER NOT NULL,
      diff TEXT NOT NULL
    ) STRICT;
    CREATE INDEX releases_by_endpoint ON releases (endpoint_id, version);

    -- A row per release with an image of its own, which later releases share. The digest is set once the first worker starts.
    CREATE TABLE release_images (
      endpoint_id TEXT NOT NULL,
      first_version INTEGER NOT NULL,
      digest TEXT,
      PRIMARY KEY (endpoint_id, first_version)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE pulled_images (
      id TEXT PRIMARY KEY,
      pulled_at INTEGER NOT NULL
    ) STRICT;

    -- Queues that are being purged of all jobs up to a time, and deleted endpoints whose rows are removed in the background.
    CREATE TABLE purged_queues (
      endpoint_id TEXT PRIMARY KEY,
      queued_by INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE removed_endpoints (
      id TEXT PRIMARY KEY,
      account_id TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE workers (
      id TEXT PRIMARY KEY,
      endpoint_id TEXT NOT NULL,
      created_at INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX workers_by_endpoint ON workers (endpoint_id);

    -- Only the runtime of a run reads its handle. Containers outlive the platform: the next one finds their runs by the claim, and listens
    -- at the same ports.
    CREATE TABLE runs (
      id TEXT PRIMARY KEY,
      worker_id TEXT NOT NULL,
      endpoint_id TEXT NOT NULL,
      started_at INTEGER NOT NULL,
      last_seen_at INTEGER NOT NULL,
      handle TEXT NOT NULL,
      claim TEXT
    ) STRICT;
    CREATE TABLE gate_ports (
      address TEXT PRIMARY KEY,
      port INTEGER NOT NULL
    ) STRICT;

    -- Members that queries and updates use have columns. A key identifies the job of a submission that a caller repeats.
    CREATE TABLE jobs (
      sequence INTEGER PRIMARY KEY,
      id TEXT NOT NULL UNIQUE,
      endpoint_id TEXT NOT NULL,
      status TEXT NOT NULL,
      ttl INTEGER,
      execution_timeout INTEGER,
      low_priority INTEGER NOT NULL,
      created_at INTEGER NOT NULL,
      queued_at INTEGER NOT NULL,
      started_at INTEGER,
      finished_at INTEGER,
      expires_at INTEGER NOT NULL,
      worker_id TEXT,
      lost_workers INTEGER NOT NULL,
      retries INTEGER NOT NULL,
      webhook TEXT,
      output TEXT,
      error TEXT,
      submission_key TEXT,
      request_digest TEXT,
      large_input TEXT,
      large_output TEXT
    ) STRICT;
    CREATE INDEX jobs_by_status ON jobs (endpoint_id, status, queued_at);
    CREATE INDEX jobs_by_expiry ON jobs (expires_at);
    CREATE INDEX jobs_scaled_for ON jobs (endpoint_id, queued_at) WHERE status = 'IN_QUEUE' AND low_priority = 0;
    CREATE UNIQUE INDEX jobs_by_key ON jobs (endpoint_id, submission_key) WHERE submission_key IS NOT NULL;

    -- Requests can be large, so changes of a job do not rewrite them. They have the sequence number of their job, because an index on random
    -- IDs writes an additional page for each job.
    CREATE TABLE job_requests (
      sequence INTEGER PRIMARY KEY,
      request TEXT NOT NULL
    ) STRICT;
    CREATE TABLE job_chunks (
      sequence INTEGER PRIMARY KEY,
      job_id TEXT NOT NULL,
      output TEXT NOT NULL
    ) STRICT;
    CREATE INDEX job_chunks_by_job ON job_chunks (job_id, sequence);

    -- Code that changes jobs maintains the counts once per transaction, so that reading them takes constant time.
    CREATE TABLE job_counts (
      endpoint_id TEXT NOT NULL,
      status TEXT NOT NULL,
      jobs INTEGER NOT NULL,
      retries INTEGER NOT NULL,
      PRIMARY KEY (endpoint_id, status)
    ) STRICT, WITHOUT ROWID;

    -- Large values are stored in parts. Rows refer to them, and triggers mark the values without a reference, which are deleted later.
    CREATE TABLE large_values (
      reference TEXT PRIMARY KEY,
      used INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX large_values_unused ON large_values (reference) WHERE used = 0;
    CREATE TABLE large_value_parts (
      sequence INTEGER PRIMARY KEY,
      reference TEXT NOT NULL,
      content BLOB NOT NULL
    ) STRICT;
    CREATE INDEX large_value_parts_by_reference ON large_value_parts (reference, sequence);
    CREATE TRIGGER jobs_release_output AFTER UPDATE OF large_output ON jobs
    WHEN old.large_output IS NOT NULL AND old.large_output IS NOT new.large_output BEGIN
      UPDATE large_values SET used = 0 WHERE reference = old.large_output;
    END;
    CREATE TRIGGER jobs_release_values AFTER DELETE ON jobs
    WHEN old.large_input IS NOT NULL OR old.large_output IS NOT NULL BEGIN
      UPDATE large_values SET used = 0 WHERE reference IN (old.large_input, old.large_output);
    END;

    -- The account of a queue decides on the addresses that its webhooks may reach. IDs are never reused.
    CREATE TABLE webhooks (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      account_id TEXT NOT NULL,
      job_id TEXT NOT NULL,
      receiver TEXT NOT NULL,
      url TEXT NOT NULL,
      attempts INTEGER NOT NULL,
      due_at INTEGER NOT NULL,
      body TEXT NOT NULL
    ) STRICT;
    CREATE INDEX webhooks_by_receiver ON webhooks (receiver, due_at, id);

    -- The ledger of the usage that is not settled, with an index for each question about it. Settled usage is only in the sums, which store
    -- whole dollars in a separate column, so that they cannot overflow.
    CREATE TABLE usage (
      id INTEGER PRIMARY KEY,
      account_id TEXT NOT NULL,
      source_id TEXT NOT NULL,
      resource_id TEXT NOT NULL,
      kind TEXT NOT NULL,
      nano_usd_per_month INTEGER NOT NULL,
      step_ms INTEGER NOT NULL,
      started_at INTEGER NOT NULL,
      ended_at INTEGER,
      settled_to INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX usage_by_source ON usage (source_id);
    CREATE INDEX usage_by_account ON usage (account_id, resource_id);
    CREATE INDEX usage_by_settlement ON usage (settled_to);
    CREATE TABLE usage_sums (
      account_id TEXT NOT NULL,
      grain TEXT NOT NULL,
      resource_id TEXT NOT NULL,
      start INTEGER NOT NULL,
      kind TEXT NOT NULL,
      nano_usd INTEGER NOT NULL,
      usd INTEGER NOT NULL,
      PRIMARY KEY (account_id, grain, resource_id, start, kind)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE images (
      name TEXT PRIMARY KEY,
      content_type TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      expires_at INTEGER NOT NULL,
      bytes BLOB NOT NULL
    ) STRICT;
    CREATE INDEX images_by_expiry ON images (expires_at);

    -- Templates, registries, and volumes.
    CREATE TABLE resources (
      sequence INTEGER PRIMARY KEY,
      account_id TEXT NOT NULL,
      kind TEXT NOT NULL,
      id TEXT NOT NULL,
      record TEXT NOT NULL,
      UNIQUE (kind, id)
    ) STRICT;
    CREATE INDEX resources_by_account ON resources (account_id, kind);

    CREATE TABLE accounts (
      id TEXT PRIMARY KEY,
      record TEXT NOT NULL
    ) STRICT;
    CREATE TABLE team_members (
      team_id TEXT NOT NULL,
      user_id TEXT NOT NULL,
      UNIQUE (team_id, user_id)
    ) STRICT;
    CREATE TABLE api_keys (
      id TEXT PRIMARY KEY,
      account_id TEXT NOT NULL,
      record TEXT NOT NULL
    ) STRICT;
    CREATE INDEX api_keys_by_account ON api_keys (account_id);

    -- A known text that identifies the key of the encrypted secrets.
    CREATE TABLE key_proof (
      sealed TEXT NOT NULL
    ) STRICT;

    -- Unusable records.
    CREATE TABLE quarantine (
      id INTEGER PRIMARY KEY,
      kind TEXT NOT NULL,
      record_id TEXT NOT NULL,
      reason TEXT NOT NULL,
      content TEXT NOT NULL
    ) STRICT;
    `,
    `
    -- Release of the worker that has taken the job. Earlier platforms did not store it.
    ALTER TABLE jobs ADD COLUMN release INTEGER;
    CREATE INDEX jobs_by_end ON jobs (endpoint_id, finished_at, created_at) WHERE finished_at IS NOT NULL;

    -- Measurements of a release of an endpoint in a bucket of \`step\` ms. The values of a rolled row are also in a longer bucket.
    CREATE TABLE metrics (
      id INTEGER PRIMARY KEY,
      endpoint_id TEXT NOT NULL,
      step INTEGER NOT NULL,
      release INTEGER NOT NULL,
      start INTEGER NOT NULL,
      rolled INTEGER NOT NULL,
      value BLOB NOT NULL,
      UNIQUE (endpoint_id, step, start, release)
    ) STRICT;
    CREATE INDEX metrics_by_age ON metrics (step, rolled, start);
    CREATE TABLE metric_crashes (
      id INTEGER PRIMARY KEY,
      endpoint_id TEXT NOT NULL,
      worker_id TEXT NOT NULL,
      release INTEGER NOT NULL,
      at INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX metric_crashes_by_endpoint ON metric_crashes (endpoint_id, at);

    -- The times in which the platform ran, so that others count as not measured.
    CREATE TABLE metric_runs (
      started_at INTEGER PRIMARY KEY,
      ended_at INTEGER NOT NULL
    ) STRICT;
    `,
    `
    -- What traces show of workers. The last event of a worker has the flag \`stopped\`.
    CREATE TABLE worker_events (
      id INTEGER PRIMARY KEY,
      endpoint_id TEXT NOT NULL,
      worker_id TEXT NOT NULL,
      release INTEGER NOT NULL,
      at INTEGER NOT NULL,
      stopped INTEGER NOT NULL,
      event TEXT NOT NULL
    ) STRICT;
    CREATE INDEX worker_events_by_endpoint ON worker_events (endpoint_id, id);
    CREATE INDEX worker_events_by_worker ON worker_events (worker_id, id);
    CREATE INDEX worker_events_by_end ON worker_events (at) WHERE stopped = 1;

    -- What traces show of a job with this sequence number and the job does not contain. Most jobs have no events.
    CREATE TABLE job_events (
      id INTEGER PRIMARY KEY,
      job INTEGER NOT NULL,
      event TEXT NOT NULL
    ) STRICT;
    CREATE INDEX job_events_by_job ON job_events (job, id);

    -- The trace of the caller that submitted the job.
    ALTER TABLE jobs ADD COLUMN trace_parent TEXT;
    `,
  ],
};

/** Schema of the database for logs. */
export const LOG_SCHEMA: Schema = {
  first: 5,
  steps: [
    `
    -- The index covers all columns except the lines, so that searching, counting, and filtering never read the lines.
    CREATE TABLE log_blocks (
      id INTEGER PRIMARY KEY,
      worker_id TEXT NOT NULL,
      source TEXT NOT NULL,
      first_ts TEXT NOT NULL,
      last_ts TEXT NOT NULL,
      lines INTEGER NOT NULL,
      bytes INTEGER NOT NULL,
      body BLOB NOT NULL
    ) STRICT;
    CREATE INDEX log_blocks_by_time ON log_blocks (worker_id, last_ts, source, lines, bytes, first_ts);

    CREATE TABLE log_sizes (
      worker_id TEXT PRIMARY KEY,
      endpoint_id TEXT NOT NULL,
      lines INTEGER NOT NULL,
      bytes INTEGER NOT NULL,
      first_id INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX log_sizes_by_age ON log_sizes (endpoint_id, first_id);

    -- The position in the output of the process of each worker, from which the next platform continues.
    CREATE TABLE log_positions (
      worker_id TEXT PRIMARY KEY,
      position TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;

    -- Unusable blocks.
    CREATE TABLE log_quarantine (
      id INTEGER PRIMARY KEY,
      kind TEXT NOT NULL,
      record_id TEXT NOT NULL,
      reason TEXT NOT NULL,
      content TEXT NOT NULL
    ) STRICT;
    `,
  ],
};
