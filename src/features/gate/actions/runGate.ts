import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { GATE_DEFAULTS, type GatePart } from '../../../contract/gate.ts';
import type { Job } from '../../../contract/job.ts';
import type { JobFile } from '../../../contract/jobFile.ts';
import type { CreateEndpointBody } from '../../../contract/endpoint.ts';
import { PROCESS_IMAGE_PREFIX } from '../../../contract/processImage.ts';
import type { ValueSource } from '../../../account/secrets/envReferences.ts';
import { ApiError } from '../../../client/apiError.ts';
import { shown } from '../../../text/shownText.ts';
import { runExpectation } from '../../jobs/expectations/actions/runExpectation.ts';
import type { ReadText } from '../../jobs/expectations/actions/checkOutputSchema.ts';
import { mismatchWords, type Mismatch } from '../../jobs/model/expectations/mismatch.ts';
import { contentHash } from '../../manifest/gate/actions/contentHash.ts';
import { storeVerdict } from '../../manifest/gate/actions/gateVerdicts.ts';
import { compareErrors, errorLine, ownRoots } from '../model/compareErrors.ts';
import { compareOutputs } from '../model/compareOutputs.ts';
import { failuresOf, slowerPercent, type GateJob, type GateReport } from '../model/gateReport.ts';
import { readEarlier, readGated, type GatePartOfFile } from './gatedManifest.ts';
import { GateError } from './gateError.ts';
import { withSide, type GatePlace, type GateSide } from './gateSide.ts';
import { readRecordings, RecordingError, requestOfRecording, type Recording } from './readRecordings.ts';
import { findRevision, linkDependencies, withRevision } from './revision.ts';

export interface GateOptions {
  /** Absolute path of the manifest. */
  readonly manifest: string;
  /** Index of the endpoint in the file. Default: the only one. */
  readonly part?: number | undefined;
  readonly environment?: string | undefined;
  /** The earlier version. Default: see `findRevision`. */
  readonly base?: { readonly revision: string } | { readonly image: string } | undefined;
  /** Image that runs instead of the working tree. */
  readonly image?: string | undefined;
  /** Number of jobs. Default: that of the manifest. */
  readonly jobs?: number | undefined;
  readonly place: GatePlace;
  /** Values of the references in `env`. */
  readonly values: ValueSource;
  /** Returns the value of a secret of a recording. */
  readonly secretOf: (name: string) => string | undefined | PromiseLike<string | undefined>;
  readonly readText: ReadText;
  readonly onProgress?: ((progress: GateProgress) => void) | undefined;
  readonly signal: AbortSignal;
}

export type GateProgress =
  { readonly kind: 'starting' } | { readonly kind: 'job'; readonly done: number; readonly total: number };

export interface GateResult {
  readonly report: GateReport;
  /** Recordings that cannot be used. */
  readonly problems: readonly RecordingError[];
  /** Whether the verdict is stored, so that a deployment of this content finds it. */
  readonly isStored: boolean;
}

/**
 * Runs the recorded jobs of an endpoint on an earlier and on the new version of its worker, compares the results, and stores the verdict about
 * the content of the working tree. After an abort, no process and no checked out revision is left.
 *
 * @throws GateError, RecordingError for a secret without a value, the reason of the signal
 */
export async function runGate(options: GateOptions): Promise<GateResult> {
  const { manifest, place, signal, base, image } = options;
  const choice = { ...options, target: place.kind === 'private' || place.isLocal ? 'local' : 'hosted' } as const;
  const gated = await readGated(manifest, choice);
  const { chosen, problems, isComplete } = await chooseRecordings(options, gated);
  const after = { label: image ?? 'working tree', body: image === undefined ? gated.body : withImage(gated, image) };
  const folder = path.dirname(manifest);
  const content = await contentHash(gated.value, folder, signal);
  const run = (before: Version) => compareVersions({ options, gated, chosen, before, after });

  if (base && 'image' in base) {
    const report = await run({ label: base.image, body: withImage(gated, base.image) });
    const isStored = await store(report, { isComplete: isComplete && base.image !== image });
    return { report, problems, isStored };
  }
  const revision = await findRevision({ manifest, directory: directoryOf(gated.body) }, base?.revision, signal);
  return withRevision(manifest, revision, signal, async (earlierFile) => {
    const { label } = revision;
    const earlier = await readEarlier(earlierFile, choice, { name: gated.name, revision: label });
    // A comparison of a version with itself shows nothing about its content.
    const isOther = (await contentHash(earlier.value, path.dirname(earlierFile), signal)) !== content;
    await linkEach(gated, folder, path.dirname(earlierFile));
    const report = await run({ label, body: earlier.body });
    return { report, problems, isStored: await store(report, { isComplete: isComplete && isOther }) };
  });

  async function store(
    report: GateReport,
    { isComplete: isWhole }: { readonly isComplete: boolean },
  ): Promise<boolean> {
    const isSame = (await contentHash(gated.value, folder, signal)) === content;
    if (!isWhole || !isSame || image !== undefined) return false;
    const [facts, jobs] = [{ content, at: report.startedAt, base: report.before.label }, report.jobs.length];
    await storeVerdict(manifest, { kind: 'run', passed: report.passed, jobs, ...facts });
    return true;
  }
}

