/*
 * Maximum numbers and list lengths in requests, each with its reason. Responses are not checked against them, because a service may
 * return more. Within these bounds, every computed value is exact and fits its storage type.
 */

/** Maximum container disk size in GB: 64 TB, more than any host has. */
export const MAX_DISK_GB = 65_536;

/** Maximum network volume size in GB, as the public API documents it. */
export const MAX_VOLUME_GB = 4_096;

/** Maximum number of workers per endpoint. Hosted accounts can have a few dozen; this leaves room for the largest ones. */
export const MAX_WORKERS = 10_000;

/** Maximum number of GPUs per worker. The catalog sets a lower limit for each host. */
export const MAX_GPU_COUNT = 64;

/** Maximum number of vCPUs per worker. The catalog sets a lower limit for each flavor. */
export const MAX_VCPUS = 1_024;

/** Maximum target number of requests per worker: twice the number of jobs that the hosted platform queues per account. */
export const MAX_REQUEST_COUNT = 100_000;

const DAY_MS = 86_400_000;

/** Maximum lifetime of a job in ms: one week. All other limits on a job's waiting time are at most this. */
export const MAX_JOB_LIFE_MS = 7 * DAY_MS;

/** Maximum number of seconds a job may wait before a worker is added: its maximum lifetime. */
export const MAX_QUEUE_DELAY_S = MAX_JOB_LIFE_MS / 1_000;

/** Maximum quota of a rate-limit window. RateLimit headers carry integers of at most 15 digits. */
export const MAX_QUOTA = 999_999_999;

/** Maximum number of times that a fault is injected. */
export const MAX_FAULT_COUNT = 1_000_000_000;

/** Maximum cost of one seed entry, in USD. */
export const MAX_SEEDED_USD = 1_000_000;

/** Maximum size of one clock change, and maximum duration of a seeded usage entry, in ms: ten years. */
export const MAX_TIME_SPAN_MS = 10 * 366 * DAY_MS;

/** Largest integer that JSON represents exactly. Used for numbers that have no natural limit or are capped later. */
export const MAX_INTEGER = Number.MAX_SAFE_INTEGER;

/** Range of the years 1 to 9999, in ms since the epoch. RFC 3339 has no later years; some calendars have no year 0. */
export const EARLIEST_MOMENT = -62_135_596_800_000;
export const LATEST_MOMENT = 253_402_300_799_999;

/** Latest time of a platform clock, in ms since the epoch. Leaves room for one more `MAX_TIME_SPAN_MS` before the year 10000. */
export const LATEST_CLOCK = LATEST_MOMENT - MAX_TIME_SPAN_MS;

/** Maximum number of hours covered by all usage entries of a seed. Each hour creates a charge. */
export const MAX_SEEDED_HOURS = 200_000;

/** Maximum number of items in a list of names in a body: pools, versions, data centers, volumes, ports. */
export const MAX_LISTED = 100;

/** Maximum number of characters in a CUDA version. Its parts are compared as numbers. */
export const MAX_CUDA_LENGTH = 12;

/** Maximum number of words in a command. */
export const MAX_COMMAND_WORDS = 4_096;

/** Maximum number of IDs in a list of the control API. */
export const MAX_IDS = 1_000;

/** Highest TCP port. Port 0 is not valid. */
export const MAX_PORT = 65_535;
