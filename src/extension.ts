import * as l10n from '@vscode/l10n';
import type * as vscode from 'vscode';
import { registerAgents } from './features/agents/index.ts';
import { registerBilling } from './features/billing/index.ts';
import { registerChatModels } from './features/chatModels/index.ts';
import { registerConnections } from './features/connections/index.ts';
import { registerCopyAs } from './features/copyAs/index.ts';
import { registerCosts } from './features/costs/index.ts';
import { createServices } from './features/createServices.ts';
import { registerDevelop } from './features/develop/index.ts';
import { registerEndpoints } from './features/endpoints/index.ts';
import { registerFirstSteps } from './features/firstSteps/index.ts';
import { registerImages } from './features/images/index.ts';
import { registerJobs } from './features/jobs/index.ts';
import { registerLinks } from './features/links/index.ts';
import { registerLocalPlatform } from './features/localPlatform/index.ts';
import { registerLogs } from './features/logs/index.ts';
import { registerManifest } from './features/manifest/index.ts';
import { registerResources } from './features/resources/index.ts';
import { registerRoutes } from './features/routes/index.ts';
import { registerTasks } from './features/tasks/index.ts';
import { registerCommand } from './vscode/commands.ts';

/** Registers the features without waiting for any I/O. */
export function activate(context: vscode.ExtensionContext): void {
  const started = performance.now();
  const services = createServices(context);
  const { log } = services;
  const jobs = registerJobs(services);
  const routes = registerRoutes(services);
  context.subscriptions.push(
    ...services.disposables,
    registerCommand(log, 'cloudCompute.showLog', l10n.t('Could not show the log'), () => log.show()),
    registerLocalPlatform(services),
    registerConnections(services),
    registerEndpoints(services),
    registerResources(services),
    registerManifest(services),
    jobs,
    routes,
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
    registerCopyAs(services, jobs, routes.copyRequest),
  );
  log.info(`activated in ${Math.round(performance.now() - started)} ms`);
}
