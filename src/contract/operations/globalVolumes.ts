import { CreateGlobalVolumeBody, GlobalVolume, GlobalVolumeList } from '../globalVolume.ts';
import { PageQuery } from '../pagination.ts';
import { operation } from '../operation.ts';
import { management } from './common.ts';

const group = { ...management, tag: 'Global Volumes' } as const;

/** The public documentation has these operations without their paths. The paths are assumptions that follow those of network volumes. */
export const globalVolumeOperations = {
  listGlobalVolumes: operation({
    ...group,
    method: 'GET',
    path: '/v2/global-volumes',
    summary: 'List the global volumes of the account',
    query: PageQuery,
    success: { status: 200, body: GlobalVolumeList },
    errors: [403, 422],
  }),
  createGlobalVolume: operation({
    ...group,
    method: 'POST',
    path: '/v2/global-volumes',
    summary: 'Create a global volume',
    body: CreateGlobalVolumeBody,
    success: { status: 201, body: GlobalVolume },
    errors: [400, 403, 422],
  }),
  getGlobalVolume: operation({
    ...group,
    method: 'GET',
    path: '/v2/global-volumes/{id}',
    summary: 'Get a global volume',
    success: { status: 200, body: GlobalVolume },
    errors: [403, 404],
  }),
  deleteGlobalVolume: operation({
    ...group,
    method: 'DELETE',
    path: '/v2/global-volumes/{id}',
    summary: 'Delete a global volume that no endpoint mounts, with its contents',
    success: { status: 204 },
    errors: [400, 403, 404],
  }),
} as const;
