import { idPart } from '../../../text/idPart.ts';

/** A worker of an endpoint. */
export interface WorkerAddress {
  readonly endpointId: string;
  readonly workerId: string;
}

/** A worker, and the connection that it belongs to. */
export interface ConnectedWorker extends WorkerAddress {
  readonly connectionId: string;
}

/** A worker whose log is shown. */
export interface LoggedWorker extends ConnectedWorker {
  readonly endpointName: string;
}

/** Returns a stable key that is unique across all connections and endpoints. */
export function workerKey({ connectionId, endpointId, workerId }: ConnectedWorker): string {
  return [connectionId, endpointId, workerId].map(idPart).join('/');
}
