import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import { MAX_WORKERS } from '../../../contract/bounds.ts';
import type { Endpoint } from '../../../contract/endpoint.ts';
import { scaleEndpoint as scale, rangeWords } from '../../../features/endpoints/actions/scaleEndpoint.ts';
import { changeTool } from '../agentTool.ts';
import { platformLine, priceOf, workerCostLine } from '../confirmationWords.ts';
import { findEndpoint } from '../findEndpoint.ts';
import { endpointField } from './fields.ts';

const workers = z.int().min(0).max(MAX_WORKERS);

export const scaleEndpoint = changeTool({
  name: 'scale_endpoint',
  title: 'Scale Endpoint',
  summary: 'Changes the minimum and maximum number of workers of an endpoint.',
  icon: 'arrow-both',
  description:
    'Changes how many workers an endpoint can have. min workers always run, and are billed while idle on a hosted platform. max 0 pauses the endpoint: jobs wait. ' +
    'Use it to stop a crash loop (0 and 0), to keep a worker warm (min 1), or to process a queue faster. The user is asked first, with the price.',
  input: z
    .strictObject({
      endpoint: endpointField,
      min: workers.describe('Number of workers that always run.'),
      max: workers.describe('Maximum number of workers.'),
    })
    .refine(({ min, max }) => min <= max, { path: ['min'], message: 'must not be greater than max' }),
  effect: 'change',
  commands: ['cloudCompute.endpoints.scale'],
  progress: ({ endpoint, min, max }) => l10n.t`Scaling “${endpoint}” to ${min} to ${max} workers`,
  plan: async ({ endpoint: wanted, min, max }, context) => {
    const connection = context.connection();
    const { client, endpoints: store } = connection;
    const endpoint = await findEndpoint(context, wanted);
    const { id, name, workers: before } = endpoint;
    const result = (after: Endpoint['workers']) => ({ endpoint: { id, name }, before, after });
    if (min === before.min && max === before.max)
      return { question: undefined, act: () => Promise.resolve(result(before)) };
    return {
      question: {
        title: l10n.t`Scale endpoint “${name}” on “${connection.name}” to ${min} to ${max} workers?`,
        lines: [
          l10n.t`Now: ${before.min} to ${before.max} workers`,
          rangeWords({ min, max }),
          platformLine(connection),
          workerCostLine(connection, await priceOf(connection, endpoint, context.signal)),
        ],
        content: id,
      },
      act: async () => result((await scale({ client, store }, endpoint, { min, max })).workers),
    };
  },
});
