import * as vscode from 'vscode';
import { registerCommand } from '../../vscode/commands.ts';
import type { Services } from '../services.ts';
import { createCatalog } from './catalog/index.ts';
import { chooseManifest } from './create/chooseManifest.ts';
import { createFromDocument } from './create/createFromDocument.ts';
import { ManifestCodeLenses } from './language/manifestCodeLenses.ts';
import { registerManifestCompletion } from './language/manifestCompletion.ts';
import { ManifestDiagnostics } from './language/manifestDiagnostics.ts';
import { registerManifestHover } from './language/manifestHover.ts';
import { ManifestModels } from './language/manifestModels.ts';
import { registerManifestReading } from './language/manifestReading.ts';
import { fileSelector } from './manifestFiles.ts';
import { registerNewFile } from './newFile/index.ts';

/** Registers the services of the manifest editor and the command that creates an endpoint from a manifest. */
export function registerManifest(services: Services): vscode.Disposable {
  const { log, clock, connections } = services;
  const catalog = createCatalog(services);
  const models = new ManifestModels({
    clock,
    log,
    options: (document) => catalog.options.of(document),
    onDidChangeOptions: catalog.options.onDidChange,
  });
  const lenses = new ManifestCodeLenses(connections);
  return vscode.Disposable.from(
    catalog,
    models,
    catalog.follow(models),
    registerManifestReading(models, catalog),
    new ManifestDiagnostics(models),
    registerManifestCompletion(models, catalog.values),
    registerManifestHover(models, catalog.values),
    lenses,
    vscode.languages.registerCodeLensProvider(fileSelector, lenses),
    registerNewFile(services),
    registerCommand(log, 'cloudCompute.manifest.createEndpoint', 'Could not create the endpoint', async (argument) => {
      const document = await chooseManifest(argument);
      if (document) await createFromDocument(services, models, document);
    }),
  );
}
