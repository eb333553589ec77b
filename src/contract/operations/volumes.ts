import {
  CreateNetworkVolumeBody,
  NetworkVolume,
  NetworkVolumeList,
  UpdateNetworkVolumeBody,
} from '../networkVolume.ts';
import { PageQuery } from '../pagination.ts';
import { operation } from '../operation.ts';
import { management } from './common.ts';
import { CreateGlobalVolumeBody, GlobalVolume, GlobalVolumeList } from '../globalVolume.ts';

const networkGroup = { ...management, tag: 'Network Volumes' } as const;

export const networkVolumeOperations = {
  listNetworkVolumes: operation({
    ...networkGroup,
    method: 'GET',
    path: '/v2/network-volumes',
    summary: 'List the network volumes of the account',
    query: PageQuery,
    success: { status: 200, body: NetworkVolumeList },
    errors: [403, 422],
  }),
  createNetworkVolume: operation({
    ...networkGroup,
    method: 'POST',
    path: '/v2/network-volumes',
    summary: 'Create a network volume',
    body: CreateNetworkVolumeBody,
    success: { status: 201, body: NetworkVolume },
    errors: [400, 403, 422],
  }),
  getNetworkVolume: operation({
    ...networkGroup,
    method: 'GET',
    path: '/v2/network-volumes/{id}',
    summary: 'Get a network volume',
    success: { status: 200, body: NetworkVolume },
    errors: [403, 404],
  }),
  updateNetworkVolume: operation({
    ...networkGroup,
    method: 'PATCH',
    path: '/v2/network-volumes/{id}',
    summary: 'Rename or grow a network volume',
    body: UpdateNetworkVolumeBody,
    success: { status: 200, body: NetworkVolume },
    errors: [400, 403, 404, 422],
  }),
  deleteNetworkVolume: operation({
    ...networkGroup,
    method: 'DELETE',
    path: '/v2/network-volumes/{id}',
    summary: 'Delete a network volume that no endpoint mounts, with its contents',
    success: { status: 204 },
    errors: [400, 403, 404],
  }),
} as const;

const globalGroup = { ...management, tag: 'Global Volumes' } as const;

/** The public documentation has these operations without their paths. The paths are assumptions that follow those of network volumes. */
export const globalVolumeOperations = {
  listGlobalVolumes: operation({
    ...globalGroup,
    method: 'GET',
    path: '/v2/global-volumes',
    summary: 'List the global volumes of the account',
    query: PageQuery,
    success: { status: 200, body: GlobalVolumeList },
    errors: [403, 422],
  }),
  createGlobalVolume: operation({
    ...globalGroup,
    method: 'POST',
    path: '/v2/global-volumes',
    summary: 'Create a global volume',
    body: CreateGlobalVolumeBody,
    success: { status: 201, body: GlobalVolume },
    errors: [400, 403, 422],
  }),
  getGlobalVolume: operation({
    ...globalGroup,
    method: 'GET',
    path: '/v2/global-volumes/{id}',
    summary: 'Get a global volume',
    success: { status: 200, body: GlobalVolume },
    errors: [403, 404],
  }),
  deleteGlobalVolume: operation({
    ...globalGroup,
    method: 'DELETE',
    path: '/v2/global-volumes/{id}',
    summary: 'Delete a global volume that no endpoint mounts, with its contents',
    success: { status: 204 },
    errors: [400, 403, 404],
  }),
} as const;
