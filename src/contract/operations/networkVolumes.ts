import {
  CreateNetworkVolumeBody,
  NetworkVolume,
  NetworkVolumeList,
  UpdateNetworkVolumeBody,
} from '../networkVolume.ts';
import { PageQuery } from '../pagination.ts';
import { operation } from '../operation.ts';
import { management } from './common.ts';

const group = { ...management, tag: 'Network Volumes' } as const;

export const networkVolumeOperations = {
  listNetworkVolumes: operation({
    ...group,
    method: 'GET',
    path: '/v2/network-volumes',
    summary: 'List the network volumes of the account',
    query: PageQuery,
    success: { status: 200, body: NetworkVolumeList },
    errors: [403, 422],
  }),
  createNetworkVolume: operation({
    ...group,
    method: 'POST',
    path: '/v2/network-volumes',
    summary: 'Create a network volume',
    body: CreateNetworkVolumeBody,
    success: { status: 201, body: NetworkVolume },
    errors: [400, 403, 422],
  }),
  getNetworkVolume: operation({
    ...group,
    method: 'GET',
    path: '/v2/network-volumes/{id}',
    summary: 'Get a network volume',
    success: { status: 200, body: NetworkVolume },
    errors: [403, 404],
  }),
  updateNetworkVolume: operation({
    ...group,
    method: 'PATCH',
    path: '/v2/network-volumes/{id}',
    summary: 'Rename or grow a network volume',
    body: UpdateNetworkVolumeBody,
    success: { status: 200, body: NetworkVolume },
    errors: [400, 403, 404, 422],
  }),
  deleteNetworkVolume: operation({
    ...group,
    method: 'DELETE',
    path: '/v2/network-volumes/{id}',
    summary: 'Delete a network volume that no endpoint mounts, with its contents',
    success: { status: 204 },
    errors: [400, 403, 404],
  }),
} as const;