interface Version {
  readonly label: string;
  readonly body: CreateEndpointBody;
}

interface ChosenRecordings {
  readonly chosen: readonly Recording[];
  readonly problems: readonly RecordingError[];
  /** Whether these are as many jobs as the manifest wants, or all that are recorded. */
  readonly isComplete: boolean;
}

/** Returns the last recordings of an endpoint. @throws GateError if there is none */
async function chooseRecordings(
  { manifest, jobs }: GateOptions,
  { name, gate }: GatePartOfFile,
): Promise<ChosenRecordings> {
  const { recordings, problems } = await readRecordings(manifest);
  const own = recordings.filter(({ recorded }) => recorded.endpoint === name);
  const wanted = gate.jobs ?? GATE_DEFAULTS.jobs;
  const chosen = own.slice(-(jobs ?? wanted));
  if (chosen.length === 0 && problems.length === 0)
    throw new GateError('noRecordings', shown`no job of “${name}” is recorded. Keep jobs for the gate first`);
  return { chosen, problems, isComplete: problems.length === 0 && chosen.length >= Math.min(wanted, own.length) };
}

/** Returns the absolute path of the worker's directory. Undefined for an image. */
function directoryOf({ image = '' }: Pick<CreateEndpointBody, 'image'>): string | undefined {
  return image.startsWith(PROCESS_IMAGE_PREFIX) ? image.slice(PROCESS_IMAGE_PREFIX.length) : undefined;
}

/** Returns the body with an image, which runs with its own command instead of that of a local directory. */
function withImage({ body }: GatePartOfFile, image: string): CreateEndpointBody {
  const { args, entrypoint, cmd, ...rest } = body;
  return directoryOf(body) !== undefined ? { ...rest, image } : { ...body, image };
}

/** Links the dependencies of the worker and of the folders between it and its manifest. */
async function linkEach({ body }: GatePartOfFile, folder: string, earlier: string): Promise<void> {
  await linkDependencies(folder, earlier);
  const directory = directoryOf(body);
  if (directory === undefined) return;
  const relative = path.relative(folder, directory);
  if (relative !== '' && !relative.startsWith('..') && !path.isAbsolute(relative))
    await linkDependencies(path.join(folder, relative), path.join(earlier, relative));
}

interface VersionsToCompare {
  readonly options: GateOptions;
  readonly gated: GatePartOfFile;
  readonly chosen: readonly Recording[];
  readonly before: Version;
  readonly after: Version;
}

async function compareVersions({ options, gated, chosen, before, after }: VersionsToCompare): Promise<GateReport> {
  const { onProgress = () => undefined, place, values } = options;
  const startedAt = new Date();
  onProgress({ kind: 'starting' });
  // A failure of one side ends the start of the other one.
  const failed = new AbortController();
  const signal = AbortSignal.any([options.signal, failed.signal]);
  const started = { before: Promise.withResolvers<GateSide>(), after: Promise.withResolvers<GateSide>() };
  const done = Promise.withResolvers<undefined>();
  const runSide = (name: 'before' | 'after', version: Version) =>
    withSide({ ...version, place, values, signal }, async (side) => {
      started[name].resolve(side);
      await done.promise;
    }).catch((error: unknown) => {
      started[name].reject(error);
      failed.abort();
      throw error;
    });
  const ending = Promise.allSettled([runSide('before', before), runSide('after', after)]);
  for (const { promise } of Object.values(started)) promise.catch(() => undefined);
  try {
    const sides = await Promise.all([started.before.promise, started.after.promise]);
    const jobs: GateJob[] = [];
    const tell = () => onProgress({ kind: 'job', done: jobs.length, total: chosen.length });
    tell();
    for (const recording of chosen) {
      jobs.push(await runJob({ options, gate: gated.gate, recording, sides, isOdd: jobs.length % 2 === 1 }));
      tell();
    }
    const report = { jobs, before: sides[0].report, after: sides[1].report };
    const failures = failuresOf(report, gated.gate);
    return {
      ...{ version: 1, endpoint: gated.name, startedAt: startedAt.toISOString(), ...report },
      ...{ passed: failures.length === 0, failures, slowerPercent: slowerPercent(report.before, report.after) },
    };
  } finally {
    done.resolve(undefined);
    const left = (await ending).find((end) => end.status === 'rejected' && isNotDeleted(end.reason));
    // It costs money, so it is told before any other error.
    if (left?.status === 'rejected') throw left.reason as GateError;
  }
}

