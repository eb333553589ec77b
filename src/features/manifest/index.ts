import * as vscode from 'vscode';
import { registerCommand } from '../../vscode/commands.ts';
import type { Services } from '../services.ts';
import { ManifestCheckOptions } from './checkOptions.ts';
import { chooseManifest } from './create/chooseManifest.ts';
import { createFromDocument } from './create/createFromDocument.ts';
import { ManifestCodeLenses } from './language/manifestCodeLenses.ts';
import type { LiveSource } from './language/liveSource.ts';
import { registerManifestCompletion } from './language/manifestCompletion.ts';
import { ManifestDiagnostics } from './language/manifestDiagnostics.ts';
import { registerManifestHover } from './language/manifestHover.ts';
import { ManifestModels } from './language/manifestModels.ts';
import { fileSelector } from './manifestFiles.ts';
import { registerNewFile } from './newFile/index.ts';

/** No values of a platform. */
const live: LiveSource = { current: {}, request: () => undefined };

/** Registers the services of the manifest editor and the command that creates an endpoint from a manifest. */
export function registerManifest(services: Services): vscode.Disposable {
  const { log, clock, connections } = services;
  const options = new ManifestCheckOptions(connections);
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
    registerManifestCompletion(models, live),
    registerManifestHover(models, live),
    lenses,
    vscode.languages.registerCodeLensProvider(fileSelector, lenses),
    registerNewFile(services),
    registerCommand(log, 'cloudCompute.manifest.createEndpoint', 'Could not create the endpoint', async (argument) => {
      const document = await chooseManifest(argument);
      if (document) await createFromDocument(services, models, document);
    }),
  );
}
