import { stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ApiError } from '../../client/apiError.ts';
import { parseWorkerError } from '../../contract/workerError.ts';
import { RECORDING_SUFFIX } from '../../contract/recordedJob.ts';
import { readRecording } from '../../features/gate/actions/readRecordings.ts';
import { plainLine } from '../../features/jobs/actions/workerLogSince.ts';
import { prepareReplay, type PreparedReplay, type ReplaySources } from '../../features/replay/actions/prepareReplay.ts';
import { readManifestOfRecording } from '../../features/replay/actions/readManifestOfRecording.ts';
import { readPlatformJob } from '../../features/replay/actions/readPlatformJob.ts';
import { ReplayError } from '../../features/replay/actions/replayError.ts';
import { replayJob, type ReplayResult } from '../../features/replay/actions/replayJob.ts';
import { requestOfSubject, secretsOfSubject, type ReplaySubject } from '../../features/replay/actions/replaySubject.ts';
import { differenceText, errorSummary } from '../../features/replay/model/comparison.ts';
import { planText } from '../../features/replay/model/planText.ts';
import { directoryOfImage, isBlocked } from '../../features/replay/model/replayPlan.ts';
import { testFileText, type TestExpects } from '../../features/replay/model/testFile.ts';
import { settingsOfEndpoint } from '../../features/replay/model/workerSettings.ts';
import { hideSecrets } from '../../account/withoutSecrets.ts';
import { UserError } from '../../kit/userError.ts';
import { EnvironmentValues } from '../connection/environmentValues.ts';
import { endpointNamed, endpointOfJob } from '../connection/endpointNamed.ts';
import { withSession, type ConnectionOptions, type Session } from '../connection/openSession.ts';
import { CannotRunError, EXIT_CODES } from '../program/exitCodes.ts';
import type { Surroundings } from '../program/surroundings.ts';

export interface ReplayFlags extends ConnectionOptions {
  /** Recording, or ID of a job. */
  readonly job: string;
  readonly endpoint?: string | undefined;
  readonly save?: string | undefined;
  readonly expect: TestExpects;
  readonly volume?: string | undefined;
  readonly emptyVolume?: boolean | undefined;
  readonly withoutValues?: boolean | undefined;
  readonly limitMs?: number | undefined;
  readonly json?: boolean | undefined;
}

const SIGNS = { equal: '=', differs: '≠', missing: '?' } as const;

/** Replays a job, and prints how its end compares with the recorded one. @throws CannotRunError */
export async function replayCommand(flags: ReplayFlags, surroundings: Surroundings): Promise<number> {
  try {
    return await replay(flags, surroundings);
  } catch (error) {
    if (error instanceof CannotRunError) throw cannot(error.message);
    const isExpected = error instanceof ReplayError || error instanceof UserError || error instanceof ApiError;
    throw isExpected ? cannot(error.message) : error;
  }
}

const cannot = (message: string) => new CannotRunError(message, EXIT_CODES.cannotTest);

async function replay(flags: ReplayFlags, surroundings: Surroundings): Promise<number> {
  const { environment, signal, tell, write, platformScript } = surroundings;
  const values = new EnvironmentValues(environment);
  const hide = (text: string) => plainLine(hideSecrets(text, values.used));
  const sources: ReplaySources = {
    ...(await sourcesOf(flags, surroundings)),
    ...{ references: values, values: { get: (name) => values.secret(name) } },
    ...{ dataDirectory: flags.dataDir, volume: volumeOf(flags) },
  };
  const prepared = await prepareReplay(sources, signal);
  if (flags.save !== undefined) await checkSave(flags.save, sources.subject);
  for (const line of prepared.plan.lines) tell(hide(`${SIGNS[line.state]} ${planText(line)}`));
  if (prepared.plan.volume?.isElsewhere === true) tell('  --volume DIR copies a directory with its files instead');
  check(prepared, flags);
  const { subject, settings } = sources;
  const { plan } = prepared;
  const result = await replayJob({
    ...{ subject, settings, plan, values: prepared.values, limitMs: flags.limitMs, signal },
    launch: { script: platformScript, flags: [] },
  });
  const saved = flags.save === undefined ? undefined : await saveTest(flags.save, subject, flags.expect);
  const directory = directoryOfImage(plan.image);
  if (flags.json) write(`${JSON.stringify(jsonOf(result, plan.lines, saved), undefined, 2)}\n`);
  else write(`${resultLines(result, directory).map(hide).join('\n  ')}\n`);
  if (result.kind !== 'ended' || result.comparison.verdict !== 'same')
    for (const line of result.log) tell(`  ${hide(line)}`);
  if (saved !== undefined) tell(`saved ${saved}`);
  if (result.kind !== 'ended') return EXIT_CODES.cannotTest;
  return result.comparison.verdict === 'same' ? EXIT_CODES.done : EXIT_CODES.failed;
}

