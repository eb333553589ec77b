import { pathToFileURL } from 'node:url';
import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import { ApiError } from '../../../client/apiError.ts';
import type { Endpoint } from '../../../contract/endpoint.ts';
import { JobInput, JobRequest, MAX_RUN_SYNC_BYTES, type Job } from '../../../contract/job.ts';
import { canRetry, retryJob } from '../../../features/jobs/actions/changeJobs.ts';
import { checkJobStatus } from '../../../features/jobs/actions/readJob.ts';
import { runToEnd, submitJob, type JobOrder, type Submitted } from '../../../features/jobs/actions/submitJob.ts';
import { statusWords } from '../../../account/jobWords.ts';
import { readJobFile } from '../../../features/jobs/model/checkJobFile.ts';
import { lineAndColumn, preview, sizeProblem } from '../../../features/jobs/model/jobInput.ts';
import { UserError } from '../../../kit/userError.ts';
import { dataSize } from '../../../text/quantities.ts';
import { ToolError } from '../../model/toolError.ts';
import { changeTool, type CallContext, type Plan, type ToolConnection } from '../agentTool.ts';
import { requestLines } from '../confirmationWords.ts';
import { findQueueEndpoint } from '../findEndpoint.ts';
import { jobLog, jobRecord, jobResult, needsLog } from '../jobResult.ts';
import { endpointField, jobIdField } from './fields.ts';

const DEFAULT_WAIT_S = 60;
const MAX_WAIT_S = 600;

const Input = z.strictObject({
  endpoint: endpointField
    .optional()
    .describe(
      'Name or ID of a queue endpoint. Default: the endpoint that the job file names. Required for a file without one: only the editor looks for its manifest.',
    ),
  input: JobInput.optional().meta({
    description: 'Input of the handler, an object with any content. Give exactly one of input, file, and retry.',
  }),
  file: z
    .string()
    .min(1)
    .max(4_000)
    .optional()
    .describe('Path of a job file (*.job.json) in the workspace. Give exactly one of input, file, and retry.'),
  retry: jobIdField
    .optional()
    .describe('ID of a job that failed or timed out, to run it again. Give exactly one of input, file, and retry.'),
  policy: JobRequest.shape.policy,
  waitSeconds: z
    .int()
    .min(0)
    .max(MAX_WAIT_S)
    .default(DEFAULT_WAIT_S)
    .describe(
      `Maximum time to wait for the result. 0: returns the ID at once. A longer job continues. Default: ${DEFAULT_WAIT_S}.`,
    ),
});
type Input = z.infer<typeof Input>;

export const runJob = changeTool({
  name: 'run_job',
  title: 'Run Job',
  summary: 'Runs a job on a queue endpoint, or a failed job again, and waits for its result.',
  icon: 'play',
  description:
    'Runs a job on a queue endpoint with an input, or with a job file of the workspace, and waits for its result. The user is asked first, with the highest cost. ' +
    'With retry, runs a job that failed or timed out again, under the same ID and with the same input. Correct the cause first, such as the handler or the manifest. ' +
    'Returns the status, the output or the error, the times, and for a failed job its last log lines. A job that has not ended in time continues: read it with read_job. ' +
    'If the call is canceled, the job is canceled too. For a load-balanced endpoint use send_request.',
  input: Input,
  effect: 'run',
  commands: [
    'cloudCompute.jobs.runAndWait',
    'cloudCompute.jobs.run',
    'cloudCompute.jobs.runAgain',
    'cloudCompute.jobs.editAndRun',
    'cloudCompute.jobs.retry',
  ],
  progress: ({ endpoint, file, retry }) => {
    if (retry !== undefined) return l10n.t`Retrying the job ${retry}`;
    return l10n.t`Running a job${endpoint === undefined ? '' : l10n.t` of “${endpoint}”`}${file === undefined ? '' : l10n.t` from “${file}”`}`;
  },
  plan: (input, context) => {
    const { input: given, file, retry } = input;
    if ([given, file, retry].filter((one) => one !== undefined).length !== 1)
      throw new ToolError('invalidInput', 'Give exactly one of input, file, and retry.');
    return retry === undefined ? newPlan(input, context) : retryPlan(input, retry, context);
  },
});

async function newPlan(input: Input, context: CallContext): Promise<Required<Plan>> {
  const connection = context.connection();
  const { endpoint, body, file } = await requestOf(input, context);
  const { id, name } = endpoint;
  const longest = body.policy?.executionTimeout ?? endpoint.timeout;
  const order: JobOrder = { endpointId: id, endpointName: name, body, file };
  return {
    question: {
      title: l10n.t`Run a job of “${name}” on “${connection.name}”?`,
      lines: [
        ...(file === undefined ? [] : [l10n.t`Job file: ${input.file ?? ''}`]),
        l10n.t`Input: ${preview({ input: body.input }, 500)}`,
        ...(body.webhook === undefined ? [] : [l10n.t`Sends the result to ${body.webhook}`]),
        ...(await requestLines(connection, endpoint, longest, context.signal)),
      ],
      content: JSON.stringify([id, body]),
    },
    act: async () => {
      const ran = await (input.waitSeconds === 0
        ? submitJob(order, jobRecord(connection, context))
        : waitedFor(order, connection, input.waitSeconds, context));
      return resultOf(ran, endpoint, context);
    },
  };
}

