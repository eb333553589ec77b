import * as vscode from 'vscode';
import * as l10n from '@vscode/l10n';
import { TreeCosts } from '../../account/prices/treeCosts.ts';
import type { AccountServices } from '../../account/accountServices.ts';
import { registerCommands, on, type CommandTable } from '../../kit/commands.ts';
import type { askAndScale as scale } from './askAndScale.ts';
import type { FindDeployments } from './model/releaseWords.ts';
import { EndpointTreeProvider } from './endpointTreeProvider.ts';
import { registerEndpointView } from './endpointView.ts';
import type { OwnJobs, MetricsReaders } from './metrics/metricsPanel.ts';
import { registerResources } from './resources/index.ts';
import { registerUnhealthyNotice } from './unhealthyNotice.ts';
import { SYNCED_KEYS, ViewOptionsStore } from './viewOptionsStore.ts';
import type { StartDocuments } from './starts/startDocuments.ts';
import type { ResourceStore } from './resources/resourceStore.ts';
import { Lazy } from '../../kit/lazy.ts';
import { DocumentShell } from '../../kit/documents/documentShell.ts';
import { formatted } from '../../text/markdown.ts';
import { START_SCHEME } from './starts/startScheme.ts';

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

interface EndpointCommandOptions {
  readonly services: AccountServices;
  /** Order, groups, filter, and favorites of the view. */
  readonly options: ViewOptionsStore;
  readonly resources: ResourceStore;
  /** Opens the metrics of the endpoint of a row. */
  readonly openMetrics: (args: readonly unknown[]) => Promise<void>;
  /** Returns the documents with the starts of workers. */
  readonly starts: () => Promise<StartDocuments>;
}

/** Returns the commands for the rows of endpoints and resources, and for their views. */
function endpointCommands(given: EndpointCommandOptions): CommandTable {
  const { services, options, resources, openMetrics, starts } = given;
  return {
    'cloudCompute.endpoints.refresh': {
      failure: l10n.t('Could not refresh'),
      run: async () => (await import('./endpointCommands.ts')).refreshEndpoints(services),
    },
    'cloudCompute.endpoints.refreshOne': {
      failure: l10n.t('Could not refresh'),
      run: async (...args) => (await import('./endpointCommands.ts')).refreshChosen(services, args),
    },
    'cloudCompute.endpoints.scale': {
      failure: l10n.t('Could not scale the endpoint'),
      run: async (...args) => (await import('./askAndScale.ts')).askAndScale(services, args),
    },
    'cloudCompute.endpoints.showMetrics': {
      failure: l10n.t('Could not show the metrics'),
      run: (...args) => openMetrics(args),
    },
    'cloudCompute.endpoints.showStart': {
      failure: l10n.t('Could not show the start'),
      run: async (...args) => (await import('./starts/startCommands.ts')).showStart(services, await starts(), args),
    },
    'cloudCompute.endpoints.xRayStart': {
      failure: l10n.t('Could not measure the start'),
      run: async (...args) => (await import('./starts/startCommands.ts')).xRayStart(services, await starts(), args),
    },
    'cloudCompute.endpoints.delete': {
      failure: l10n.t('Could not delete the endpoint'),
      run: async (...args) => (await import('./endpointCommands.ts')).askAndDelete(services, args),
    },
    'cloudCompute.endpoints.copyId': {
      failure: l10n.t('Could not copy the ID'),
      run: async (...args) => (await import('./endpointCommands.ts')).copyIds(services, args),
    },
    'cloudCompute.endpoints.openInBrowser': {
      failure: l10n.t('Could not open the console'),
      run: on(
        async (args) => {
          const { chosenEndpoint } = await import('../../account/endpoints/chosenEndpoints.ts');
          return chosenEndpoint(services, args, l10n.t('Endpoint to open in the browser'));
        },
        async (snapshot) => (await import('./endpointCommands.ts')).openInBrowser(services, snapshot),
      ),
    },
    'cloudCompute.endpoints.arrange': {
      failure: l10n.t('Could not arrange the endpoints'),
      run: async (argument) => (await import('./viewCommands.ts')).arrange(services, options, argument),
    },
    'cloudCompute.endpoints.clearFilter': {
      failure: l10n.t('Could not clear the filter'),
      run: () => options.setFilter(''),
    },
    'cloudCompute.endpoints.addFavorite': {
      failure: l10n.t('Could not add the favorite'),
      run: async (...args) => (await import('./viewCommands.ts')).setFavorite(services, options, true, args),
    },
    'cloudCompute.endpoints.removeFavorite': {
      failure: l10n.t('Could not remove the favorite'),
      run: async (...args) => (await import('./viewCommands.ts')).setFavorite(services, options, false, args),
    },
    'cloudCompute.resources.refresh': {
      failure: l10n.t('Could not refresh'),
      run: async () => (await import('./resources/resourceCommands.ts')).refreshResources(resources),
    },
    'cloudCompute.resources.copyId': {
      failure: l10n.t('Could not copy the ID'),
      run: async (node) => (await import('./resources/resourceCommands.ts')).copyResourceId(node),
    },
    'cloudCompute.registries.create': {
      failure: l10n.t('Could not add the registry credential'),
      run: async () => (await import('./resources/resourceCommands.ts')).addCredential(services, resources),
    },
    'cloudCompute.registries.delete': {
      failure: l10n.t('Could not delete the registry credential'),
      run: async (node) =>
        (await import('./resources/resourceCommands.ts')).deleteCredential(services, resources, node),
    },
  };
}

const VIEW_TYPE = 'cloudCompute.metrics';

/** Registers the metrics views, which the editor restores after a reload. */
function registerMetrics(
  services: AccountServices,
  readers: MetricsReaders,
): vscode.Disposable & { readonly open: (args: readonly unknown[]) => Promise<void> } {
  const panels = new Lazy(
    async () => new (await import('./metrics/metricsPanels.ts')).MetricsPanels(services, readers),
  );
  const registered = vscode.Disposable.from(
    vscode.window.registerWebviewPanelSerializer(VIEW_TYPE, {
      deserializeWebviewPanel: async (panel, stored) => {
        const closed = new AbortController();
        panel.onDidDispose(() => closed.abort());
        const loaded = await panels.get();
        if (!closed.signal.aborted) loaded.restore(panel, stored);
      },
    }),
    new vscode.Disposable(() => panels.value?.dispose()),
  );
  return Object.assign(registered, {
    open: async (args: readonly unknown[]) => (await panels.get()).open(VIEW_TYPE, args),
  });
}

/** Registers the documents with the starts of workers. Their code is loaded for the first one. */
function registerStarts(
  services: Pick<AccountServices, 'clock' | 'connections' | 'endpoints' | 'liveValues'>,
): vscode.Disposable & { readonly documents: () => Promise<StartDocuments> } {
  let registered: vscode.Disposable | undefined;
  const documents = new Lazy(async () => {
    const loaded = new (await import('./starts/startDocuments.ts')).StartDocuments(services, shell);
    registered = loaded.register();
    return loaded;
  });
  const shell = new DocumentShell(
    START_SCHEME,
    formatted`This document shows the start of a worker and is read-only.`,
    () => documents.get(),
  );
  const disposable = vscode.Disposable.from(shell.register(), new vscode.Disposable(() => void registered?.dispose()));
  return Object.assign(disposable, { documents: () => documents.get() });
}
