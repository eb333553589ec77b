import * as l10n from '@vscode/l10n';
import type * as vscode from 'vscode';
import type { CloudComputeExports } from './api/cloudCompute.d.ts';
import { registerBilling } from './features/billing/index.ts';
import { noPlatformProcess, registerBrowserLimits } from './features/browserLimits.ts';
import { registerChatModels } from './features/chatModels/index.ts';
import { registerConnections } from './features/connections/index.ts';
import { registerCosts } from './features/costs/index.ts';
import { createServices } from './features/createServices.ts';
import { extensionApi } from './features/extensionApi/index.ts';
import { registerFirstSteps } from './features/firstSteps/index.ts';
import { registerEndpoints } from './features/endpoints/index.ts';
import { registerImages } from './features/images/index.ts';
import { registerJobs } from './features/jobs/index.ts';
import { registerLinks } from './features/links/index.ts';
import { registerLogs } from './features/logs/index.ts';
import { registerManifest } from './features/manifest/index.ts';
import { registerResources } from './features/resources/index.ts';
import { registerRoutes } from './features/routes/index.ts';
import { registerCommand } from './vscode/commands.ts';
import { setContext } from './vscode/contextKeys.ts';

/** Registers the features that need no process, in the extension host of a browser. */
export function activate(context: vscode.ExtensionContext): CloudComputeExports {
  const started = performance.now();
  setContext('cloudCompute.browser', true);
  const services = createServices(context, () => noPlatformProcess);
  const { log } = services;
  const jobs = registerJobs(services);
  context.subscriptions.push(
    ...services.disposables,
    registerCommand(log, 'cloudCompute.showLog', l10n.t('Could not show the log'), () => log.show()),
    registerBrowserLimits(log),
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
    registerImages(services),
    registerFirstSteps(services, jobs),
    registerLinks(services, jobs),
  );
  const api = extensionApi(services, jobs);
  log.info(`activated in ${Math.round(performance.now() - started)} ms, in a browser`);
  return api;
}
