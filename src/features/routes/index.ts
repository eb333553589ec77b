import * as vscode from 'vscode';
import type { Services } from '../services.ts';
import { registerRouteLanguage } from './language/registerRouteLanguage.ts';

/** Registers requests to load-balanced endpoints. */
export function registerRoutes(services: Services): vscode.Disposable {
  const language = registerRouteLanguage(services);
  return vscode.Disposable.from(language);
}
