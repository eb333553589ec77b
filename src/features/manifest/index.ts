import * as vscode from 'vscode';
import type { AccountServices } from '../../account/accountServices.ts';
import { createCatalog } from './catalog/index.ts';
import { registerDeployed } from './deployed/index.ts';
import { registerManifestCodeActions } from './language/manifestCodeActions.ts';
import { type LiveSource, registerManifestCompletion } from './language/manifestCompletion.ts';
import { registerManifestDiagnostics, registerManifestReading } from './language/manifestReading.ts';
import { registerManifestHover } from './language/manifestHover.ts';
import { ManifestModels } from './language/manifestModels.ts';
import { workerPrice } from '../../account/prices/workerPrice.ts';
import { registerEditing } from './editing/index.ts';
import { registerNewFile } from './newFile/index.ts';
import { secretNames } from '../../account/secrets/secretStore.ts';
import type { chooseSubject } from './estimateSubject.ts';
import { registerSecrets } from './secrets/secretCodeActions.ts';

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
  return vscode.Disposable.from(
    catalog,
    models,
    catalog.follow(models),
    registerManifestReading(models, catalog),
    registerManifestDiagnostics(models),
    registerManifestCodeActions(models, (document) => catalog.options.of(document)),
    registerManifestCompletion(models, live),
    registerManifestHover(models, catalog.values),
    registerDeployed(services, {
      models,
      options: () => catalog.options.current,
      priceOf: (manifest) => workerPrice(manifest, catalog.values.current),
    }),
    registerNewFile(services),
    registerEditing(services),
    registerSecrets(services, models),
  );
}
