import * as vscode from 'vscode';
import { registerCommand } from '../../vscode/commands.ts';
import type { Services } from '../services.ts';
import { ManifestCheckOptions } from './checkOptions.ts';
import { chooseManifest } from './create/chooseManifest.ts';
import { createFromDocument } from './create/createFromDocument.ts';
import { ManifestCodeLenses } from './language/manifestCodeLenses.ts';
import { ManifestDiagnostics } from './language/manifestDiagnostics.ts';
import { ManifestModels } from './language/manifestModels.ts';
import { fileSelector } from './manifestFiles.ts';
import { registerSecrets } from './secrets/registerSecrets.ts';

/** Registers the services of the manifest editor and the command that creates an endpoint from a manifest. */
export function registerManifest(services: Services): vscode.Disposable {
  const { log, clock, connections } = services;
  const options = new ManifestCheckOptions(services);
  const models = new ManifestModels({
    clock,
    log,
    options: () => options.current,
    onDidChangeOptions: options.onDidChange,
  });
  const lenses = new ManifestCodeLenses(connections);
  return vscode.Disposable.from(
    options,
    models,
    new ManifestDiagnostics(models),
    lenses,
    vscode.languages.registerCodeLensProvider(fileSelector, lenses),
    registerSecrets(services, models),
    registerCommand(log, 'cloudCompute.manifest.createEndpoint', 'Could not create the endpoint', async (argument) => {
      const document = await chooseManifest(argument);
      if (document) await createFromDocument(services, models, document);
    }),
  );
}
