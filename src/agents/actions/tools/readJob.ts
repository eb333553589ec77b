import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import { isTerminal } from '../../../contract/job.ts';
import { checkJobStatus } from '../../../features/jobs/actions/readJob.ts';
import { statusWords } from '../../../account/jobWords.ts';
import { readTool } from '../agentTool.ts';
import { findQueueEndpoint } from '../findEndpoint.ts';
import { jobLog, jobRecord, jobResult, jobTimeline, needsLog } from '../jobResult.ts';
import { endpointField, jobIdField } from './fields.ts';

const MAX_WAIT_S = 600;

export const readJobTool = readTool({
  name: 'read_job',
  title: 'Read Job',
  summary: 'Reads the state, the output, and the log lines of a job.',
  icon: 'output',
  description:
    'Reads a job of a queue endpoint: its status, its output or error, its times, and its last log lines if it failed or if log is true. ' +
    'With timeline, also the spans of its time. ' +
    'With waitSeconds, waits for the end of the job. The platform keeps results for a limited time. Costs nothing.',
  input: z.strictObject({
    endpoint: endpointField,
    job: jobIdField,
    waitSeconds: z
      .int()
      .min(0)
      .max(MAX_WAIT_S)
      .optional()
      .describe('Maximum time to wait for the end of the job. Default: 0.'),
    log: z.boolean().optional().describe('Returns the last log lines of the job. Default: only of a failed job.'),
    timeline: z
      .boolean()
      .optional()
      .describe('Returns how the job spent its time, such as in a cold start. Default: false.'),
  }),
  commands: [
    'cloudCompute.jobs.checkStatus',
    'cloudCompute.jobs.openResult',
    'cloudCompute.jobs.showLog',
    'cloudCompute.jobs.showTimeline',
    'cloudCompute.jobs.openRecent',
  ],
  progress: ({ job }) => l10n.t`Reading the job ${job}`,
  read: async (
    { endpoint: wanted, job: jobId, waitSeconds = 0, log: wantsLog = false, timeline: wantsTimeline = false },
    context,
  ) => {
    const connection = context.connection();
    const { jobs } = connection;
    const { id, name } = await findQueueEndpoint(context, wanted);
    const record = jobRecord(connection, context);
    let job = await checkJobStatus({ endpointId: id, endpointName: name, jobId }, record);
    context.signal.throwIfAborted();
    const stored = jobs.history.find(jobs.connectionId, jobId);
    if (stored && waitSeconds > 0 && !isTerminal(job.status)) {
      const onState = ({ status }: { status: string }) => context.report(l10n.t`Job ${statusWords(status)}`);
      const options = { signal: context.signal, cancels: false, limitMs: waitSeconds * 1000, onState };
      job = (await jobs.follower.wait(jobs.connectionId, stored, job, options)) ?? job;
    }
    const log = wantsLog || needsLog(job) ? await jobLog(stored, job, context) : undefined;
    const timeline = wantsTimeline ? await jobTimeline(stored, job, id, context) : undefined;
    return { endpoint: { id, name }, ...jobResult(job), ...(log && { log }), ...(timeline && { timeline }) };
  },
});
