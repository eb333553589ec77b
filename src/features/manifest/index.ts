import * as vscode from 'vscode';
import type { AccountServices } from '../../account/accountServices.ts';
import { registerCommands } from '../../kit/commands.ts';
import { Reports } from '../../kit/documents/reports.ts';
import { formatted } from '../../text/markdown.ts';
import { createCatalog } from './catalog/index.ts';
import { manifestCommands } from './commands.ts';
import { registerDeployed } from './deployed/index.ts';
import { EndpointDocuments } from './editing/endpointDocuments.ts';
import { registerManifestCodeActions } from './language/manifestCodeActions.ts';
import type { LiveSource } from './language/liveSource.ts';
import { registerManifestCompletion } from './language/manifestCompletion.ts';
import { registerManifestDiagnostics } from './language/manifestDiagnostics.ts';
import { registerManifestHover } from './language/manifestHover.ts';
import { ManifestModels } from './language/manifestModels.ts';
import { registerManifestReading } from './language/manifestReading.ts';
import { workerPrice } from '../../account/prices/workerPrice.ts';
import { manifestSelector } from './manifestFiles.ts';
import { SecretCodeActions } from './secrets/secretCodeActions.ts';
import { secretNames } from '../../account/secrets/secretStore.ts';
import type { chooseSubject } from './estimateSubject.ts';

export type { Subject } from './estimateSubject.ts';
export { fileName, folderOf, isManifest, isManifestFile, languageOf, MANIFEST_GLOB } from './manifestFiles.ts';
export { workspaceTree } from './workspaceTree.ts';

/** Returns what to estimate, as `chooseSubject` does. */
export const chooseEstimateSubject: typeof chooseSubject = async (...args) => {
  const module = await import('./estimateSubject.ts');
  return module.chooseSubject(...args);
};

/** Registers the services of the manifest editor, the documents of endpoints, and the commands for manifests. */
export function registerManifest(services: AccountServices): vscode.Disposable {
  const { log, clock } = services;
  const catalog = createCatalog(services);
  const live: LiveSource = {
    get current() {
      return { ...catalog.values.current, secretNames: secretNames(services.secrets) };
    },
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
    ...{ models, options },
    priceOf: (manifest) => workerPrice(manifest, catalog.values.current),
  });
  const documents = new EndpointDocuments(services, async (...edit) => {
    const { saveEdit } = await import('./editing/saveEdit.ts');
    return saveEdit(services, ...edit);
  });
  const reports = new Reports({
    scheme: 'cloud-compute-deployment',
    gone: formatted`This report is no longer available. Run *Deploy All…* again.`,
    whyReadonly: formatted`This is the report of a deployment.`,
    clock,
  });
  return vscode.Disposable.from(
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
    reports.register(),
    vscode.languages.registerCodeActionsProvider(manifestSelector, new SecretCodeActions(models), {
      providedCodeActionKinds: [vscode.CodeActionKind.QuickFix],
    }),
    registerCommands(log, manifestCommands(services, { deployed: comparison.deployed, documents, reports, options })),
  );
}
