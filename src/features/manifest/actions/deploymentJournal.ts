import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir, open, readFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import path from 'node:path';
import * as l10n from '@vscode/l10n';
import { ApiError } from '../../../client/apiError.ts';
import type { Client } from '../../../client/client.ts';
import type { Endpoint } from '../../../contract/endpoint.ts';
import type { Manifest } from '../../../contract/manifest.ts';
import {
  digestOf,
  linesAfter,
  readJournal,
  type Finished,
  type Journal,
  type JournalProblem,
  type Started,
} from '../model/deployment/journal.ts';
import { isBroken, type Verification } from '../model/deployment/verification.ts';
import type { Step } from '../model/deployment/deploymentPlan.ts';
import type { DeployedStep } from './deploySteps.ts';

/* Writes deployments into a journal: a line before the first request, and one with the result. */

/** Name of the journal in the data directory of the local platform. */
const FILE_NAME = 'deployments.jsonl';
/** Path of the journal of hosted platforms, relative to the repository or to the folder of the manifests. */
const FILE_IN_FOLDER = `.cloud-compute/${FILE_NAME}`;

/** Thrown if the lines of a journal were changed or removed. */
export class JournalError extends Error {
  readonly file: string;
  readonly problems: readonly JournalProblem[];

  constructor(file: string, problems: readonly JournalProblem[]) {
    super(l10n.t`${file} cannot be trusted: ${problems.map(problemWords).join('; ')}`);
    this.name = 'JournalError';
    this.file = file;
    this.problems = problems;
  }
}

function problemWords({ kind, line }: JournalProblem): string {
  switch (kind) {
    case 'changed':
      return l10n.t`line ${line} was changed`;
    case 'predecessorMissing':
      return l10n.t`the line before line ${line} about the same endpoint was changed or removed`;
    case 'unknown':
      return l10n.t`line ${line} was written by another version of this program`;
  }
}

/** Returns the path of the journal of a platform. @param dataDirectory that of the local platform. Undefined: a hosted one */
export async function journalFile(folder: string, dataDirectory: string | undefined): Promise<string> {
  if (dataDirectory !== undefined) return path.join(dataDirectory, FILE_NAME);
  return path.join((await git(folder, 'rev-parse', '--show-toplevel')) ?? folder, FILE_IN_FOLDER);
}

/** Reads a journal. An absent file is an empty one. @throws JournalError */
export async function readJournalFile(file: string): Promise<Journal> {
  const journal = readJournal(await textOf(file));
  if (journal.problems.length > 0) throw new JournalError(file, journal.problems);
  return journal;
}

async function textOf(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}

export interface JournalTarget {
  readonly file: string;
  /** Folder of the manifests. */
  readonly folder: string;
  readonly platform: string;
  readonly client: Client;
  /** Name of the environment whose settings apply. */
  readonly environment?: string | undefined;
}

/** A change of an endpoint, such as a step of a plan. */
export interface Deed {
  readonly kind: Started['action'];
  /** Name of the endpoint. */
  readonly name: string;
  readonly manifest?: Manifest | undefined;
}

/** The result of a deed, such as that of a step. */
interface DeedResult {
  readonly step: Pick<Deed, 'name'>;
  readonly outcome: string;
  readonly endpoint?: Endpoint;
  readonly verification?: Verification | undefined;
  readonly reverted?: object | undefined;
}

/** A deployment that the journal contains. */
export interface JournaledRun {
  /** Writes the results. @throws an error of the file system */
  end(results: readonly DeedResult[]): Promise<void>;
}

/**
 * Writes that changes are about to be sent.
 *
 * @throws JournalError before anything is written; an error of the file system
 */
async function beginDeployment(target: JournalTarget, deeds: readonly Deed[]): Promise<JournaledRun> {
  const { file, folder, platform, client, environment } = target;
  const { clock } = client.context;
  const deployment = randomUUID();
  const base = (endpoint: string) => ({ at: new Date(clock.now()).toISOString(), deployment, platform, endpoint });
  const origin = await originOf(folder);
  const started = deeds.map(({ kind, name, manifest }): Started => {
    const { image } = manifest ?? {};
    return {
      ...{ event: 'started', ...base(name), action: kind, ...origin },
      ...(manifest && { manifest: digestOf(manifest) }),
      ...(image !== undefined && { image }),
      ...(environment !== undefined && { environment }),
    };
  });
  await append(file, started);
  return {
    end: async (results) => {
      const finished = await Promise.all(
        results.map(async (result): Promise<Finished> => ({
          ...{ event: 'finished', ...base(result.step.name), ...(await resultOf(result, client)) },
        })),
      );
      await append(file, finished);
    },
  };
}