async function retryPlan(
  { endpoint: wanted, policy, waitSeconds }: Input,
  jobId: string,
  context: CallContext,
): Promise<Required<Plan>> {
  if (wanted === undefined || policy)
    throw new ToolError('invalidInput', 'retry: needs endpoint, and keeps the policy of the job.');
  const { signal } = context;
  const connection = context.connection();
  const { client } = connection;
  const endpoint = await findQueueEndpoint(context, wanted);
  const { id, name } = endpoint;
  const address = { endpointId: id, jobId };
  requireRetryable(await client.getJobStatus(address, { signal }), endpoint);
  return {
    question: {
      title: l10n.t`Retry a job of “${name}” on “${connection.name}”?`,
      lines: [l10n.t`Job: ${jobId}`, ...(await requestLines(connection, endpoint, endpoint.timeout, signal))],
      content: id,
    },
    act: async () => {
      const record = jobRecord(connection, context);
      requireRetryable(await checkJobStatus({ ...address, endpointName: name }, record), endpoint);
      signal.throwIfAborted();
      const stored = record.history.find(record.connectionId, jobId);
      if (!stored) throw new ToolError('notFound', `The job ${jobId} is not known.`);
      const job = await retryJob(stored, record);
      const last = await record.follower
        .wait(record.connectionId, record.history.find(record.connectionId, jobId) ?? stored, job, {
          ...{ signal, cancels: true, limitMs: waitSeconds * 1000 },
          onState: ({ status }) => context.report(l10n.t`Job ${statusWords(status)}`),
        })
        .catch((error: unknown) => {
          throw error instanceof ApiError ? error.withJob(jobId) : error;
        });
      return resultOf({ job: last ?? job, stored }, endpoint, context);
    },
  };
}

function requireRetryable({ id, status }: Job, { name }: Endpoint): void {
  if (!canRetry({ status }))
    throw new ToolError(
      'notPossible',
      `The job ${id} of “${name}” is ${status}. Only a job that failed or timed out can be retried. Give input or file for a new one.`,
    );
}

async function resultOf({ job, stored }: Submitted, { id, name }: Endpoint, context: CallContext): Promise<object> {
  const log = needsLog(job) ? await jobLog(stored, job, context) : [];
  return { endpoint: { id, name }, ...jobResult(job), ...(log.length > 0 && { log }) };
}

/** Submits a job and waits for its end, at most for that time. @throws ApiError with the ID of the job once it is known */
async function waitedFor(
  order: JobOrder,
  connection: ToolConnection,
  seconds: number,
  context: CallContext,
): Promise<Submitted> {
  const record = jobRecord(connection, context);
  const submittedAt = record.clock.now();
  let id: string | undefined;
  try {
    const job = await runToEnd(order, record, {
      ...{ kind: 'runSync', limitMs: seconds * 1000, signal: context.signal },
      onState: (state) => (id = state.id),
      onWaiting: ({ status }, elapsedMs) =>
        context.report(l10n.t`Job ${statusWords(status)} for ${Math.round(elapsedMs / 1000)} s`),
      onCanceling: () => context.report(l10n.t('Canceling the job')),
    });
    if (!job) throw new ApiError('network', l10n.t('the platform was disconnected'), { operation: 'runJobSync' });
    const { endpointId, endpointName } = order;
    // The history has no entry if it could not be written. The job runs anyway.
    const unstored = { id: job.id, endpointId, endpointName, submittedAt, status: job.status };
    return { job, stored: record.history.find(record.connectionId, job.id) ?? unstored };
  } catch (error) {
    if (id === undefined) throw error;
    if (error instanceof ApiError) throw error.withJob(id);
    if (error instanceof UserError)
      throw new ApiError('network', error.message, { operation: 'getJobStatus', jobId: id });
    throw error;
  }
}

interface GivenRequest {
  readonly endpoint: Endpoint;
  readonly body: JobRequest;
  /** Address of the job file. */
  readonly file: string | undefined;
}

async function requestOf(input: Input, context: CallContext): Promise<GivenRequest> {
  const read = input.file === undefined ? undefined : await jobFileOf(input.file, context);
  const name = input.endpoint ?? read?.endpoint;
  if (name === undefined)
    throw new ToolError('invalidInput', 'endpoint: is required, because the job file names no endpoint.');
  const given = read?.body ?? { input: input.input ?? {} };
  const policy = input.policy ?? given.policy;
  const body = { ...given, ...(policy && { policy }) };
  const problem = sizeProblem(body, 'runSync');
  if (problem)
    throw new ToolError('tooLarge', `The request (${dataSize(problem.bytes)}) exceeds ${dataSize(problem.limit)}.`);
  return { endpoint: await findQueueEndpoint(context, name), body, file: read?.address };
}

async function jobFileOf(
  name: string,
  { files }: CallContext,
): Promise<{ readonly body: JobRequest; readonly endpoint: string | undefined; readonly address: string }> {
  const found = await files.find(name);
  const text = new TextDecoder().decode(await files.read(name, MAX_RUN_SYNC_BYTES));
  const { file, body, ...rest } = readJobFile(text);
  if (!file) {
    const { line, column } = lineAndColumn(text, 'offset' in rest ? rest.offset : 0);
    throw new ToolError(
      'invalidInput',
      `${found.name}:${line}:${column}: ${'problem' in rest ? (rest.problem ?? '') : ''}`,
    );
  }
  return { body, endpoint: file.endpoint, address: pathToFileURL(found.path).href };
}
