import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import type { Endpoint } from '../../../contract/endpoint.ts';
import type { Job } from '../../../contract/job.ts';
import { checkJobStatus } from '../../../features/jobs/actions/checkJobStatus.ts';
import { canRetry, retryJob } from '../../../features/jobs/actions/retryJob.ts';
import { ToolError } from '../../model/toolError.ts';
import { agentTool } from '../agentTool.ts';
import { platformLine, priceOf, requestCostLine } from '../confirmationWords.ts';
import { findQueueEndpoint } from '../findEndpoint.ts';
import { jobResult } from '../jobResult.ts';
import { endpointField, jobIdField } from './fields.ts';

export const retry = agentTool({
  name: 'retry_job',
  title: 'Retry Job',
  summary: 'Runs a failed job again with its input.',
  icon: 'debug-restart',
  description:
    'Runs a job that failed or timed out again, under the same ID and with the same input. Correct the cause first, such as the handler or the manifest. ' +
    'Returns at once: read the result with read_job and waitSeconds. The user is asked before, with the highest cost.',
  input: z.strictObject({ endpoint: endpointField, job: jobIdField }),
  effect: 'run',
  commands: ['cloudCompute.jobs.retry'],
  progress: ({ job }) => l10n.t`Retrying the job ${job}`,
  confirm: async ({ endpoint: wanted, job }, context) => {
    const connection = context.connection();
    const endpoint = await findQueueEndpoint(context, wanted);
    const { signal } = context;
    requireRetryable(
      await connection.client.getJobStatus({ endpointId: endpoint.id, jobId: job }, { signal }),
      endpoint,
    );
    const price = connection.isLocal ? undefined : await priceOf(connection, endpoint, signal);
    return {
      title: l10n.t`Retry a job of “${endpoint.name}” on “${connection.name}”?`,
      lines: [l10n.t`Job: ${job}`, platformLine(connection), requestCostLine(connection, price, endpoint.timeout)],
      content: endpoint.id,
    };
  },
  run: async ({ endpoint: wanted, job: jobId }, context) => {
    const { client, jobs } = context.connection();
    const endpoint = await findQueueEndpoint(context, wanted);
    const { id, name } = endpoint;
    const services = { client, clock: context.clock, ...jobs };
    requireRetryable(await checkJobStatus({ endpointId: id, endpointName: name, jobId }, services), endpoint);
    context.signal.throwIfAborted();
    const stored = jobs.history.find(jobs.connectionId, jobId);
    if (!stored) throw new ToolError('notFound', `The job ${jobId} is not known.`);
    return { endpoint: { id, name }, ...jobResult(await retryJob(stored, services)) };
  },
});

function requireRetryable({ id, status }: Job, { name }: Endpoint): void {
  if (!canRetry({ status }))
    throw new ToolError(
      'notPossible',
      `The job ${id} of “${name}” is ${status}. Only a job that failed or timed out can be retried. Use run_job for a new one.`,
    );
}
