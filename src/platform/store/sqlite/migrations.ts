/**
 * The schema as a list of migration steps. The database's user_version is the number of applied steps. A released step never changes.
 * Further changes are new steps.
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
  // Logs move to a separate file.
  'DROP TABLE log_lines',

  // The cost of workers moves from their runs to a ledger of all usage. A row is settled once nano_usd is set.
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

  // Members that queries and updates use get columns. Requests can be large and move to a separate table, so that changes of a job do not
  // rewrite them. Triggers maintain counts, so that reading them takes constant time.
  `
  CREATE TABLE job_requests (
    job_id TEXT PRIMARY KEY,
    request TEXT NOT NULL
  ) STRICT;
  INSERT INTO job_requests SELECT id, request FROM jobs;
  ALTER TABLE jobs ADD COLUMN ttl INTEGER;
  ALTER TABLE jobs ADD COLUMN execution_timeout INTEGER;
  ALTER TABLE jobs ADD COLUMN webhook TEXT;
  UPDATE jobs SET
    ttl = request ->> '$.policy.ttl',
    execution_timeout = request ->> '$.policy.executionTimeout',
    webhook = request ->> '$.webhook';
  ALTER TABLE jobs DROP COLUMN request;
  CREATE INDEX jobs_scaled_for ON jobs (endpoint_id, queued_at) WHERE status = 'IN_QUEUE' AND low_priority = 0;

  CREATE TABLE job_counts (
    endpoint_id TEXT NOT NULL,
    status TEXT NOT NULL,
    jobs INTEGER NOT NULL,
    retries INTEGER NOT NULL,
    PRIMARY KEY (endpoint_id, status)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO job_counts SELECT endpoint_id, status, count(*), sum(retries) FROM jobs GROUP BY endpoint_id, status;
  CREATE TRIGGER jobs_counted_in AFTER INSERT ON jobs BEGIN
    INSERT INTO job_counts VALUES (new.endpoint_id, new.status, 1, new.retries)
      ON CONFLICT DO UPDATE SET jobs = jobs + 1, retries = retries + excluded.retries;
  END;
  CREATE TRIGGER jobs_counted_again AFTER UPDATE OF status, retries ON jobs
  WHEN old.status <> new.status OR old.retries <> new.retries BEGIN
    UPDATE job_counts SET jobs = jobs - 1, retries = retries - old.retries
      WHERE endpoint_id = old.endpoint_id AND status = old.status;
    INSERT INTO job_counts VALUES (new.endpoint_id, new.status, 1, new.retries)
      ON CONFLICT DO UPDATE SET jobs = jobs + 1, retries = retries + excluded.retries;
  END;
  CREATE TRIGGER jobs_counted_out AFTER DELETE ON jobs BEGIN
    UPDATE job_counts SET jobs = jobs - 1, retries = retries - old.retries
      WHERE endpoint_id = old.endpoint_id AND status = old.status;
  END;

  CREATE TABLE webhooks (
    id INTEGER PRIMARY KEY,
    job_id TEXT NOT NULL,
    url TEXT NOT NULL,
    body TEXT NOT NULL,
    attempts INTEGER NOT NULL,
    due_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX webhooks_by_time ON webhooks (due_at);
  `,

  // Edited images.
  `
  CREATE TABLE images (
    name TEXT PRIMARY KEY,
    content_type TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    bytes BLOB NOT NULL
  ) STRICT;
  CREATE INDEX images_by_expiry ON images (expires_at);
  `,

  // Templates, registries, and volumes.
  `
  CREATE TABLE resources (
    sequence INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    id TEXT NOT NULL,
    record TEXT NOT NULL,
    UNIQUE (kind, id)
  ) STRICT;
  `,

  // Users, teams, and their API keys.
  `
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
  `,

  // All data belongs to an account. Existing data belongs to the owner of the platform.
  `
  UPDATE endpoints SET record = json_set(record, '$.accountId', 'owner');
  ALTER TABLE resources ADD COLUMN account_id TEXT NOT NULL DEFAULT 'owner';
  CREATE INDEX resources_by_account ON resources (account_id, kind);
  ALTER TABLE usage ADD COLUMN account_id TEXT NOT NULL DEFAULT 'owner';

  CREATE TABLE account_sums (
    account_id TEXT NOT NULL,
    grain TEXT NOT NULL,
    resource_id TEXT NOT NULL,
    start INTEGER NOT NULL,
    kind TEXT NOT NULL,
    nano_usd INTEGER NOT NULL,
    PRIMARY KEY (account_id, grain, resource_id, start, kind)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO account_sums SELECT 'owner', grain, resource_id, start, kind, nano_usd FROM usage_sums;
  DROP TABLE usage_sums;
  ALTER TABLE account_sums RENAME TO usage_sums;
  `,

  // Requests are keyed by the sequence number of their job, because an index on random IDs writes an additional page for each job.
  // Code that changes jobs maintains the counts once per transaction, which replaces the triggers that ran once per job.
  `
  CREATE TABLE numbered_jobs (
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
    error TEXT
  ) STRICT;
  INSERT INTO numbered_jobs
    SELECT NULL, id, endpoint_id, status, ttl, execution_timeout, low_priority, created_at, queued_at, started_at, finished_at,
      expires_at, worker_id, lost_workers, retries, webhook, output, error
    FROM jobs ORDER BY rowid;
  CREATE TABLE numbered_requests (
    sequence INTEGER PRIMARY KEY,
    request TEXT NOT NULL
  ) STRICT;
  INSERT INTO numbered_requests
    SELECT sequence, request FROM numbered_jobs JOIN job_requests ON job_id = id ORDER BY sequence;
  DROP TABLE job_requests;
  DROP TABLE jobs;
  ALTER TABLE numbered_jobs RENAME TO jobs;
  ALTER TABLE numbered_requests RENAME TO job_requests;
  CREATE INDEX jobs_by_status ON jobs (endpoint_id, status, queued_at);
  CREATE INDEX jobs_by_expiry ON jobs (expires_at);
  CREATE INDEX jobs_scaled_for ON jobs (endpoint_id, queued_at) WHERE status = 'IN_QUEUE' AND low_priority = 0;
  `,

  // Webhooks store their receiver, so that webhooks to other receivers can be found. IDs are never reused.
  `
  CREATE TABLE numbered_webhooks (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    job_id TEXT NOT NULL,
    receiver TEXT NOT NULL,
    url TEXT NOT NULL,
    attempts INTEGER NOT NULL,
    due_at INTEGER NOT NULL,
    body TEXT NOT NULL
  ) STRICT;
  INSERT INTO numbered_webhooks
    SELECT id, job_id, substr(url, 1, 7 + instr(substr(url, 9) || '/', '/')), url, attempts, due_at, body FROM webhooks;
  DROP TABLE webhooks;
  ALTER TABLE numbered_webhooks RENAME TO webhooks;
  CREATE INDEX webhooks_by_receiver ON webhooks (receiver, due_at, id);
  `,

  // Sums store whole dollars in a separate column, so they cannot overflow. Unusable records move to a quarantine table.
  `
  ALTER TABLE usage_sums ADD COLUMN usd INTEGER NOT NULL DEFAULT 0;
  UPDATE usage_sums SET usd = nano_usd / 1000000000, nano_usd = nano_usd % 1000000000;
  CREATE TABLE quarantine (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    record_id TEXT NOT NULL,
    reason TEXT NOT NULL,
    content TEXT NOT NULL
  ) STRICT;
  `,

  // Secrets are encrypted (sealing.ts defines the functions). The proof identifies their key.
  `
  CREATE TABLE key_proof (
    sealed TEXT NOT NULL,
    clean INTEGER NOT NULL
  ) STRICT;
  UPDATE endpoints SET record = sealed_record('endpoints', id, record);
  UPDATE resources SET record = sealed_record('templates', id, record) WHERE kind = 'templates';
  UPDATE job_requests
    SET request = sealed_record('requests', (SELECT id FROM jobs WHERE jobs.sequence = job_requests.sequence), request)
    WHERE instr(request, '"s3Config"') OR instr(request, '"webhook"') OR instr(request, '"$sealed"');
  UPDATE jobs SET webhook = '' WHERE webhook IS NOT NULL;
  UPDATE webhooks SET
    receiver = origin_of(url),
    url = sealed_text('deliveryUrl', job_id, url),
    body = sealed_text('deliveryBody', job_id, body);
  `,

  // Runs have a handle, which only their runtime reads. All earlier runs are processes. A run that was announced has no process ID.
  `
  ALTER TABLE runs ADD COLUMN handle TEXT NOT NULL DEFAULT 'null';
  UPDATE runs SET handle = CASE pid
    WHEN 0 THEN json_object('runtime', 'process', 'runId', id)
    ELSE json_object('runtime', 'process', 'runId', id, 'pid', pid, 'processStart', process_start)
  END;
  ALTER TABLE runs DROP COLUMN pid;
  ALTER TABLE runs DROP COLUMN process_start;
  `,

  // A key identifies the job of a submission that a caller repeats. Deleting the job deletes its key.
  `
  ALTER TABLE jobs ADD COLUMN submission_key TEXT;
  ALTER TABLE jobs ADD COLUMN request_digest TEXT;
  CREATE UNIQUE INDEX jobs_by_key ON jobs (endpoint_id, submission_key) WHERE submission_key IS NOT NULL;
  `,

  // A row per release with an image of its own, which later releases share. The digest is set once the first worker starts. No earlier
  // worker had an image.
  `
  CREATE TABLE release_images (
    endpoint_id TEXT NOT NULL,
    first_version INTEGER NOT NULL,
    digest TEXT,
    PRIMARY KEY (endpoint_id, first_version)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO release_images SELECT id, 1, NULL FROM endpoints;
  CREATE TABLE pulled_images (
    id TEXT PRIMARY KEY,
    pulled_at INTEGER NOT NULL
  ) STRICT;
  `,

  // Webhooks have the account of their queue, which decides on the addresses that they may reach.
  `
  ALTER TABLE webhooks ADD COLUMN account_id TEXT NOT NULL DEFAULT '';
  UPDATE webhooks SET account_id = coalesce(
    (SELECT iif(endpoint_id = 'image-edit', 'owner', record ->> '$.accountId')
     FROM jobs LEFT JOIN endpoints ON endpoint_id = endpoints.id WHERE jobs.id = job_id), '');
  `,

  // Deleted endpoints whose jobs and workers are removed in the background, and queues that are being purged of all jobs up to a time.
  `
  CREATE TABLE purged_queues (
    endpoint_id TEXT PRIMARY KEY,
    queued_by INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE removed_endpoints (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  INSERT INTO removed_endpoints SELECT DISTINCT endpoint_id, '' FROM workers
    WHERE endpoint_id NOT IN (SELECT id FROM endpoints UNION SELECT record_id FROM quarantine);
  `,

  // Settled usage is only in the sums. The ledger keeps the usage that is not settled, with an index for each question about it.
  `
  CREATE TABLE unsettled_usage (
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
  INSERT INTO unsettled_usage
    SELECT id, account_id, source_id, resource_id, kind, nano_usd_per_month, step_ms, started_at, ended_at, settled_to
    FROM usage INDEXED BY usage_unsettled WHERE nano_usd IS NULL;
  DROP TABLE usage;
  ALTER TABLE unsettled_usage RENAME TO usage;
  CREATE INDEX usage_by_source ON usage (source_id);
  CREATE INDEX usage_by_account ON usage (account_id, resource_id);
  CREATE INDEX usage_by_settlement ON usage (settled_to);
  `,

  // Containers outlive the platform. The next one finds their runs by the claim, and listens at the same ports.
  `
  ALTER TABLE runs ADD COLUMN claim TEXT;
  CREATE TABLE gate_ports (
    address TEXT PRIMARY KEY,
    port INTEGER NOT NULL
  ) STRICT;
  `,

  // Large values are stored in parts. Rows refer to them, and triggers mark the values without a reference, which are deleted later.
  `
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
  ALTER TABLE jobs ADD COLUMN large_input TEXT;
  ALTER TABLE jobs ADD COLUMN large_output TEXT;
  CREATE TRIGGER jobs_release_output AFTER UPDATE OF large_output ON jobs
  WHEN old.large_output IS NOT NULL AND old.large_output IS NOT new.large_output BEGIN
    UPDATE large_values SET used = 0 WHERE reference = old.large_output;
  END;
  CREATE TRIGGER jobs_release_values AFTER DELETE ON jobs
  WHEN old.large_input IS NOT NULL OR old.large_output IS NOT NULL BEGIN
    UPDATE large_values SET used = 0 WHERE reference IN (old.large_input, old.large_output);
  END;
  `,
];