function isNotDeleted(error: unknown): boolean {
  return error instanceof GateError && error.code === 'notDeleted';
}

interface JobRun {
  readonly options: GateOptions;
  readonly gate: GatePart;
  readonly recording: Recording;
  readonly sides: readonly [GateSide, GateSide];
  /** Whether the new version runs first, so that neither version is always the first one. */
  readonly isOdd: boolean;
}

async function runJob({ options, gate, recording, sides, isOdd }: JobRun): Promise<GateJob> {
  const { file, name, recorded } = recording;
  const nothing = { name, differences: [], mismatches: [] };
  let request: JobFile;
  try {
    request = { ...(await requestOfRecording(recording, options.secretOf)), expect: recorded.expect };
  } catch (error) {
    if (!(error instanceof RecordingError)) throw error;
    return { ...nothing, outcome: 'notRun', reason: error.message };
  }
  const run = (side: GateSide) => runOn(side, request, { uri: pathToFileURL(file).href, readText: options.readText });
  const results = new Map<GateSide, Ran>();
  for (const side of isOdd ? sides.toReversed() : sides) results.set(side, await run(side));
  const [before, after] = sides.map((side) => results.get(side)) as [Ran, Ran];
  const refused = [before, after].find((one) => 'refused' in one);
  if ('refused' in before || 'refused' in after)
    return { ...nothing, outcome: 'notRun', reason: refused && 'refused' in refused ? refused.refused : undefined };
  const facts = {
    ...{ name, before: before.job.status, after: after.job.status },
    ...{ beforeMs: before.job.executionTime, afterMs: after.job.executionTime },
    reason: errorLine(after.job.error),
  };
  if (recorded.expect) {
    const mismatches = after.mismatches.map(mismatchWords);
    const isFixed = mismatches.length === 0 && before.mismatches.length > 0;
    const outcome = mismatches.length > 0 ? 'differs' : isFixed ? 'fixed' : 'same';
    return { ...facts, outcome, differences: [], mismatches };
  }
  if (before.job.status !== after.job.status) {
    const outcome = after.job.status === 'COMPLETED' ? 'fixed' : 'differs';
    return { ...facts, outcome, differences: [], mismatches: [] };
  }
  const differences =
    after.job.status === 'COMPLETED'
      ? await compareOutputs(before.job.output, after.job.output, gate.tolerance)
      : compareErrors(...errorsOf(sides, [before.job, after.job]), gate.tolerance);
  return { ...facts, outcome: differences.length > 0 ? 'differs' : 'same', differences, mismatches: [] };
}

/** Returns the errors of a job on both versions, and what differs in each run: its IDs, and the folder of the version. */
function errorsOf(sides: readonly [GateSide, GateSide], jobs: readonly [Job, Job]) {
  const directories = sides.map(({ endpoint: { image } }) => directoryOf({ image }));
  const [before, after] = directories;
  const roots = before !== undefined && after !== undefined ? ownRoots(before, after) : directories;
  const errorOf = (index: 0 | 1) => {
    const { id, workerId, error } = jobs[index];
    const own = [id, workerId, sides[index].endpoint.id, roots[index]].filter((text) => text !== undefined);
    return { error, own };
  };
  return [errorOf(0), errorOf(1)] as const;
}

type Ran = { readonly job: Job; readonly mismatches: readonly Mismatch[] } | { readonly refused: string };

async function runOn(
  side: GateSide,
  file: JobFile,
  source: { readonly uri: string; readonly readText: ReadText },
): Promise<Ran> {
  const { client, endpoint, signal } = side;
  try {
    const { job, mismatches } = await runExpectation(client, {
      ...{ endpointId: endpoint.id, executionTimeout: endpoint.timeout, file, source, signal },
    });
    await side.measure(job.status === 'COMPLETED' ? job.executionTime : undefined);
    return { job, mismatches };
  } catch (error) {
    side.throwIfLost();
    signal.throwIfAborted();
    if (error instanceof ApiError) return { refused: error.message };
    throw error;
  }
}
