import { readFile } from 'node:fs/promises';
import process from 'node:process';
import { text as textOf } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { runToEnd, submitJob } from '../../features/jobs/actions/submitJob.ts';
import { readJobLog } from '../../features/jobs/actions/readJobLog.ts';
import { readJobFile } from '../../features/jobs/model/checkJobFile.ts';
import { lineAndColumn, sizeProblem } from '../../features/jobs/model/jobInput.ts';
import { logLines } from '../../features/jobs/actions/workerLogSince.ts';
import { jobRecord } from '../../agents/actions/jobResult.ts';
import { JobInput, type Job, type JobRequest } from '../../contract/job.ts';
import type { Endpoint } from '../../contract/endpoint.ts';
import { parseWorkerError } from '../../contract/workerError.ts';
import { dataSize, duration } from '../../text/quantities.ts';
import { withoutControls } from '../../text/shownText.ts';
import { endpointNamed, endpointBeside } from '../connection/endpointNamed.ts';
import { withSession, type ConnectionOptions, type Session } from '../connection/openSession.ts';
import { CannotRunError, EXIT_CODES } from '../program/exitCodes.ts';
import type { Surroundings } from '../program/surroundings.ts';

export interface RunFlags extends ConnectionOptions {
  /** Name or ID. Undefined: the one that the job file names, or that of the manifest beside it. */
  readonly endpoint?: string | undefined;
  /** JSON text. */
  readonly input?: string | undefined;
  /** Job file. `-` is standard input. */
  readonly file?: string | undefined;
  /** Whether to wait for the end of the job. */
  readonly wait: boolean;
  readonly json?: boolean | undefined;
}

/** Runs a job, and prints its output. An interruption cancels it. */
export function runCommand(flags: RunFlags, surroundings: Surroundings): Promise<number> {
  const { write, tell, signal } = surroundings;
  return withSession(flags, surroundings, async (session) => {
    const { endpoint: named, body, address } = await requestOf(flags);
    const isFile = flags.file !== undefined && flags.file !== '-';
    const wanted = flags.endpoint ?? named ?? (isFile ? await endpointBeside(flags.file, signal) : undefined);
    if (wanted === undefined)
      throw new CannotRunError(
        flags.file === undefined
          ? 'an endpoint is required'
          : 'the job file names no endpoint, and no manifest belongs to it: add one to the command, or the property endpoint to the file',
      );
    const endpoint = await endpointNamed(session, wanted, signal);
    requireQueue(endpoint);
    const problem = sizeProblem(body, 'run');
    if (problem)
      throw new CannotRunError(`the request (${dataSize(problem.bytes)}) is larger than ${dataSize(problem.limit)}`);
    const record = jobRecord(session, { clock: session.client.context.clock });
    const order = { endpointId: endpoint.id, endpointName: endpoint.name, body, file: address };
    const print = (value: unknown): void => write(`${session.hide(JSON.stringify(value, undefined, 2))}\n`);
    if (!flags.wait) {
      const { job } = await submitJob(order, record);
      print(flags.json ? job : job.id);
      return EXIT_CODES.done;
    }
    let status: string | undefined;
    const job = await runToEnd(order, record, {
      ...{ kind: 'run', signal },
      onState: (state) => {
        if (state.status !== status) tell(`job ${state.id}: ${state.status}`);
        status = state.status;
      },
      onCanceling: () => tell('canceling the job…'),
    });
    if (!job) throw new CannotRunError('the platform was disconnected before the job ended');
    if (flags.json) print(job);
    else if (job.output !== undefined) print(job.output);
    if (job.status === 'COMPLETED') return EXIT_CODES.done;
    for (const line of await failureLines(job, endpoint, session, signal)) tell(session.hide(line));
    return EXIT_CODES.failed;
  });
}

function requireQueue({ name, type }: Endpoint): void {
  if (type === 'LOAD_BALANCER')
    throw new CannotRunError(`${name} is load-balanced: it takes HTTP requests instead of jobs`);
}

interface GivenRequest {
  readonly body: JobRequest;
  readonly endpoint?: string | undefined;
  /** URI of the job file. */
  readonly address?: string | undefined;
}

async function requestOf({ input, file }: RunFlags): Promise<GivenRequest> {
  if ((input === undefined) === (file === undefined)) throw new CannotRunError('either --input or --file is required');
  if (input !== undefined) return { body: { input: inputOf(input) } };
  const name = file ?? '';
  const text = name === '-' ? await textOf(process.stdin) : await textOfFile(name);
  const read = readJobFile(text);
  if (!read.file) {
    const { line, column } = lineAndColumn(text, 'offset' in read ? read.offset : 0);
    throw new CannotRunError(
      `${name}:${line}:${column}: ${('problem' in read ? read.problem : undefined) ?? 'invalid'}`,
    );
  }
  return { body: read.body, endpoint: read.file.endpoint, ...(name !== '-' && { address: pathToFileURL(name).href }) };
}

function inputOf(text: string): JobRequest['input'] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new CannotRunError(`--input is not JSON: ${(error as Error).message}`);
  }
  const { success, data } = JobInput.safeParse(value);
  if (!success) throw new CannotRunError('--input must be a JSON object');
  return data;
}

async function textOfFile(name: string): Promise<string> {
  try {
    return await readFile(name, 'utf8');
  } catch (error) {
    throw new CannotRunError(`${name} cannot be read: ${(error as Error).message}`);
  }
}

/** Number of the last log lines of a failed job. */
const MAX_LOG_LINES = 20;

/** Returns why a job did not complete: its error, and its last log lines. */
async function failureLines(job: Job, { id, name }: Endpoint, { client, jobs }: Session, signal: AbortSignal) {
  const { workerId, status, executionTime, error } = job;
  const time = executionTime === undefined ? '' : ` after ${duration(executionTime / 1000)}`;
  const lines = [`the job is ${status}${time}`];
  const details = error === undefined ? undefined : parseWorkerError(error);
  if (details)
    lines.push(
      `${details.type === undefined ? '' : `${details.type}: `}${details.message}`,
      ...(details.traceback ?? '').split('\n'),
    );
  const stored = jobs.history.find(jobs.connectionId, job.id);
  if (workerId !== undefined) {
    const unstored = { id: job.id, endpointId: id, endpointName: name, submittedAt: 0, status };
    const { clock } = client.context;
    const log = await readJobLog(client, { ...(stored ?? unstored), workerId }, clock.now(), signal).catch(
      () => undefined,
    );
    const last = logLines((log?.lines ?? []).slice(-MAX_LOG_LINES));
    if (last.length > 0) lines.push('log:', ...last.map((line) => `  ${line}`));
  }
  return lines.map(withoutControls).filter((line) => line.trim() !== '');
}
