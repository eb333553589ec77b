import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type {
  CloudComputeApi,
  CloudComputeExports,
  ConnectionInfo,
  LocalPlatformAddresses,
} from '../../api/cloudCompute.d.ts';
import type { PlatformAnnouncement } from '../../contract/launch/localPlatform.ts';
import type { Profile } from '../connections/connectionStore.ts';
import type { JobRecords } from '../jobs/index.ts';
import { useLocalPlatform } from '../localPlatform/useLocalPlatform.ts';
import { untitled } from '../manifest/newFile/untitled.ts';
import type { Services } from '../services.ts';
import { ApiFailure, calling } from './apiFailure.ts';
import { endpointsApi } from './endpointsApi.ts';
import { jobsApi } from './jobsApi.ts';

/** The only version of the API. */
const VERSION = 1;

/** Returns the API for other extensions. It never contains a key. */
export function extensionApi(base: Services, jobs: JobRecords): CloudComputeExports {
  const services = { ...base, ...jobs };
  const [endpoints, subscription] = endpointsApi(services);
  const changed = new vscode.EventEmitter<void>();
  base.context.subscriptions.push(
    subscription,
    changed,
    base.localPlatform.onDidChange(() => changed.fire()),
  );
  const api: CloudComputeApi = {
    version: VERSION,
    connections: connectionsApi(base),
    endpoints,
    jobs: jobsApi(services),
    localPlatform: localPlatformApi(base, changed.event),
    manifests: { open: (text) => calling(l10n.t('Could not open the manifest'), () => openManifest(text)) },
  };
  return {
    getApi: (version: number) => {
      if (version === VERSION) return api;
      const message = `This version of Cloud Compute has version ${VERSION} of its API, and not ${version}.`;
      throw new ApiFailure('unsupportedVersion', message);
    },
  };
}

function connectionsApi({ connections }: Services): CloudComputeApi['connections'] {
  const infoOf = ({ id, name, kind, baseUrl, apiKey }: Profile): ConnectionInfo => ({
    ...{ id, name, kind, isAvailable: apiKey !== '' },
    baseUrl: baseUrl === '' ? undefined : baseUrl,
  });
  return {
    onDidChange: connections.onDidChange,
    list: async () => {
      await connections.load();
      const local = connections.find('local');
      return [...(local ? [local] : []), ...connections.hosted].map(infoOf);
    },
    get active() {
      const { profile } = connections;
      return profile && infoOf(profile);
    },
  };
}

function localPlatformApi(services: Services, onDidChange: vscode.Event<void>): CloudComputeApi['localPlatform'] {
  const { localPlatform, connections } = services;
  return {
    onDidChange,
    get state() {
      return localPlatform.state.kind;
    },
    get addresses() {
      const { state } = localPlatform;
      return state.kind === 'running' ? addressesOf(state.announcement) : undefined;
    },
    start: () =>
      calling(l10n.t('Could not start the local platform'), async () => {
        await connections.load();
        const announcement = await localPlatform.start();
        const { profile } = connections;
        if (!profile || profile.kind === 'local') await useLocalPlatform(services, announcement);
        return addressesOf(announcement);
      }),
  };
}

function addressesOf({ baseUrl, queueUrl, endpointHost }: PlatformAnnouncement): LocalPlatformAddresses {
  return { baseUrl, queueUrl, endpointHost };
}

/** Opens an unsaved manifest under a name that no open document has. */
async function openManifest(text: string): Promise<void> {
  const open = new Set(vscode.workspace.textDocuments.map(({ uri }) => uri.toString()));
  const uriOf = (number: number) => vscode.Uri.from({ scheme: 'untitled', path: `new-${number}.endpoint.yaml` });
  let number = 1;
  while (open.has(uriOf(number).toString())) number++;
  await vscode.window.showTextDocument(await untitled(uriOf(number), text), { preview: false });
}
