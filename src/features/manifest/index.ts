import * as vscode from 'vscode';
import { registerCommand } from '../../vscode/commands.ts';
import type { Services } from '../services.ts';
import { chooseManifest } from './chooseManifest.ts';
import { createFromDocument } from './createFromDocument.ts';
import { ManifestCodeLenses } from './manifestCodeLenses.ts';
import { ManifestDiagnostics } from './manifestDiagnostics.ts';
import { manifestSelector } from './manifestFiles.ts';

/** Registers diagnostics for manifests and the command that creates an endpoint from a manifest. */
export function registerManifest(services: Services): vscode.Disposable {
  const { log, connections } = services;
  const diagnostics = new ManifestDiagnostics(services);
  const lenses = new ManifestCodeLenses(connections);
  return vscode.Disposable.from(
    diagnostics,
    lenses,
    vscode.languages.registerCodeLensProvider(manifestSelector, lenses),
    registerCommand(log, 'cloudCompute.manifest.createEndpoint', 'Could not create the endpoint', async (argument) => {
      const document = await chooseManifest(argument);
      if (document) await createFromDocument(services, diagnostics, document);
    }),
  );
}
