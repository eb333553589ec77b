import * as l10n from '@vscode/l10n';
import type { AccountServices } from '../../account/accountServices.ts';
import type { StartDocuments } from './starts/startDocuments.ts';
import { on, type CommandTable } from '../../kit/commands.ts';
import type { ResourceStore } from './resources/resourceStore.ts';
import type { ViewOptionsStore } from './viewOptionsStore.ts';

export interface EndpointCommandOptions {
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
export function endpointCommands(given: EndpointCommandOptions): CommandTable {
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
      run: async () => (await import('./resources/resourceCommands.ts')).createCredential(services, resources),
    },
    'cloudCompute.registries.delete': {
      failure: l10n.t('Could not delete the registry credential'),
      run: async (node) =>
        (await import('./resources/resourceCommands.ts')).deleteCredential(services, resources, node),
    },
  };
}
