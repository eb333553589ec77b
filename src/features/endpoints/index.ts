import * as vscode from 'vscode';
import { TreeCosts } from '../../account/prices/treeCosts.ts';
import type { AccountServices } from '../../account/accountServices.ts';
import { registerCommands } from '../../kit/commands.ts';
import { endpointCommands } from './commands.ts';
import type { askAndScale as scale } from './askAndScale.ts';
import type { FindDeployments } from './model/releaseWords.ts';
import { EndpointTreeProvider } from './endpointTreeProvider.ts';
import { registerEndpointView } from './endpointView.ts';
import { registerMetrics } from './metrics/index.ts';
import type { OwnJobs } from './metrics/metricsPanel.ts';
import { registerStarts } from './starts/index.ts';
import { registerResources } from './resources/index.ts';
import { registerUnhealthyNotice } from './unhealthyNotice.ts';
import { SYNCED_KEYS, ViewOptionsStore } from './viewOptionsStore.ts';

/** Asks for the number of workers of an endpoint, as `askAndScale` does. */
export const askAndScale: typeof scale = async (...args) => {
  const module = await import('./askAndScale.ts');
  return module.askAndScale(...args);
};

/**
 * Registers the views of endpoints and resources, and their commands.
 *
 * @param from.findDeployments reads the deployments of an endpoint
 * @param from.ownJobs reads the jobs that the user ran from this editor
 */
export function registerEndpoints(
  services: AccountServices,
  { findDeployments, ownJobs }: { readonly findDeployments: FindDeployments; readonly ownJobs: OwnJobs },
): vscode.Disposable {
  const { context, connections, log } = services;
  context.globalState.setKeysForSync(SYNCED_KEYS);
  const options = new ViewOptionsStore(services.globalState, context.workspaceState, connections);
  const costs = new TreeCosts(services);
  const provider = new EndpointTreeProvider(services, options, costs, findDeployments);
  const resources = registerResources(services);
  const metrics = registerMetrics(services, { ownJobs, findDeployments });
  const starts = registerStarts(services);
  return vscode.Disposable.from(
    options,
    costs,
    provider,
    registerEndpointView(services, provider, options),
    registerUnhealthyNotice(services),
    resources,
    metrics,
    starts,
    registerCommands(
      log,
      endpointCommands({
        services,
        options,
        resources: resources.store,
        openMetrics: metrics.open,
        starts: starts.documents,
      }),
    ),
  );
}
