import type * as vscode from 'vscode';
import type { Clock } from '../client/clock.ts';
import type { Log } from '../vscode/log.ts';
import type { ConnectionStore } from './connections/connectionStore.ts';
import type { EndpointStore } from './endpoints/endpointStore.ts';
import type { LocalPlatformStore } from './localPlatform/localPlatformStore.ts';

/** What every feature is given. Stores hold state and emit change; features render it and act on it. */
export interface Services {
  readonly context: vscode.ExtensionContext;
  readonly log: Log;
  readonly clock: Clock;
  readonly connections: ConnectionStore;
  readonly localPlatform: LocalPlatformStore;
  /** The log of the platform itself. */
  readonly localPlatformLog: Log;
  readonly endpoints: EndpointStore;
}
