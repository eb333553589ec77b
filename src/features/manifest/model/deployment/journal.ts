import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { ReleaseDeployment } from '../../../endpoints/model/releaseWords.ts';

/*
 * The journal of deployments: a file of JSON lines to which lines are only added. Each line has a hash of its content and of the hash of the
 * line before it about the same endpoint, so that a changed line and a removed one are found. A merge of two branches can leave two lines with
 * the same predecessor.
 */

const facts = {
  /** Time in RFC 3339 format. */
  at: z.iso.datetime(),
  /** ID of the deployment, which its lines share. */
  deployment: z.string(),
  /** Host of the platform, or `local`. */
  platform: z.string(),
  /** Name of the endpoint. */
  endpoint: z.string(),
};

/** Written before the first request. Without a line about the end, the result is not known. */
const Started = z.strictObject({
  event: z.literal('started'),
  ...facts,
  /** `verify`: nothing was sent, and the endpoint was verified again. */
  action: z.enum(['create', 'update', 'delete', 'rollback', 'verify']),
  by: z.string(),
  /** SHA-256 of the manifest as JSON with sorted keys. */
  manifest: z.string().optional(),
  /** Reference of the image, with its digest if it has one. */
  image: z.string().optional(),
  /** Commit of the files, and whether files differ from it. */
  commit: z.string().optional(),
  dirty: z.boolean().optional(),
  environment: z.string().optional(),
});

const Finished = z.strictObject({
  event: z.literal('finished'),
  ...facts,
  outcome: z.string(),
  endpointId: z.string().optional(),
  /** Version of the endpoint's newest release. */
  version: z.number().optional(),
  /** Outcome of the verification. */
  verification: z.string().optional(),
  /** Whether a worker was up, or the job of the manifest met its expectations. */
  isVerified: z.boolean(),
  rolledBack: z.boolean(),
});

export const JournalEntry = z.discriminatedUnion('event', [Started, Finished]);
export type JournalEntry = z.infer<typeof JournalEntry>;
export type Started = z.infer<typeof Started>;
export type Finished = z.infer<typeof Finished>;

/** A reason not to trust a journal. `unknown`: another version of this program has written the line. */
export interface JournalProblem {
  readonly kind: 'changed' | 'predecessorMissing' | 'unknown';
  /** Number of the line, from 1. */
  readonly line: number;
}

export interface Journal {
  readonly entries: readonly JournalEntry[];
  readonly problems: readonly JournalProblem[];
  /** Numbers of lines that a crash has cut off. */
  readonly torn: readonly number[];
  /** Hash of the last line about each endpoint. */
  readonly last: ReadonlyMap<string, string>;
}

const keyOf = ({ platform, endpoint }: Pick<JournalEntry, 'platform' | 'endpoint'>): string =>
  JSON.stringify([platform, endpoint]);

/** Returns the SHA-256 of a JSON value, whatever the order of its keys. */
export function digestOf(value: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify(sorted(value)))
    .digest('hex');
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => [name, sorted(member)]),
  );
}

/** Returns the lines of new entries after those of a journal, each with a line end. */
export function linesAfter({ last }: Pick<Journal, 'last'>, entries: readonly JournalEntry[]): string {
  const hashes = new Map(last);
  return entries
    .map((entry) => {
      const content = { ...entry, previous: hashes.get(keyOf(entry)) ?? null };
      const hash = digestOf(content);
      hashes.set(keyOf(entry), hash);
      return `${JSON.stringify({ ...content, hash })}\n`;
    })
    .join('');
}

