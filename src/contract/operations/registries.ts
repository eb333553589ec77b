import { ContainerRegistryAuthList, CreateRegistryBody, Registry, RegistryList } from '../registry.ts';
import { PageQuery } from '../pagination.ts';
import { operation } from '../operation.ts';
import { legacyManagement, management } from './common.ts';

const group = { ...management, tag: 'Registries' } as const;
const legacyGroup = { ...legacyManagement, tag: 'Registries' } as const;

export const registryOperations = {
  listRegistries: operation({
    ...group,
    method: 'GET',
    path: '/v2/registries',
    summary: 'List the container registry credentials of the account',
    query: PageQuery,
    success: { status: 200, body: RegistryList },
    errors: [403, 422],
  }),
  createRegistry: operation({
    ...group,
    method: 'POST',
    path: '/v2/registries',
    summary: 'Store a container registry credential',
    body: CreateRegistryBody,
    success: { status: 201, body: Registry },
    errors: [400, 403, 422],
  }),
  getRegistry: operation({
    ...group,
    method: 'GET',
    path: '/v2/registries/{id}',
    summary: 'Get a container registry credential, without its secrets',
    success: { status: 200, body: Registry },
    errors: [403, 404],
  }),
  deleteRegistry: operation({
    ...group,
    method: 'DELETE',
    path: '/v2/registries/{id}',
    summary: 'Delete a container registry credential that no pod uses',
    success: { status: 204 },
    errors: [400, 403, 404],
  }),
  listContainerRegistryAuths: operation({
    ...legacyGroup,
    method: 'GET',
    path: '/v1/containerregistryauth',
    summary: 'List the container registry credentials of the account (v1)',
    success: { status: 200, body: ContainerRegistryAuthList },
    errors: [400, 404],
  }),
  createContainerRegistryAuth: operation({
    ...legacyGroup,
    method: 'POST',
    path: '/v1/containerregistryauth',
    summary: 'Store a container registry credential (v1)',
    body: CreateRegistryBody,
    success: { status: 200, body: Registry },
    errors: [400],
  }),
  getContainerRegistryAuth: operation({
    ...legacyGroup,
    method: 'GET',
    path: '/v1/containerregistryauth/{containerRegistryAuthId}',
    summary: 'Get a container registry credential, without its secrets (v1)',
    success: { status: 200, body: Registry },
    errors: [400, 404],
  }),
  deleteContainerRegistryAuth: operation({
    ...legacyGroup,
    method: 'DELETE',
    path: '/v1/containerregistryauth/{containerRegistryAuthId}',
    summary: 'Delete a container registry credential (v1)',
    success: { status: 204 },
    errors: [400, 404],
  }),
} as const;
