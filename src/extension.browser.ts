import type * as vscode from 'vscode';
import { registerBilling } from './features/billing/index.ts';
import { noPlatformProcess, registerBrowserLimits } from './features/browserLimits.ts';
import { registerChatModels } from './features/chatModels/index.ts';
import { registerConnections } from './features/connections/index.ts';
import { registerCosts } from './features/costs/index.ts';
import { createServices } from './features/createServices.ts';
import { registerEndpoints } from './features/endpoints/index.ts';
import { registerImages } from './features/images/index.ts';
import { registerJobs } from './features/jobs/index.ts';
import { registerLogs } from './features/logs/index.ts';
import { registerManifest } from './features/manifest/index.ts';
import { registerResources } from './features/resources/index.ts';
import { registerRoutes } from './features/routes/index.ts';
import { registerCommand } from './vscode/commands.ts';
import { setContext } from './vscode/contextKeys.ts';

/** Registers the features that need no process, in the extension host of a browser. */
export function activate(context: vscode.ExtensionContext): void {
  const started = performance.now();
  setContext('cloudCompute.browser', true);
  const services = createServices(context, () => noPlatformProcess);
  const { log, connections, endpoints, localPlatform, localPlatformLog, secrets, liveValues, chatModels } = services;
  context.subscriptions.push(
    log,
    localPlatformLog,
    connections,
    endpoints,
    localPlatform,
    secrets,
    liveValues,
    chatModels,
    registerCommand(log, 'cloudCompute.showLog', 'Could not show the log', () => log.show()),
    registerBrowserLimits(log),
    registerConnections(services),
    registerEndpoints(services),
    registerResources(services),
    registerManifest(services),
    registerJobs(services),
    registerRoutes(services),
    registerChatModels(services),
    registerLogs(services),
    registerBilling(services),
    registerCosts(services),
    registerImages(services),
  );
  log.info(`activated in ${Math.round(performance.now() - started)} ms, in a browser`);
}