/** A deployment that no journal contains. */
export const UNJOURNALED: JournaledRun = { end: () => Promise.resolve() };

/**
 * Writes that changes are about to be sent. A journal that cannot be written does not prevent the deployment.
 *
 * @param file returns the path of the journal
 * @param unwritten called with each error of the file system
 * @throws JournalError if the journal was changed
 */
export async function tryToBegin(
  target: Omit<JournalTarget, 'file'>,
  file: () => Promise<string>,
  deeds: readonly Deed[],
  unwritten: (error: unknown) => void,
): Promise<JournaledRun> {
  try {
    const run = await beginDeployment({ ...target, file: await file() }, deeds);
    return { end: (results) => run.end(results).catch(unwritten) };
  } catch (error) {
    if (error instanceof JournalError) throw error;
    unwritten(error);
    return UNJOURNALED;
  }
}

/**
 * Runs a deployment, and writes its results before they are told. A deployment whose plan could not be read has sent nothing.
 *
 * @throws the error of the deployment
 */
export async function withResults(
  run: JournaledRun,
  steps: readonly Step[],
  deploy: () => Promise<readonly DeployedStep[]>,
): Promise<readonly DeployedStep[]> {
  try {
    const results = await deploy();
    await run.end(results);
    return results;
  } catch (error) {
    if (error instanceof ApiError) await run.end(steps.map((step) => ({ outcome: 'canceled', step })));
    throw error;
  }
}

const OUTCOMES = {
  create: 'created',
  update: 'updated',
  delete: 'deleted',
  rollback: 'rolledBack',
  verify: 'unchanged',
} as const;

/**
 * Makes one change, and writes its result before it is told.
 *
 * @throws the error of the change
 */
export async function withResult<Result extends Pick<DeedResult, 'endpoint' | 'verification'>>(
  run: JournaledRun,
  deed: Deed,
  change: () => Promise<Result>,
): Promise<Result> {
  let result: Result;
  try {
    result = await change();
  } catch (error) {
    await run.end([{ outcome: error instanceof ApiError ? 'failed' : 'canceled', step: deed }]);
    throw error;
  }
  await run.end([{ outcome: OUTCOMES[deed.kind], step: deed, ...result }]);
  return result;
}

async function resultOf(result: DeedResult, client: Client) {
  const { outcome, endpoint, verification, reverted } = result;
  const id = endpoint && { endpointId: endpoint.id };
  if (!verification || !endpoint) return { outcome, ...id, isVerified: false, rolledBack: false };
  const rolledBack = reverted !== undefined && !('error' in reverted);
  const isKnown = !rolledBack && (!isBroken(verification) || reverted === undefined);
  const version = isKnown ? await newestVersion(client, endpoint.id) : undefined;
  const isVerified = verification.outcome === 'ready' || verification.outcome === 'passed';
  return {
    ...{ outcome, ...id, verification: verification.outcome, isVerified, rolledBack },
    ...(version !== undefined && { version }),
  };
}

/** Returns the version of the newest release of an endpoint. Undefined if it cannot be read. */
export async function newestVersion(client: Client, id: string): Promise<number | undefined> {
  const { releases } = await client.listEndpointReleases({ id }).catch(() => ({ releases: [] }));
  return releases[0]?.version ?? undefined;
}

/** Adds lines with one write, and waits until they are on disk. */
async function append(file: string, entries: Parameters<typeof linesAfter>[1]): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true });
  const text = await textOf(file);
  const journal = readJournal(text);
  if (journal.problems.length > 0) throw new JournalError(file, journal.problems);
  // A crash can have cut off the last line.
  const separator = text === '' || text.endsWith('\n') ? '' : '\n';
  const handle = await open(file, 'a');
  try {
    await handle.writeFile(separator + linesAfter(journal, entries));
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Returns who deploys, and from which commit. The name is that of git, or of the user of the operating system. */
async function originOf(folder: string): Promise<Pick<Started, 'by' | 'commit' | 'dirty'>> {
  const [name, commit, changes] = await Promise.all([
    git(folder, 'config', 'user.name'),
    git(folder, 'rev-parse', 'HEAD'),
    git(folder, 'status', '--porcelain', '--', ':/', `:(top,exclude)${FILE_IN_FOLDER}`),
  ]);
  const by = name === undefined || name === '' ? userInfo().username : name;
  return commit === undefined ? { by } : { by, commit, dirty: changes !== '' };
}

/** Runs git, and returns its output. Undefined if there is no git, or no repository. The configuration of a repository starts no program. */
function git(folder: string, ...args: readonly string[]): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile('git', ['-c', 'core.fsmonitor=false', '-C', folder, ...args], (error, output) =>
      resolve(error ? undefined : output.trim()),
    );
  });
}
