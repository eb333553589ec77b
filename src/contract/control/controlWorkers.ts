import * as z from 'zod';
import { conditionProblem, MAX_CONDITION_LENGTH } from '../jobCondition.ts';
import { openEnum } from '../schema.ts';
import { CONTROL_PATH } from '../launch/localPlatform.ts';
import { operation } from '../operation.ts';

/* Requests and responses of the control API for developing workers: debugging, and restarts after changes of their files. */

/** Maximum length of a path on this machine, in characters. */
const MAX_PATH = 4_096;
/** Maximum number of files in one request. */
const MAX_FILES = 1_000;

const DEBUG_LANGUAGES = ['node', 'python'] as const;
export type DebugLanguage = (typeof DEBUG_LANGUAGES)[number];

/** Classes of causes for which a worker cannot be debugged. */
const DEBUG_PROBLEMS = [
  'notProcess',
  'unknownProgram',
  'debugpyMissing',
  'busy',
  'noWorkers',
  'notListening',
  'notQueue',
] as const;
export type DebugProblem = (typeof DEBUG_PROBLEMS)[number];

export const DebugBody = z.strictObject({
  workerId: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .meta({ description: 'ID of the worker. Default: a worker of the endpoint; if it has none, one is started.' }),
  restartBusy: z
    .boolean()
    .optional()
    .meta({
      default: false,
      description:
        'true: a Python worker with jobs is restarted under the debugger, and its jobs return to the queue. false: it is refused with the ' +
        'problem busy. Default: false.',
    }),
  debugpy: z.string().min(1).max(MAX_PATH).optional().meta({
    description: "Path of the directory of debugpy. Default: the worker's Python must have debugpy.",
  }),
  condition: z
    .string()
    .min(1)
    .max(MAX_CONDITION_LENGTH)
    .refine((text) => conditionProblem(text) === undefined, {
      error: ({ input }) => conditionProblem(String(input))?.toString() ?? '',
    })
    .optional()
    .meta({
      description:
        'Condition on the jobs to debug, such as job.input.user == 42. The worker, by default a further one, receives only jobs that meet ' +
        'it, and only while its debugger is attached. Such jobs wait for it, and other workers run all others. Default: the worker runs ' +
        'any job.',
      examples: ['job.input.user == 42'],
    }),
});
export type DebugBody = z.infer<typeof DebugBody>;

/** Event of a debugged worker. `ended` or `failed` is the last one. Closing the stream ends the debugging. */
export const DebugEvent = z.looseObject({
  event: openEnum(['waiting', 'ready', 'matched', 'ended', 'failed']).meta({
    description:
      'waiting: the worker is starting. ready: a debugger can attach; sent again after each restart of the process. matched: the worker ' +
      'receives a job that meets the condition. ended: the worker has stopped. failed: the worker cannot be debugged.',
  }),
  workerId: z.string().optional().meta({ description: 'ID of the worker. Set for waiting, ready, and matched.' }),
  jobId: z.string().optional().meta({ description: 'ID of the job. Set for matched.' }),
  debuggerId: z.string().optional().meta({
    description: 'Identifies the debugger of this process in attachedDebugger. Set for ready, if there is a condition.',
  }),
  language: openEnum(DEBUG_LANGUAGES)
    .optional()
    .meta({ description: 'node: an inspector of Node.js listens. python: debugpy listens. Set for ready.' }),
  host: z.string().optional().meta({ description: 'Host of the debugger. Set for ready.' }),
  port: z.int().optional().meta({ description: 'Port of the debugger. Set for ready.' }),
  directory: z.string().optional().meta({
    description: "Path of the worker's directory, in its container or on this machine. Set for ready.",
  }),
  problem: openEnum(DEBUG_PROBLEMS)
    .optional()
    .meta({
      description:
        'notProcess: the engine of the worker cannot run other programs in it. unknownProgram: it runs neither Node.js nor Python. debugpyMissing: its ' +
        'Python has no debugpy. busy: it has jobs, and must be restarted. noWorkers: the endpoint has a maximum of 0 workers. notListening: ' +
        'its debugger did not open. notQueue: the endpoint is not queue-based, and a condition needs jobs. Set for failed.',
    }),
  reason: z.string().optional().meta({ description: 'The cause. Set for failed.' }),
});
export type DebugEvent = z.infer<typeof DebugEvent>;

const RestartWorkersBody = z.strictObject({
  files: z
    .array(z.string().min(1).max(MAX_PATH))
    .min(1)
    .max(MAX_FILES)
    .meta({
      description:
        'Absolute paths of the changed files. Endpoints whose directory contains one of them restart their workers. Files in ignored ' +
        'directories, such as node_modules, have no effect.',
    }),
});
type RestartWorkersBody = z.infer<typeof RestartWorkersBody>;

export const RestartedEndpoint = z.looseObject({
  id: z.string().meta({ description: 'ID of the endpoint.' }),
  name: z.string().meta({ description: 'Name of the endpoint.' }),
  restarted: z.int().meta({ description: 'Number of workers that are restarted at once.' }),
  finishing: z.int().meta({ description: 'Number of busy workers that are replaced once their jobs are finished.' }),
});
export type RestartedEndpoint = z.infer<typeof RestartedEndpoint>;

const RestartedEndpointList = z.looseObject({
  endpoints: z.array(RestartedEndpoint).meta({ description: 'Endpoints whose directory contains one of the files.' }),
});

const development = { address: 'baseUrl', errorFormat: 'problem', invalid: 422, tag: 'Development' } as const;

/** Operations of the control API for developing workers. */
export const controlWorkerOperations = {
  debugWorker: operation({
    ...development,
    method: 'POST',
    path: `${CONTROL_PATH}/endpoints/{endpointId}/debugger`,
    summary:
      'Open the debugger of a worker, and lift its time limits while this stream is open; closing the stream replaces the worker',
    body: DebugBody,
    success: { status: 200, body: DebugEvent, events: true },
    errors: [404, 422],
  }),
  attachedDebugger: operation({
    ...development,
    method: 'POST',
    path: `${CONTROL_PATH}/endpoints/{endpointId}/debugger/{debuggerId}/attached`,
    summary:
      'Report that a debugger is attached and has its breakpoints, so that its worker receives jobs that meet the condition',
    success: { status: 204 },
    errors: [404],
  }),
  restartWorkers: operation({
    ...development,
    method: 'POST',
    path: `${CONTROL_PATH}/workers/restart`,
    summary: 'Restart the workers of endpoints whose files have changed; busy workers finish their jobs first',
    body: RestartWorkersBody,
    success: { status: 200, body: RestartedEndpointList },
    errors: [422],
  }),
} as const;
