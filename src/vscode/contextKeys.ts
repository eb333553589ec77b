import * as vscode from 'vscode';
import type { ErrorKind } from '../client/apiError.ts';

/** Every context key the product sets, with its values; `when` clauses in package.json use these names. */
export interface ContextKeys {
  /** Which connection is current. `loading` until the stored ones have been read; `signedOut`: a hosted one without its key. */
  'cloudCompute.connection': 'loading' | 'none' | 'local' | 'hosted' | 'signedOut';
  /** Whether there are connections to hosted platforms, signed in or not. */
  'cloudCompute.hasConnections': boolean;
  'cloudCompute.localPlatform': 'stopped' | 'starting' | 'running' | 'stopping' | 'failed';
  /** What the endpoints view can show. */
  'cloudCompute.endpoints': 'idle' | 'loading' | 'ready' | 'failed';
  /** Why they could not be read. */
  'cloudCompute.endpointsError': ErrorKind | undefined;
  /** What the resources view can show. */
  'cloudCompute.resources': 'idle' | 'loading' | 'ready' | 'failed';
  /** Why nothing of them could be read. */
  'cloudCompute.resourcesError': ErrorKind | undefined;
  /** Only endpoints that match a filter are shown. */
  'cloudCompute.endpointsFiltered': boolean;
  /** The web console of the connected platform is known. */
  'cloudCompute.hasConsole': boolean;
}

const values = new Map<string, unknown>();

/** Sets a context key; a value it has already costs nothing. */
export function setContext<Key extends keyof ContextKeys>(key: Key, value: ContextKeys[Key]): void {
  if (values.has(key) && values.get(key) === value) return;
  values.set(key, value);
  void vscode.commands.executeCommand('setContext', key, value);
}
