import type { IncomingMessage } from 'node:http';
import { CONTROL_PATH } from '../../contract/launch/localPlatform.ts';
import { isForWorker } from '../routes/balanced.ts';

/** Whether the request is for the control API. Requests to the host name of an endpoint are not: its worker may have the same path. */
export function isControl(incoming: IncomingMessage): boolean {
  return incoming.url?.startsWith(`${CONTROL_PATH}/`) === true && !isForWorker(incoming);
}
