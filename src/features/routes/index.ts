import * as vscode from 'vscode';
import type { Services } from '../services.ts';
import { registerRouteLanguage } from './language/registerRouteLanguage.ts';
import { registerRequests } from './registerRequests.ts';

/** Registers HTTP files, and the requests to endpoints that they contain. */
export function registerRoutes(services: Services): vscode.Disposable {
  const language = registerRouteLanguage(services);
  return vscode.Disposable.from(language, registerRequests(services, language.models));
}
