import { idPart } from '../../vscode/text/idPart.ts';
import type { WorkerAddress } from './workerLogFollower.ts';

/** A worker, and the connection that it belongs to. */
export interface ConnectedWorker extends WorkerAddress {
  readonly connectionId: string;
}

/** Returns a stable key that is unique across all connections and endpoints. */
export function workerKey({ connectionId, endpointId, workerId }: ConnectedWorker): string {
  return [connectionId, endpointId, workerId].map(idPart).join('/');
}