function volumeOf({ volume, emptyVolume }: ReplayFlags): ReplaySources['volume'] {
  if (volume !== undefined && emptyVolume === true) throw cannot('--volume and --empty-volume exclude each other');
  return emptyVolume === true ? 'empty' : volume === undefined ? undefined : { directory: path.resolve(volume) };
}

function check({ plan, values: { missingValues, missingSecrets } }: PreparedReplay, flags: ReplayFlags): void {
  if (missingSecrets.length > 0) throw cannot(`set the environment variables ${missingSecrets.join(', ')}`);
  if (missingValues.length > 0 && flags.withoutValues !== true)
    throw cannot(`set the environment variables ${missingValues.join(', ')}, or use --without-values`);
  if (!isBlocked(plan)) return;
  const [reason] = plan.lines.filter((line) => line.state === 'missing' && line.blocks);
  throw cannot(reason ? planText(reason) : 'a part of the job is missing');
}

type Found = Pick<ReplaySources, 'subject' | 'settings' | 'source' | 'release'>;

async function sourcesOf(flags: ReplayFlags, surroundings: Surroundings): Promise<Found> {
  const { signal } = surroundings;
  if (!flags.job.endsWith(RECORDING_SUFFIX))
    return withSession(flags, surroundings, (session) => ofJob(session, flags, signal));
  const file = path.resolve(flags.job);
  const { recorded } = await readRecording(file);
  const { endpoint } = recorded;
  const subject = { recorded, file };
  const manifest = await readManifestOfRecording({ file, endpoint }, signal);
  if (manifest) return { subject, settings: manifest.settings, source: 'manifest' };
  return withSession(flags, surroundings, async (session) => {
    const deployed = await endpointNamed(session, flags.endpoint ?? endpoint, signal);
    return { subject, settings: settingsOfEndpoint(deployed), source: 'endpoint' };
  });
}

async function ofJob(session: Session, flags: ReplayFlags, signal: AbortSignal): Promise<Found> {
  const { client, isLocal, name } = session;
  const { job: jobId } = flags;
  const endpointId = await endpointOfJob(session, { jobId, endpoint: flags.endpoint }, signal);
  const found = await readPlatformJob(client, { endpointId, jobId, isLocal }, signal);
  if (found.kind === 'unfinished') throw cannot(`the job ${jobId} has not ended`);
  if (found.kind === 'noRequest')
    throw cannot(`${name} does not return the input of a job; record the job in the editor, and replay the recording`);
  const { subject, endpoint, release } = found;
  return { subject, settings: settingsOfEndpoint(endpoint), source: 'endpoint', release };
}

/** Checks what can be checked before the job runs. @throws CannotRunError */
async function checkSave(file: string, subject: ReplaySubject): Promise<void> {
  const secrets = secretsOfSubject(subject);
  if (secrets.length > 0) throw cannot(`a test cannot contain the secrets of the input: ${secrets.join(', ')}`);
  const isTaken = await stat(file).then(
    () => true,
    () => false,
  );
  if (isTaken) throw cannot(`${file} already exists`);
}

/** Writes a new job file. The input is that of the recording: a test with secrets cannot be committed. */
async function saveTest(file: string, subject: ReplaySubject, expects: TestExpects): Promise<string> {
  const { input } = await requestOfSubject(subject, new Map());
  const place = path.resolve(file);
  try {
    await writeFile(place, testFileText(subject.recorded, input, expects), { flag: 'wx' });
  } catch (error) {
    throw cannot(`${file} cannot be written: ${(error as Error).message}`);
  }
  return place;
}

function resultLines(result: ReplayResult, directory: string | undefined): string[] {
  if (result.kind === 'notStarted') return [result.reason];
  if (result.kind === 'neverEnded') return [`the job did not end within ${result.limitMs / 1_000} s`];
  const { job, comparison } = result;
  const end = `${job.status}${job.error === undefined ? '' : `: ${errorSummary(job, directory) ?? ''}`}`;
  const verdict = { same: 'as recorded', sameType: 'the same type of error', different: 'not as recorded' } as const;
  return [`${verdict[comparison.verdict]}: ${end}`, ...comparison.differences.map(differenceText)];
}

function jsonOf(result: ReplayResult, plan: PreparedReplay['plan']['lines'], saved: string | undefined): object {
  const about = { plan, ...(saved !== undefined && { saved }) };
  if (result.kind !== 'ended') return { outcome: result.kind, ...result, kind: undefined, ...about };
  const { job, comparison } = result;
  const { status, output, error } = job;
  return {
    outcome: 'ended',
    ...comparison,
    job: {
      status,
      ...(output !== undefined && { output }),
      ...(error !== undefined && { error: parseWorkerError(error) }),
    },
    ...about,
  };
}
