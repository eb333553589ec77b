import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import { listAll } from '../../../client/listAll.ts';
import type { Worker } from '../../../contract/worker.ts';
import type { CommandId } from '../../../kit/commandIds.ts';
import { explainEndpoint } from '../../../features/endpoints/actions/explainEndpoint.ts';
import { listWorkers } from '../../../features/logs/actions/listWorkers.ts';
import { ToolError } from '../../model/toolError.ts';
import { FOREIGN, readTool, type CallContext } from '../agentTool.ts';
import { endpointSummary, findEndpoint } from '../findEndpoint.ts';
import { listVolumes, readVolume } from '../readVolume.ts';
import { endpointField } from './fields.ts';

/** Tools that do what the next steps of a diagnosis suggest. */
const toolOf: Readonly<Partial<Record<CommandId, string>>> = {
  'cloudCompute.endpoints.scale': 'scale_endpoint',
  'cloudCompute.endpoints.edit': 'deploy_endpoint',
  'cloudCompute.manifest.chooseHardware': 'estimate_costs',
  'cloudCompute.endpoints.refreshOne': 'read_endpoints',
  'cloudCompute.logs.open': 'read_logs',
};

export const readEndpoints = readTool({
  name: 'read_endpoints',
  title: 'Read Endpoints',
  summary:
    'Lists the endpoints of the current platform, explains why the jobs of an endpoint wait or its workers do not run, or reads the files of a network volume.',
  icon: 'server',
  description:
    'Without endpoint: lists the serverless endpoints of the current platform: ID, name, type (QUEUE runs jobs, LOAD_BALANCER answers HTTP requests), image, hardware, and the allowed number of workers. Call it first to find the name or ID that other tools need. ' +
    'With endpoint: explains its state: why its jobs wait or its workers do not run, with the log lines that prove it and the next steps with the tools for them, its settings, the number of jobs by state, and its workers. Use it whenever a job stays in the queue or a worker is unhealthy. ' +
    'With volumes: lists the network volumes instead of the endpoints. With volume: lists a folder of its files, or returns the text of a small file, such as to check that a model or a result is there. ' +
    'A worker has an ID for read_logs, and a status: RUNNING, IDLE, INITIALIZING, THROTTLED, or UNHEALTHY. Costs nothing. Values of environment variables are never returned.',
  input: z.strictObject({
    endpoint: endpointField.optional().describe('Name or ID of the endpoint to explain. Default: lists all endpoints.'),
    nameContains: z.string().optional().describe('Lists only endpoints whose name contains this text, in any case.'),
    workers: z
      .boolean()
      .optional()
      .describe('true: lists each endpoint with its active workers. An explained endpoint always has them.'),
    volumes: z.boolean().optional().describe('true: lists the network volumes in place of the endpoints.'),
    volume: z.string().min(1).max(200).optional().describe('Name or ID of a network volume, whose files to read.'),
    path: z
      .string()
      .max(1_024)
      .optional()
      .describe('Path of a file or a folder of the volume, such as models/config.json. Default: the whole volume.'),
  }),
  commands: [
    'cloudCompute.endpoints.refresh',
    'cloudCompute.endpoints.arrange',
    'cloudCompute.endpoints.explain',
    'cloudCompute.endpoints.open',
    'cloudCompute.endpoints.refreshOne',
    'cloudCompute.jobs.revealWorker',
    'cloudCompute.volumes.openFiles',
  ],
  progress: ({ endpoint, volume, volumes }) => {
    if (volume !== undefined) return l10n.t`Reading files of “${volume}”`;
    if (volumes) return l10n.t('Listing network volumes');
    return endpoint === undefined ? l10n.t('Listing endpoints') : l10n.t`Examining “${endpoint}”`;
  },
  read: async ({ endpoint, nameContains, workers = false, volumes, volume, path }, context) => {
    const subjects = [endpoint !== undefined, volumes === true, volume !== undefined].filter(Boolean);
    if (subjects.length > 1) throw new ToolError('invalidInput', 'Give only one of endpoint, volumes, and volume.');
    if (volume !== undefined) return readVolume(volume, path ?? '', context);
    if (path !== undefined) throw new ToolError('invalidInput', 'path: it needs volume.');
    if (volumes) return listVolumes(context);
    if (endpoint === undefined) return list(nameContains ?? '', workers, context);
    if (nameContains !== undefined) throw new ToolError('invalidInput', 'Give either endpoint or nameContains.');
    return explanation(endpoint, context);
  },
});

async function list(nameContains: string, withWorkers: boolean, context: CallContext): Promise<object> {
  const { client, name } = context.connection();
  const { signal } = context;
  const endpoints = await listAll(client, 'listEndpoints', {}, 'endpoints', { signal });
  const wanted = endpoints.filter((endpoint) => endpoint.name.toLowerCase().includes(nameContains.toLowerCase()));
  const onProgress = (done: number, total: number) => context.report(l10n.t`${done} of ${total} endpoints`);
  const listed = withWorkers ? await listWorkers(client, { endpoints: wanted, signal, onProgress }) : undefined;
  const workersOf = listed && Map.groupBy(listed, ({ endpoint }) => endpoint.id);
  return {
    connection: name,
    count: wanted.length,
    endpoints: wanted.map((endpoint) => ({
      ...endpointSummary(endpoint),
      ...(workersOf && { activeWorkers: workersOf.get(endpoint.id)?.map(({ worker }) => workerSummary(worker)) ?? [] }),
    })),
  };
}

async function explanation(nameOrId: string, context: CallContext): Promise<object> {
  const { client, isLocal, endpoints } = context.connection();
  const endpoint = await findEndpoint(context, nameOrId);
  const stuckSince = endpoints.find(endpoint.id)?.stuckSince;
  const platform = isLocal ? 'local' : 'hosted';
  const { snapshot, diagnosis } = await explainEndpoint(client, endpoint, { platform, stuckSince }, context.signal);
  const { cause, severity, headline, explanation, evidence, next } = diagnosis;
  const { workers, problem, health } = snapshot;
  return {
    ...{ cause, severity, headline, explanation, evidence },
    nextSteps: next.map(({ title, why, command, node }) => ({
      title,
      why,
      tool: toolOf[command],
      ...(node.kind === 'worker' && { worker: node.workerId }),
    })),
    endpoint: endpointSummary(endpoint),
    jobs: health?.jobs,
    workers: workers?.summary,
    activeWorkers: workers?.workers.map(workerSummary),
    workersUnknown: problem,
    note: FOREIGN,
  };
}

function workerSummary(worker: Worker): object {
  const { id, status, isStale, uptimeSeconds, startedAt, gpuTypeId, gpuCount, dataCenterId } = worker;
  return { id, status, isStale, uptimeSeconds, startedAt, gpuTypeId, gpuCount, dataCenterId };
}
