import { AttachmentEvent, CONTROL_PATH, Identity, IdentityQuery } from '../control.ts';
import { operation } from '../operation.ts';

const group = { address: 'baseUrl', errorFormat: 'problem', invalid: 422, section: 'the local platform' } as const;
const sharing = { ...group, tag: 'Sharing' } as const;

/**
 * The control API: for testing one's own code against a local platform, and for sharing one. No part of the interface that hosted
 * platforms have, so it has a table and an OpenAPI document of its own. The owner's key only.
 */
export const controlOperations = {
  getIdentity: operation({
    ...sharing,
    method: 'GET',
    path: `${CONTROL_PATH}/identity`,
    summary: 'Proof that this platform has the data directory whose lock was read; needs no key',
    query: IdentityQuery,
    success: { status: 200, body: Identity },
    errors: [422],
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
