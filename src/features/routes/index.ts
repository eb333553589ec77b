import type * as vscode from 'vscode';
import type { Services } from '../services.ts';
import { registerRequests } from './registerRequests.ts';

/** Registers the commands, documents, and views for requests to endpoints. */
export function registerRoutes(services: Services): vscode.Disposable {
  return registerRequests(services);
}
