/*
 * The largest numbers and the longest lists that may be asked for, each with its reason. Answers are not held to them: a service may
 * have more to say. What is computed from any number within these bounds is exact, and fits into what it is stored in.
 */

/** A container disk, in GB: 64 TB, more than any host has. */
export const MAX_DISK_GB = 65_536;

/** A network volume, in GB, as the public interface states it. */
export const MAX_VOLUME_GB = 4_096;

/** Workers of one endpoint. Accounts of the hosted platform may have some dozens; this leaves room for the largest. */
export const MAX_WORKERS = 10_000;

/** GPUs of one worker. The catalog, which knows how many a host has, sets a lower limit. */
export const MAX_GPU_COUNT = 64;

/** vCPUs of one worker. The catalog, which knows how many each flavor has, sets a lower limit. */
export const MAX_VCPUS = 1_024;

/** Requests that one worker is meant to carry: twice the jobs that the hosted platform queues for an account. */
export const MAX_REQUEST_COUNT = 100_000;

const DAY_MS = 86_400_000;

/** Life of a job, in ms: a week. Nothing that a job waits for can be longer. */
export const MAX_JOB_LIFE_MS = 7 * DAY_MS;

/** Seconds that a job may wait before a worker is added: as long as it lives. */
export const MAX_QUEUE_DELAY_S = MAX_JOB_LIFE_MS / 1_000;

/** Requests in a window of a rate limit. RateLimit headers cannot tell more than fifteen digits. */
export const MAX_QUOTA = 999_999_999;

/** How often a fault may happen. */
export const MAX_FAULT_COUNT = 1_000_000_000;

/** What one entry of a seed may cost, in USD. */
export const MAX_SEEDED_USD = 1_000_000;

/** How far the clock goes forward at once, and how long the usage of one entry of a seed lasts, in ms: ten years. */
export const MAX_TIME_SPAN_MS = 10 * 366 * DAY_MS;

/** The integers that JSON tells apart: for numbers that mean nothing but themselves, and for those that are cut to what there is. */
export const MAX_INTEGER = Number.MAX_SAFE_INTEGER;

/** The moments of the years 1 to 9999, in ms since the epoch: those that RFC 3339 can write and every calendar knows. */
export const EARLIEST_MOMENT = -62_135_596_800_000;
export const LATEST_MOMENT = 253_402_300_799_999;

/** How late it can be on a platform: what lasts some years from then on still ends within those years. */
export const LATEST_CLOCK = LATEST_MOMENT - MAX_TIME_SPAN_MS;

/** Hours that all usage of a seed is spread over: each is a charge of its own. */
export const MAX_SEEDED_HOURS = 200_000;

/** Members of a list in a body that names things: pools, versions, data centers, volumes, ports. */
export const MAX_LISTED = 100;

/** Characters of a CUDA version, whose numbers are compared. */
export const MAX_CUDA_LENGTH = 12;

/** Words of a command. */
export const MAX_COMMAND_WORDS = 4_096;

/** Ids in a list of the control API. */
export const MAX_IDS = 1_000;

/** TCP ports; 0 is none. */
export const MAX_PORT = 65_535;
