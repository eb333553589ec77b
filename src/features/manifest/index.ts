import * as vscode from 'vscode';
import type { Services } from '../services.ts';
import { ManifestCheckOptions } from './checkOptions.ts';
import { registerDeployed } from './deployed/index.ts';
import { ManifestDiagnostics } from './language/manifestDiagnostics.ts';
import { ManifestModels } from './language/manifestModels.ts';

/** Registers the services of the manifest editor and the commands for manifests. */
export function registerManifest(services: Services): vscode.Disposable {
  const { log, clock, connections } = services;
  const options = new ManifestCheckOptions(connections);
  const models = new ManifestModels({
    clock,
    log,
    options: () => options.current,
    onDidChangeOptions: options.onDidChange,
  });
  return vscode.Disposable.from(
    options,
    models,
    new ManifestDiagnostics(models),
    registerDeployed(services, { models, options: () => options.current }),
  );
}
