import * as vscode from 'vscode';
import type { AccountServices } from '../../account/accountServices.ts';
import type { DocumentShell } from '../../kit/documents/documentShell.ts';
import type { Reports } from '../../kit/documents/reports.ts';
import { createCatalog } from './catalog/index.ts';
import type { ManifestCommandOptions } from './commands.ts';
import { registerDeployed } from './deployed/index.ts';
import { EndpointDocuments } from './editing/endpointDocuments.ts';
import { registerManifestCodeActions } from './language/manifestCodeActions.ts';
import { registerManifestCompletion, type LiveSource } from './language/manifestCompletion.ts';
import { registerManifestHover } from './language/manifestHover.ts';
import { ManifestModels } from './language/manifestModels.ts';
import { registerManifestDiagnostics, registerManifestReading } from './language/manifestReading.ts';
import { workerPrice } from '../../account/prices/workerPrice.ts';
import { manifestSelector } from './manifestFiles.ts';
import { SecretCodeActions } from './secrets/secretCodeActions.ts';
import { secretNames } from '../../account/secrets/secretStore.ts';

/** Documents and views that are registered before the code of manifests is loaded. */
export interface ManifestShells {
  /** Documents of endpoints. */
  readonly endpoints: DocumentShell;
  /** Left sides of comparisons. */
  readonly deployed: DocumentShell;
  /** Reports of deployments. */
  readonly reports: Reports;
}

/** The manifests of this window, and what their commands use. */
export interface Manifests extends ManifestCommandOptions {
  readonly disposable: vscode.Disposable;
}

/** Registers the services of the manifest editor, and the documents of endpoints. */
export function createManifests(services: AccountServices, shells: ManifestShells): Manifests {
  const { log, clock } = services;
  const catalog = createCatalog(services);
  const live: LiveSource = {
    get current() {
      return { ...catalog.values.current, secretNames: secretNames(services.secrets) };
    },
    onDidChange: catalog.values.onDidChange,
    request: () => catalog.values.request(),
  };
  const models = new ManifestModels({
    clock,
    log,
    options: (document) => catalog.options.of(document),
    onDidChangeOptions: catalog.options.onDidChange,
  });
  const options = () => catalog.options.current;
  const comparison = registerDeployed(services, {
    ...{ models, options, shell: shells.deployed },
    priceOf: (manifest) => workerPrice(manifest, catalog.values.current),
  });
  const documents = new EndpointDocuments(services, shells.endpoints, async (...edit) => {
    const { saveEdit } = await import('./editing/saveEdit.ts');
    return saveEdit(services, ...edit);
  });
  const disposable = vscode.Disposable.from(
    catalog,
    models,
    catalog.follow(models),
    registerManifestReading(models, catalog),
    registerManifestDiagnostics(models),
    registerManifestCodeActions(models, (document) => catalog.options.of(document)),
    registerManifestCompletion(models, live),
    registerManifestHover(models, catalog.values),
    comparison,
    documents.register(),
    vscode.languages.registerCodeActionsProvider(manifestSelector, new SecretCodeActions(models), {
      providedCodeActionKinds: [vscode.CodeActionKind.QuickFix],
    }),
  );
  return { deployed: comparison.deployed, documents, reports: shells.reports, options, disposable };
}
