import type { IncomingMessage } from 'node:http';
import { CONTROL_PATH } from '../../contract/launch/localPlatform.ts';
import { isForWorker } from '../routes/balanced.ts';

/** Whether the request is for the control API. A worker that is called by its own host name may have such a path too. */
export function isControl(incoming: IncomingMessage): boolean {
  return incoming.url?.startsWith(`${CONTROL_PATH}/`) === true && !isForWorker(incoming);
}