/** Reads a journal, and checks that no line was changed or removed. */
export function readJournal(text: string): Journal {
  const entries: JournalEntry[] = [];
  const problems: JournalProblem[] = [];
  const torn: number[] = [];
  const last = new Map<string, string>();
  const hashes = new Set<string>();
  const followers: { readonly line: number; readonly previous: string }[] = [];
  for (const [index, written] of text.split(/\r?\n/).entries()) {
    const line = index + 1;
    if (written.trim() === '') continue;
    const value = parsed(written);
    if (!value) {
      torn.push(line);
      continue;
    }
    const { hash, ...content } = value;
    if (hash !== digestOf(content)) {
      problems.push({ kind: 'changed', line });
      continue;
    }
    const { previous, ...fields } = content;
    const { data: entry } = JournalEntry.safeParse(fields);
    hashes.add(hash);
    if (typeof previous === 'string') followers.push({ line, previous });
    if (!entry) {
      problems.push({ kind: 'unknown', line });
      continue;
    }
    entries.push(entry);
    last.set(keyOf(entry), hash);
  }
  // After a merge, a line can stand before its predecessor.
  for (const { line, previous } of followers)
    if (!hashes.has(previous)) problems.push({ kind: 'predecessorMissing', line });
  return { entries, problems: problems.sort((a, b) => a.line - b.line), torn, last };
}

function parsed(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value = JSON.parse(line) as unknown;
    return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : undefined;
  } catch {
    return undefined;
  }
}

/** A deployment of one endpoint. Without `finished`, its result is not known. */
export interface JournaledDeployment {
  readonly started: Started;
  readonly finished: Finished | undefined;
}

/** Returns the deployments of a platform, newest first. @param endpoint name. Default: all */
export function deploymentsIn(
  { entries }: Pick<Journal, 'entries'>,
  platform: string,
  endpoint?: string,
): readonly JournaledDeployment[] {
  const ofEndpoint = entries.filter(
    (entry) => entry.platform === platform && (endpoint === undefined || entry.endpoint === endpoint),
  );
  const ends = new Map(
    ofEndpoint.flatMap((entry) => (entry.event === 'finished' ? [[`${entry.deployment} ${keyOf(entry)}`, entry]] : [])),
  );
  return ofEndpoint
    .flatMap((started) =>
      started.event === 'started' ? [{ started, finished: ends.get(`${started.deployment} ${keyOf(started)}`) }] : [],
    )
    .sort((a, b) => Date.parse(b.started.at) - Date.parse(a.started.at));
}

/** Returns the version of the last verified deployment that is not the present one. Undefined if there is none. */
export function lastVerifiedVersion(
  deployments: readonly JournaledDeployment[],
  present: number | undefined,
): number | undefined {
  return deployments.find(
    ({ finished }) =>
      finished?.isVerified && !finished.rolledBack && finished.version !== undefined && finished.version !== present,
  )?.finished?.version;
}

/** Outcomes of deployments that have sent nothing. */
const UNSENT: readonly string[] = ['canceled', 'changed'];
/** Outcomes of verifications after which an endpoint works, as far as can be known. */
const GOOD: readonly string[] = ['ready', 'accepted', 'passed'];

/**
 * Returns the last deployment whose settings an endpoint has, if it was not verified, or if its result is not known.
 *
 * @param deployments newest first
 */
export function unverifiedDeployment(
  deployments: readonly JournaledDeployment[],
  { id, name }: { readonly id: string; readonly name: string },
): JournaledDeployment | undefined {
  const last = deployments.find(({ started, finished }) => {
    if (!finished) return started.endpoint === name;
    const isOther = finished.endpointId === undefined ? started.endpoint !== name : finished.endpointId !== id;
    return !isOther && !finished.rolledBack && !UNSENT.includes(finished.outcome);
  });
  const isGood = last?.finished?.verification !== undefined && GOOD.includes(last.finished.verification);
  return isGood ? undefined : last;
}

/** Outcomes of verifications after which an endpoint does not work. */
const BAD: readonly string[] = ['failed', 'timedOut', 'unmet'];

/**
 * Returns the deployment of a version, with the result of its last verification.
 *
 * @param deployments those of one endpoint, newest first
 */
export function deploymentOfVersion(
  deployments: readonly JournaledDeployment[],
  version: number,
): ReleaseDeployment | undefined {
  const own = deployments.filter(({ finished }) => finished?.version === version && !finished.rolledBack);
  const [last] = own;
  const made = own.findLast(({ started }) => started.action !== 'verify') ?? last;
  if (!last?.finished || !made) return undefined;
  const { isVerified, verification = '' } = last.finished;
  const { by, commit, dirty = false, environment } = made.started;
  return {
    ...{ by, commit, isDirty: dirty, environment },
    verification: isVerified ? 'verified' : BAD.includes(verification) ? 'failed' : 'none',
  };
}
