import * as vscode from 'vscode';
import type { Services } from '../services.ts';
import { registerRouteLanguage } from './language/registerRouteLanguage.ts';
import { registerRequests, type CopyRequest } from './registerRequests.ts';

/** Registers HTTP files, and the requests to endpoints that they contain. */
export function registerRoutes(services: Services): vscode.Disposable & { readonly copyRequest: CopyRequest } {
  const language = registerRouteLanguage(services);
  const requests = registerRequests(services, language.models);
  return Object.assign(vscode.Disposable.from(language, requests), { copyRequest: requests.copyRequest });
}
