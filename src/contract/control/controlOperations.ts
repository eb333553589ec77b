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
import { controlAccountOperations } from './accountOperations.ts';

const group = { address: 'baseUrl', errorFormat: 'problem', invalid: 422, section: 'the local platform' } as const;
const contents = { ...group, tag: 'Contents' } as const;
const time = { ...group, tag: 'Time' } as const;
const faults = { ...group, tag: 'Faults' } as const;
const sharing = { ...group, tag: 'Sharing' } as const;

/** A snapshot is a SQLite database. */
const SNAPSHOT_CONTENT_TYPE = 'application/vnd.sqlite3';

/**
 * The control API: for testing one's own code against a local platform, and for sharing one. No part of the interface that hosted
 * platforms have, so it has a table and an OpenAPI document of its own. The owner's key only.
 */
export const controlOperations = {
  reset: operation({
    ...contents,
    method: 'POST',
    path: `${CONTROL_PATH}/reset`,
    summary: 'Back to an empty platform: workers ended, everything forgotten, the clock and faults as at the start',
    success: { status: 204 },
    errors: [],
  }),
  seed: operation({
    ...contents,
    method: 'POST',
    path: `${CONTROL_PATH}/seed`,
    summary: 'Fill the platform, in YAML or JSON; all of it or nothing',
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
    summary:
      'Replace all data of the platform with a snapshot, atomically; nothing starts unless the request asks for it',
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
    summary: 'What time it is on the platform',
    success: { status: 200, body: ClockState },
    errors: [],
  }),
  setClock: operation({
    ...time,
    method: 'PATCH',
    path: `${CONTROL_PATH}/clock`,
    summary: 'Freeze, advance or unfreeze the time by which everything waits, expires and is billed',
    body: ClockChange,
    success: { status: 200, body: ClockState },
    errors: [422],
  }),
  listFaults: operation({
    ...faults,
    method: 'GET',
    path: `${CONTROL_PATH}/faults`,
    summary: 'The faults that requests meet, with how often they have',
    success: { status: 200, body: FaultList },
    errors: [],
  }),
  addFault: operation({
    ...faults,
    method: 'POST',
    path: `${CONTROL_PATH}/faults`,
    summary: 'Let requests of an operation fail, wait, or lose their connection',
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
    summary: 'The last requests, newest first, but for those of workers and of this API',
    query: RequestLogQuery,
    success: { status: 200, body: RequestLog },
    errors: [422],
  }),
  ...controlAccountOperations,
  getIdentity: operation({
    ...sharing,
    method: 'GET',
    path: `${CONTROL_PATH}/identity`,
    summary: 'Proof that this platform has the data directory whose lock was read; needs no key',
    query: IdentityQuery,
    success: { status: 200, body: Identity },
    errors: [422],
  }),
  handOverKey: operation({
    ...sharing,
    method: 'POST',
    path: `${CONTROL_PATH}/key`,
    summary: "Get the owner's key, as a program on this machine that proves it can read the lock; needs no key",
    body: KeyRequest,
    success: { status: 200, body: OwnerKey },
    errors: [403, 422],
  }),
  attach: operation({
    ...sharing,
    method: 'GET',
    path: `${CONTROL_PATH}/attachment`,
    summary: 'Share the platform: while this stream is open it does not end with the window that started it',
    success: { status: 200, body: AttachmentEvent, events: true },
    errors: [],
  }),
  stopPlatform: operation({
    ...sharing,
    method: 'POST',
    path: `${CONTROL_PATH}/stop`,
    summary: 'Stop the platform and its workers, whoever shares it; what it accepted stays',
    success: { status: 204 },
    errors: [],
  }),
} as const;

export type ControlOperations = typeof controlOperations;
export type ControlOperationId = keyof ControlOperations;
