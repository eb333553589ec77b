import * as l10n from '@vscode/l10n';
import type * as vscode from 'vscode';
import type { CloudComputeExports } from './api/cloudCompute.d.ts';
import { systemClock } from './client/clock.ts';
import { registerAgents } from './features/agents/index.ts';
import { registerBilling } from './features/billing/index.ts';
import { ChatModelStore } from './features/chatModels/chatModelStore.ts';
import { registerChatModels } from './features/chatModels/index.ts';
import { ConnectionStore } from './features/connections/connectionStore.ts';
import { registerConnections } from './features/connections/index.ts';
import { registerCosts } from './features/costs/index.ts';
import { EndpointReveal } from './features/endpoints/endpointReveal.ts';
import { EndpointStore } from './features/endpoints/endpointStore.ts';
import { registerDevelop } from './features/develop/index.ts';
import { registerEndpoints } from './features/endpoints/index.ts';
import { CompletedSteps } from './features/firstSteps/completedSteps.ts';
import { registerFirstSteps } from './features/firstSteps/index.ts';
import { extensionApi } from './features/extensionApi/index.ts';
import { registerImages } from './features/images/index.ts';
import { registerJobs } from './features/jobs/index.ts';
import { createBatches } from './features/jobs/batch/createBatches.ts';
import { registerLinks } from './features/links/index.ts';
import { registerLocalPlatform } from './features/localPlatform/index.ts';
import { engineFlags } from './features/localPlatform/engine/model/engineFlags.ts';
import { dataDirectory, engineSettings, port } from './features/localPlatform/localPlatformSettings.ts';
import { LocalPlatformStore } from './features/localPlatform/localPlatformStore.ts';
import { localPlatformKey } from './features/localPlatform/localPlatformKey.ts';
import { platformProcess } from './features/localPlatform/platformProcess.ts';
import { registerLogs } from './features/logs/index.ts';
import { registerManifest } from './features/manifest/index.ts';
import { LiveValueStore } from './features/manifest/catalog/liveValueStore.ts';
import { SecretStore } from './features/manifest/secrets/secretStore.ts';
import { registerResources } from './features/resources/index.ts';
import { registerRoutes } from './features/routes/index.ts';
import { registerTasks } from './features/tasks/index.ts';
import type { Services } from './features/services.ts';
import { registerCommand } from './vscode/commands.ts';
import { createLog } from './vscode/log.ts';

/** Registers the features without waiting for any I/O. Returns the API for other extensions. */
export function activate(context: vscode.ExtensionContext): CloudComputeExports {
  const started = performance.now();
  const services = createServices(context);
  const { log, connections, endpoints, localPlatform, localPlatformLog, secrets, liveValues, chatModels } = services;
  const jobs = registerJobs(services);
  context.subscriptions.push(
    log,
    localPlatformLog,
    connections,
    endpoints,
    localPlatform,
    secrets,
    liveValues,
    chatModels,
    registerCommand(log, 'cloudCompute.showLog', l10n.t('Could not show the log'), () => log.show()),
    services.completedSteps,
    registerLocalPlatform(services),
    registerConnections(services),
    registerEndpoints(services),
    registerResources(services),
    registerManifest(services),
    jobs,
    registerRoutes(services),
    registerChatModels(services),
    registerLogs(services),
    registerBilling(services),
    registerCosts(services),
    registerAgents(services, jobs),
    registerImages(services),
    registerFirstSteps(services, jobs),
    registerDevelop(services),
    registerTasks(services, jobs),
    registerLinks(services, jobs),
  );
  const api = extensionApi(services, jobs);
  log.info(`activated in ${Math.round(performance.now() - started)} ms`);
  return api;
}

function createServices(context: vscode.ExtensionContext): Services {
  const log = createLog('Cloud Compute');
  const localPlatformLog = createLog(l10n.t('Cloud Compute: Local Platform'));
  const connections = new ConnectionStore(context.secrets);
  const dataDir = () => dataDirectory(context);
  const apiKey = () => localPlatformKey(context.secrets);
  const script = context.asAbsolutePath('dist/platform.js');
  const localPlatform = new LocalPlatformStore(
    platformProcess({
      script,
      dataDir,
      port,
      flags: () => engineFlags(engineSettings()),
      apiKey,
      log: localPlatformLog,
    }),
  );
  const endpoints = new EndpointStore(connections, systemClock);
  const secrets = new SecretStore(context.secrets, context.globalState);
  const liveValues = new LiveValueStore({ connections, clock: systemClock, log });
  const base = {
    context,
    log,
    clock: systemClock,
    connections,
    localPlatform,
    localPlatformLog,
    endpoints,
    chatModels: new ChatModelStore(context.globalState, connections),
    endpointReveal: new EndpointReveal(),
    secrets,
    liveValues,
    completedSteps: new CompletedSteps(context.globalState, (error) => log.warn('Could not store the steps', error)),
  };
  return { ...base, batches: createBatches(base) };
}
