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
    summary: 'Network volumes of the account',
    section: 'facts 9',
    query: PageQuery,
    success: { status: 200, body: NetworkVolumeList },
    errors: [403, 422],
  }),
  createNetworkVolume: operation({
    ...group,
    method: 'POST',
    path: '/v2/network-volumes',
    summary: 'Create a network volume',
    section: 'facts 9',
    body: CreateNetworkVolumeBody,
    success: { status: 201, body: NetworkVolume },
    errors: [400, 403, 422],
  }),
  getNetworkVolume: operation({
    ...group,
    method: 'GET',
    path: '/v2/network-volumes/{id}',
    summary: 'One network volume',
    section: 'facts 9',
    success: { status: 200, body: NetworkVolume },
    errors: [403, 404],
  }),
  updateNetworkVolume: operation({
    ...group,
    method: 'PATCH',
    path: '/v2/network-volumes/{id}',
    summary: 'Rename or grow a network volume',
    section: 'facts 9',
    body: UpdateNetworkVolumeBody,
    success: { status: 200, body: NetworkVolume },
    errors: [400, 403, 404, 422],
  }),
  deleteNetworkVolume: operation({
    ...group,
    method: 'DELETE',
    path: '/v2/network-volumes/{id}',
    summary: 'Delete a network volume that no endpoint mounts, and what is on it',
    section: 'facts 9',
    success: { status: 204 },
    errors: [400, 403, 404],
  }),
} as const;
