import {
  CpuType,
  CpuTypeList,
  CpuTypesQuery,
  DataCenter,
  DataCenterList,
  DataCenterQuery,
  DataCentersQuery,
  GpuType,
  GpuTypeList,
  GpuTypesQuery,
} from '../catalog.ts';
import { PublicTemplatesQuery, TemplateList } from '../template.ts';
import { operation } from '../operation.ts';
import { management } from './common.ts';

const group = { ...management, tag: 'Catalog' } as const;

export const catalogOperations = {
  listGpuTypes: operation({
    ...group,
    method: 'GET',
    path: '/v2/catalog/gpus',
    summary: 'List GPU types',
    query: GpuTypesQuery,
    success: { status: 200, body: GpuTypeList },
    errors: [400, 403, 422],
  }),
  getGpuType: operation({
    ...group,
    method: 'GET',
    path: '/v2/catalog/gpus/{id}',
    summary: 'Get a GPU type',
    query: GpuTypesQuery,
    success: { status: 200, body: GpuType },
    errors: [400, 403, 404, 422],
  }),
  listCpuTypes: operation({
    ...group,
    method: 'GET',
    path: '/v2/catalog/cpus',
    summary: 'List CPU flavors',
    query: CpuTypesQuery,
    success: { status: 200, body: CpuTypeList },
    errors: [400, 403, 422],
  }),
  getCpuType: operation({
    ...group,
    method: 'GET',
    path: '/v2/catalog/cpus/{id}',
    summary: 'Get a CPU flavor',
    query: CpuTypesQuery,
    success: { status: 200, body: CpuType },
    errors: [400, 403, 404, 422],
  }),
  listDataCenters: operation({
    ...group,
    method: 'GET',
    path: '/v2/catalog/datacenters',
    summary: 'List data centers',
    query: DataCentersQuery,
    success: { status: 200, body: DataCenterList },
    errors: [400, 403, 422],
  }),
  getDataCenter: operation({
    ...group,
    method: 'GET',
    path: '/v2/catalog/datacenters/{id}',
    summary: 'Get a data center',
    query: DataCenterQuery,
    success: { status: 200, body: DataCenter },
    errors: [400, 403, 404, 422],
  }),
  listPublicTemplates: operation({
    ...group,
    method: 'GET',
    path: '/v2/catalog/templates',
    summary: 'List public templates for pods and serverless endpoints',
    query: PublicTemplatesQuery,
    success: { status: 200, body: TemplateList },
    errors: [403, 422],
  }),
} as const;
