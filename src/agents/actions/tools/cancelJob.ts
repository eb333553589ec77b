import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import { isTerminal } from '../../../contract/job.ts';
import { cancelJobs } from '../../../features/jobs/actions/cancelJobs.ts';
import { checkJobStatus } from '../../../features/jobs/actions/checkJobStatus.ts';
import { agentTool } from '../agentTool.ts';
import { platformLine } from '../confirmationWords.ts';
import { findQueueEndpoint } from '../findEndpoint.ts';
import { jobResult } from '../jobResult.ts';
import { endpointField, jobIdField } from './fields.ts';

export const cancelJob = agentTool({
  name: 'cancel_job',
  title: 'Cancel Job',
  summary: 'Cancels a waiting or running job.',
  icon: 'circle-slash',
  description:
    'Cancels a waiting or running job of a queue endpoint. A job that has ended stays as it is. Returns the state of the job afterwards. The user is asked before.',
  input: z.strictObject({ endpoint: endpointField, job: jobIdField }),
  effect: 'change',
  commands: ['cloudCompute.jobs.cancel'],
  progress: ({ job }) => l10n.t`Canceling the job ${job}`,
  confirm: async ({ endpoint, job }, context) => {
    const connection = context.connection();
    const { id, name } = await findQueueEndpoint(context, endpoint);
    const { status } = await connection.client.getJobStatus({ endpointId: id, jobId: job }, { signal: context.signal });
    if (isTerminal(status)) return undefined;
    return {
      title: l10n.t`Cancel a job of “${name}” on “${connection.name}”?`,
      lines: [l10n.t`Job: ${job}`, platformLine(connection)],
      content: id,
    };
  },
  run: async ({ endpoint, job: jobId }, context) => {
    const { client, jobs } = context.connection();
    const { id, name } = await findQueueEndpoint(context, endpoint);
    const services = { client, clock: context.clock, ...jobs };
    const before = await checkJobStatus({ endpointId: id, endpointName: name, jobId }, services);
    if (isTerminal(before.status))
      return { canceled: false, reason: 'The job has ended already.', ...jobResult(before) };
    const stored = jobs.history.find(jobs.connectionId, jobId);
    const [failure] = stored ? await cancelJobs([stored], services) : [];
    if (failure) throw failure.error;
    const after = await client.getJobStatus({ endpointId: id, jobId }, { signal: context.signal });
    return { canceled: after.status === 'CANCELLED', ...jobResult(after) };
  },
});
