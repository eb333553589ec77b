import * as vscode from 'vscode';
import type { Services } from '../services.ts';
import { createCatalog } from './catalog/index.ts';
import { registerDeployed } from './deployed/index.ts';
import { registerManifestCodeActions } from './language/manifestCodeActions.ts';
import type { LiveSource } from './language/liveSource.ts';
import { registerManifestCompletion } from './language/manifestCompletion.ts';
import { registerManifestDiagnostics } from './language/manifestDiagnostics.ts';
import { registerManifestHover } from './language/manifestHover.ts';
import { ManifestModels } from './language/manifestModels.ts';
import { registerManifestReading } from './language/manifestReading.ts';
import { workerPrice } from '../costs/model/workerPrice.ts';
import { registerNewFile } from './newFile/index.ts';
import { secretNames } from './secrets/secretStore.ts';
import { registerSecrets } from './secrets/registerSecrets.ts';

/** Registers the services of the manifest editor and the commands for manifests. */
export function registerManifest(services: Services): vscode.Disposable {
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
    registerSecrets(services, models),
  );
}
