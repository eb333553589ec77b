import * as l10n from '@vscode/l10n';
import type * as vscode from 'vscode';
import { systemClock } from '../client/clock.ts';
import { createLog } from '../vscode/log.ts';
import { ChatModelStore } from './chatModels/chatModelStore.ts';
import { ConnectionStore } from './connections/connectionStore.ts';
import { EndpointReveal } from './endpoints/endpointReveal.ts';
import { EndpointStore } from './endpoints/endpointStore.ts';
import { CompletedSteps } from './firstSteps/completedSteps.ts';
import { createBatches } from './jobs/batch/createBatches.ts';
import { engineFlags } from './localPlatform/engine/model/engineFlags.ts';
import { localPlatformKey } from './localPlatform/localPlatformKey.ts';
import { dataDirectory, engineSettings, port } from './localPlatform/localPlatformSettings.ts';
import { LocalPlatformStore } from './localPlatform/localPlatformStore.ts';
import { platformProcess } from './localPlatform/platformProcess.ts';
import { LiveValueStore } from './manifest/catalog/liveValueStore.ts';
import { SecretStore } from './manifest/secrets/secretStore.ts';
import type { Services } from './services.ts';

/** Creates the services that all features share, and lists those to dispose. */
export function createServices(
  context: vscode.ExtensionContext,
): Services & { readonly disposables: readonly vscode.Disposable[] } {
  const log = createLog('Cloud Compute');
  const localPlatformLog = createLog(l10n.t('Cloud Compute: Local Platform'));
  const connections = new ConnectionStore(context.secrets);
  const platform = platformProcess({
    script: context.asAbsolutePath('dist/platform.js'),
    dataDir: () => dataDirectory(context),
    port,
    flags: () => engineFlags(engineSettings()),
    apiKey: () => localPlatformKey(context.secrets),
    log: localPlatformLog,
  });
  const base = {
    context,
    log,
    clock: systemClock,
    connections,
    localPlatform: new LocalPlatformStore(platform),
    localPlatformLog,
    endpoints: new EndpointStore(connections, systemClock),
    chatModels: new ChatModelStore(context.globalState, connections),
    endpointReveal: new EndpointReveal(),
    secrets: new SecretStore(context.secrets, context.globalState),
    liveValues: new LiveValueStore({ connections, clock: systemClock, log }),
    completedSteps: new CompletedSteps(context.globalState, (error) => log.warn('Could not store the steps', error)),
  };
  const { endpoints, localPlatform, secrets, liveValues, chatModels, completedSteps } = base;
  return {
    ...base,
    batches: createBatches(base),
    disposables: [
      ...[log, localPlatformLog, connections, endpoints, localPlatform],
      ...[secrets, liveValues, chatModels, completedSteps],
    ],
  };
}
