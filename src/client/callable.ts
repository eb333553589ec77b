import type { OperationId, Operations } from '../contract/operations.ts';

/** Operations with a JSON response. Event streams have separate functions. */
export type CallableId = {
  [Id in OperationId]: Operations[Id]['success'] extends { events: true } ? never : Id;
}[OperationId];

const callable: Readonly<Record<CallableId, true>> = {
  listBilling: true,
  listPodBilling: true,
  listServerlessBilling: true,
  listEndpointBilling: true,
  listNetworkVolumeBilling: true,
  listClusterBilling: true,
  listEndpoints: true,
  createEndpoint: true,
  getEndpoint: true,
  updateEndpoint: true,
  deleteEndpoint: true,
  listEndpointWorkers: true,
  listEndpointReleases: true,
  listTemplates: true,
  createTemplate: true,
  getTemplate: true,
  updateTemplate: true,
  deleteTemplate: true,
  listNetworkVolumes: true,
  createNetworkVolume: true,
  getNetworkVolume: true,
  updateNetworkVolume: true,
  deleteNetworkVolume: true,
  listGlobalVolumes: true,
  createGlobalVolume: true,
  getGlobalVolume: true,
  deleteGlobalVolume: true,
  listGpuTypes: true,
  getGpuType: true,
  listCpuTypes: true,
  getCpuType: true,
  listDataCenters: true,
  getDataCenter: true,
  listPublicTemplates: true,
  listRegistries: true,
  createRegistry: true,
  getRegistry: true,
  deleteRegistry: true,
  listContainerRegistryAuths: true,
  createContainerRegistryAuth: true,
  getContainerRegistryAuth: true,
  deleteContainerRegistryAuth: true,
  runJob: true,
  runJobSync: true,
  getJobStatus: true,
  getJobStatusSync: true,
  streamJob: true,
  cancelJob: true,
  retryJob: true,
  purgeQueue: true,
  getEndpointHealth: true,
  editImage: true,
};

/** IDs of these operations, without the operations and their schemas. */
export const CALLABLE_IDS = Object.keys(callable) as CallableId[];
