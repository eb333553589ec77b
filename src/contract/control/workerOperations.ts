import { CONTROL_PATH } from '../launch/localPlatform.ts';
import { operation } from '../operation.ts';
import { DebugBody, DebugEvent, RestartedEndpointList, RestartWorkersBody } from './controlWorkers.ts';

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
