import * as l10n from '@vscode/l10n';
import type * as vscode from 'vscode';
import { systemClock } from '../client/clock.ts';
import { createLog } from '../kit/log.ts';
import { ClaimedFailures } from './diagnosis/claimedFailures.ts';
import { ChatModelStore } from './endpoints/chatModelStore.ts';
import { ConnectionStore } from './connections/connectionStore.ts';
import { FiringAlerts } from './endpoints/firingAlerts.ts';
import { SettledState } from '../kit/settledState.ts';
import { EndpointReveal } from './endpoints/endpointReveal.ts';
import { EndpointStore } from './endpoints/endpointStore.ts';
import { CompletedSteps } from './completedSteps.ts';
import { engineFlags } from './localPlatform/engineFlags.ts';
import { dataDirectory, engineSettings, port } from './localPlatform/localPlatformSettings.ts';
import { LocalPlatformStore } from './localPlatform/localPlatformStore.ts';
import { LiveValueStore } from './liveValues/liveValueStore.ts';
import { SecretStore } from './secrets/secretStore.ts';
import type { AccountServices } from './accountServices.ts';

/** Creates the state that all features share, and lists what to dispose. */
export function createAccount(
  context: vscode.ExtensionContext,
): AccountServices & { readonly disposables: readonly vscode.Disposable[] } {
  const log = createLog('Cloud Compute');
  const localPlatformLog = createLog(l10n.t('Cloud Compute: Local Platform'));
  const connections = new ConnectionStore(context.secrets);
  const platform = async () => {
    const { localPlatformKey, platformProcess } = await import('./localPlatform/platformProcess.ts');
    const start = platformProcess({
      script: context.asAbsolutePath('dist/platform.js'),
      dataDir: () => dataDirectory(context),
      port,
      flags: () => engineFlags(engineSettings()),
      apiKey: () => localPlatformKey(context.secrets),
      log: localPlatformLog,
    });
    return start();
  };
  const globalState = new SettledState(context.globalState);
  const base = {
    context,
    globalState,
    log,
    clock: systemClock,
    connections,
    localPlatform: new LocalPlatformStore(platform, context.workspaceState),
    localPlatformLog,
    endpoints: new EndpointStore(connections, systemClock),
    claimedFailures: new ClaimedFailures(),
    firingAlerts: new FiringAlerts(),
    chatModels: new ChatModelStore(globalState, connections),
    endpointReveal: new EndpointReveal(),
    secrets: new SecretStore(context.secrets, globalState),
    liveValues: new LiveValueStore({ connections, clock: systemClock, log }),
    completedSteps: new CompletedSteps(globalState, (error) => log.warn('Could not store the steps', error)),
  };
  const { endpoints, localPlatform, secrets, liveValues, chatModels, completedSteps } = base;
  return {
    ...base,
    disposables: [
      ...[log, localPlatformLog, connections, endpoints, localPlatform],
      ...[secrets, liveValues, chatModels, completedSteps],
    ],
  };
}
