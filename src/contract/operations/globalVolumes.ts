import { CreateGlobalVolumeBody, GlobalVolume, GlobalVolumeList } from '../globalVolume.ts';
import { PageQuery } from '../pagination.ts';
import { operation } from '../operation.ts';
import { management } from './common.ts';

const group = { ...management, tag: 'Global Volumes' } as const;

/** The paths are assumptions, after those of network volumes: the operations are documented, their paths are not. */
export const globalVolumeOperations = {
  listGlobalVolumes: operation({
    ...group,
    method: 'GET',
    path: '/v2/global-volumes',
    summary: 'Global volumes of the account',
    section: 'facts 2a',
    query: PageQuery,
    success: { status: 200, body: GlobalVolumeList },
    errors: [403, 422],
  }),
  createGlobalVolume: operation({
    ...group,
    method: 'POST',
    path: '/v2/global-volumes',
    summary: 'Create a global volume',
    section: 'facts 2a',
    body: CreateGlobalVolumeBody,
    success: { status: 201, body: GlobalVolume },
    errors: [400, 403, 422],
  }),
  getGlobalVolume: operation({
    ...group,
    method: 'GET',
    path: '/v2/global-volumes/{id}',
    summary: 'One global volume',
    section: 'facts 2a',
    success: { status: 200, body: GlobalVolume },
    errors: [403, 404],
  }),
  deleteGlobalVolume: operation({
    ...group,
    method: 'DELETE',
    path: '/v2/global-volumes/{id}',
    summary: 'Delete a global volume that no endpoint mounts, and what is on it',
    section: 'facts 2a',
    success: { status: 204 },
    errors: [400, 403, 404],
  }),
} as const;
