import * as vscode from 'vscode';
import type { ErrorKind } from '../client/apiError.ts';

/** Context keys and their values. The `when` clauses in package.json use these names. */
export interface ContextKeys {
  /** Kind of the current connection. `loading` until connections are read; `signedOut` for a hosted connection without a key. */
  'cloudCompute.connection': 'loading' | 'none' | 'local' | 'hosted' | 'signedOut';
  /** Whether the platform of the current connection can be called: a hosted one, or the local one while it runs. */
  'cloudCompute.connected': boolean;
  /** Like `connected`, but also true while the current connection is the local platform and it does not run. Commands then offer to start it. */
  'cloudCompute.callable': boolean;
  /** Whether there are connections to hosted platforms, signed in or not. */
  'cloudCompute.hasConnections': boolean;
  'cloudCompute.localPlatform': 'stopped' | 'starting' | 'running' | 'stopping' | 'failed';
  /** State of the endpoints view. */
  'cloudCompute.endpoints': 'idle' | 'loading' | 'ready' | 'failed';
  /** Reason why the endpoints could not be read. */
  'cloudCompute.endpointsError': ErrorKind | undefined;
  /** State of the resources view. */
  'cloudCompute.resources': 'idle' | 'loading' | 'ready' | 'failed';
  /** Reason why no resources could be read. */
  'cloudCompute.resourcesError': ErrorKind | undefined;
  /** Whether the endpoints were read and none of them has a queue, so that no job can be run. */
  'cloudCompute.noQueues': boolean;
  /** Whether the view shows only endpoints that match a filter. */
  'cloudCompute.endpointsFiltered': boolean;
  /** Whether jobs of the current connection are listed, whether or not they match the filter. */
  'cloudCompute.hasJobs': boolean;
  /** Whether the view shows only jobs that match a filter. */
  'cloudCompute.jobsFiltered': boolean;
  /** State of the manifest in the active editor. Undefined if the active editor has none. */
  'cloudCompute.manifestStatus': 'invalid' | 'notDeployed' | 'inSync' | 'drifted' | 'ambiguous' | 'unknown' | undefined;
  /** Whether an endpoint belongs to the manifest in the active editor. */
  'cloudCompute.manifestDeployed': boolean;
  /** Whether a stored link names the endpoint of the manifest in the active editor. */
  'cloudCompute.manifestLinked': boolean;
  /** Whether the address of the platform's web console is known. */
  'cloudCompute.hasConsole': boolean;
  /** State of the log in the Output panel. Undefined if the panel shows no log. */
  'cloudCompute.logPanel': 'following' | 'reconnecting' | 'paused' | 'stopped' | 'ended' | undefined;
  /** Whether the history has requests of the current connection. */
  'cloudCompute.hasRequests': boolean;
  /** Steps of the walkthrough that are completed. They stay completed. */
  'cloudCompute.completed.platform': boolean;
  'cloudCompute.completed.endpoint': boolean;
  'cloudCompute.completed.job': boolean;
  'cloudCompute.completed.logs': boolean;
  'cloudCompute.completed.billing': boolean;
  'cloudCompute.completed.hosted': boolean;
}

const values = new Map<string, unknown>();

/** Sets a context key. Does nothing if the key already has the value. */
export function setContext<Key extends keyof ContextKeys>(key: Key, value: ContextKeys[Key]): void {
  if (values.has(key) && values.get(key) === value) return;
  values.set(key, value);
  void vscode.commands.executeCommand('setContext', key, value);
}
