import {
  ActiveFault,
  AttachmentEvent,
  ClockChange,
  ClockState,
  Fault,
  FaultList,
  Identity,
  IdentityQuery,
  ImportQuery,
  KeyRequest,
  OwnerKey,
  RequestLog,
  RequestLogQuery,
  Seed,
  SeedResult,
} from './control.ts';
import { CONTROL_PATH } from '../launch/localPlatform.ts';
import { operation } from '../operation.ts';
import { controlAccountOperations } from './controlAccounts.ts';
import { controlDisturbanceOperations } from './controlDisturbances.ts';
import { controlImageOperations } from './controlImages.ts';
import { controlMetricsOperations } from './controlMetrics.ts';
import { controlTraceOperations } from './controlTraces.ts';
import { controlWorkerOperations } from './controlWorkers.ts';

const group = { address: 'baseUrl', errorFormat: 'problem', invalid: 422 } as const;
const contents = { ...group, tag: 'Contents' } as const;
const time = { ...group, tag: 'Time' } as const;
const faults = { ...group, tag: 'Faults' } as const;
const sharing = { ...group, tag: 'Sharing' } as const;

/** Content type of a snapshot, which is a SQLite database. */
const SNAPSHOT_CONTENT_TYPE = 'application/vnd.sqlite3';

/**
 * Operations of the control API, which tests use to set up a local platform, and which windows use to share one. Hosted platforms do not
 * have this API, so it has a separate table and OpenAPI document. It accepts only the owner's key, except for metrics and traces.
 */
export const controlOperations = {
  reset: operation({
    ...contents,
    method: 'POST',
    path: `${CONTROL_PATH}/reset`,
    summary: 'Stop all workers, delete all data, reset the clock, and remove all faults',
    success: { status: 204 },
    errors: [],
  }),
  seed: operation({
    ...contents,
    method: 'POST',
    path: `${CONTROL_PATH}/seed`,
    summary: 'Add data from YAML or JSON, atomically',
    body: Seed,
    success: { status: 200, body: SeedResult },
    errors: [400, 404, 409, 413, 422],
  }),
  exportSnapshot: operation({
    ...contents,
    method: 'GET',
    path: `${CONTROL_PATH}/snapshot`,
    summary:
      'Download all data of the platform, except files on volumes, as one SQLite file; its secrets are encrypted',
    success: { status: 200, type: SNAPSHOT_CONTENT_TYPE },
    errors: [],
  }),
  importSnapshot: operation({
    ...contents,
    method: 'PUT',
    path: `${CONTROL_PATH}/snapshot`,
    summary: 'Replace all data of the platform with a snapshot, atomically; endpoints are paused unless start is true',
    query: ImportQuery,
    bodyType: SNAPSHOT_CONTENT_TYPE,
    success: { status: 204 },
    errors: [400, 413],
    invalid: 400,
  }),
  getClock: operation({
    ...time,
    method: 'GET',
    path: `${CONTROL_PATH}/clock`,
    summary: 'Get the time of the platform',
    success: { status: 200, body: ClockState },
    errors: [],
  }),
  setClock: operation({
    ...time,
    method: 'PATCH',
    path: `${CONTROL_PATH}/clock`,
    summary: 'Freeze, advance, or unfreeze the clock that controls waiting, expiration, and billing',
    body: ClockChange,
    success: { status: 200, body: ClockState },
    errors: [422],
  }),
  listFaults: operation({
    ...faults,
    method: 'GET',
    path: `${CONTROL_PATH}/faults`,
    summary: 'List the active faults and the number of requests that each has affected',
    success: { status: 200, body: FaultList },
    errors: [],
  }),
  addFault: operation({
    ...faults,
    method: 'POST',
    path: `${CONTROL_PATH}/faults`,
    summary: 'Add a fault that makes requests of an operation fail, wait, or lose their connection',
    body: Fault,
    success: { status: 201, body: ActiveFault },
    errors: [422],
  }),
  removeFaults: operation({
    ...faults,
    method: 'DELETE',
    path: `${CONTROL_PATH}/faults`,
    summary: 'Remove all faults',
    success: { status: 204 },
    errors: [],
  }),
  removeFault: operation({
    ...faults,
    method: 'DELETE',
    path: `${CONTROL_PATH}/faults/{id}`,
    summary: 'Remove one fault',
    success: { status: 204 },
    errors: [404],
  }),
  listRequests: operation({
    ...group,
    tag: 'Requests',
    method: 'GET',
    path: `${CONTROL_PATH}/requests`,
    summary: 'List the last requests, newest first, without those of workers and of this API',
    query: RequestLogQuery,
    success: { status: 200, body: RequestLog },
    errors: [422],
  }),
  ...controlAccountOperations,
  ...controlDisturbanceOperations,
  ...controlImageOperations,
  ...controlMetricsOperations,
  ...controlTraceOperations,
  ...controlWorkerOperations,
  getIdentity: operation({
    ...sharing,
    method: 'GET',
    path: `${CONTROL_PATH}/identity`,
    summary: 'Prove that this platform owns the lock of a data directory; requires no key',
    query: IdentityQuery,
    success: { status: 200, body: Identity },
    errors: [422],
  }),
  handOverKey: operation({
    ...sharing,
    method: 'POST',
    path: `${CONTROL_PATH}/key`,
    summary: "Get the owner's key for a program that proves it can read the lock; requires no key",
    body: KeyRequest,
    success: { status: 200, body: OwnerKey },
    errors: [403, 422],
  }),
  attach: operation({
    ...sharing,
    method: 'GET',
    path: `${CONTROL_PATH}/attachment`,
    summary: 'Keep the platform running while this stream is open, even after the window that started it closes',
    success: { status: 200, body: AttachmentEvent, events: true },
    errors: [],
  }),
  stopPlatform: operation({
    ...sharing,
    method: 'POST',
    path: `${CONTROL_PATH}/stop`,
    summary: 'Stop the platform and its workers, even if other windows share it; accepted jobs are kept',
    success: { status: 204 },
    errors: [],
  }),
} as const;

export type ControlOperations = typeof controlOperations;
export type ControlOperationId = keyof ControlOperations;
