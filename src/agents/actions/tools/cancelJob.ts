import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import { isTerminal } from '../../../contract/job.ts';
import { cancelJobs } from '../../../features/jobs/actions/changeJobs.ts';
import { checkJobStatus } from '../../../features/jobs/actions/readJob.ts';
import { changeTool } from '../agentTool.ts';
import { platformLine } from '../confirmationWords.ts';
import { findQueueEndpoint } from '../findEndpoint.ts';
import { jobRecord, jobResult } from '../jobResult.ts';
import { endpointField, jobIdField } from './fields.ts';

export const cancelJob = changeTool({
  name: 'cancel_job',
  title: 'Cancel Job',
  summary: 'Cancels a waiting or running job.',
  icon: 'circle-slash',
  description:
    'Cancels a waiting or running job of a queue endpoint. A job that has ended stays as it is. Returns the state of the job afterwards. The user is asked first.',
  input: z.strictObject({ endpoint: endpointField, job: jobIdField }),
  effect: 'change',
  commands: ['cloudCompute.jobs.cancel'],
  progress: ({ job }) => l10n.t`Canceling the job ${job}`,
  plan: async ({ endpoint, job: jobId }, context) => {
    const { signal } = context;
    const connection = context.connection();
    const { id, name } = await findQueueEndpoint(context, endpoint);
    const record = jobRecord(connection, context);
    const read = () => checkJobStatus({ endpointId: id, endpointName: name, jobId }, record);
    const ended = async () => ({ canceled: false, reason: 'The job has ended already.', ...jobResult(await read()) });
    const { status } = await connection.client.getJobStatus({ endpointId: id, jobId }, { signal });
    if (isTerminal(status)) return { question: undefined, act: ended };
    return {
      question: {
        title: l10n.t`Cancel a job of “${name}” on “${connection.name}”?`,
        lines: [l10n.t`Job: ${jobId}`, platformLine(connection)],
        content: id,
      },
      act: async () => {
        const { status: before } = await read();
        if (isTerminal(before)) return ended();
        const stored = record.history.find(record.connectionId, jobId);
        const [failure] = stored ? await cancelJobs([stored], record) : [];
        if (failure) throw failure.error;
        const after = await connection.client.getJobStatus({ endpointId: id, jobId }, { signal });
        return { canceled: after.status === 'CANCELLED', ...jobResult(after) };
      },
    };
  },
});
