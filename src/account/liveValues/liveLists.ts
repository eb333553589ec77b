import * as l10n from '@vscode/l10n';
import type { Client } from '../../client/client.ts';
import { listAll } from '../../client/listAll.ts';
import type { CallOptions } from '../../client/request.ts';
import { listCredentials } from '../credentials.ts';
import type { LiveValues } from './liveValues.ts';

export type ListName = keyof LiveValues;

type Lists = { readonly [Name in ListName]-?: NonNullable<LiveValues[Name]> };

interface Reading<Name extends ListName> {
  /** Name of the list in log lines. */
  readonly title: string;
  /** @throws ApiError */
  readonly read: (client: Client, options: CallOptions) => Promise<Lists[Name]>;
}

/** Availability depends on the product. */
const forServerless = { query: { include: 'AVAILABILITY', product: 'SERVERLESS' } };

/** The requests that read each list. */
export const liveLists: { readonly [Name in ListName]-?: Reading<Name> } = {
  gpus: {
    title: l10n.t('GPU types'),
    read: async (client, options) => (await client.listGpuTypes(forServerless, options)).gpus,
  },
  cpus: {
    title: l10n.t('CPU flavors'),
    read: async (client, options) => (await client.listCpuTypes(forServerless, options)).cpus,
  },
  dataCenters: {
    title: l10n.t('data centers'),
    read: async (client, options) => (await client.listDataCenters({}, options)).dataCenters,
  },
  registries: { title: l10n.t('registry credentials'), read: listCredentials },
  templates: {
    title: l10n.t('templates'),
    read: async (client, options) =>
      (await listAll(client, 'listTemplates', {}, 'templates', options)).filter(({ serverless }) => serverless),
  },
  networkVolumes: {
    title: l10n.t('network volumes'),
    read: (client, options) => listAll(client, 'listNetworkVolumes', {}, 'networkVolumes', options),
  },
  globalVolumes: {
    title: l10n.t('global volumes'),
    read: (client, options) => listAll(client, 'listGlobalVolumes', {}, 'globalVolumes', options),
  },
};

export const LIST_NAMES = Object.keys(liveLists) as readonly ListName[];

/** The lists that contain prices. */
export const PRICE_LISTS: readonly ListName[] = ['gpus', 'cpus'];
