import { operations } from '../../contract/operations.ts';
import {
  getCpuType,
  getDataCenter,
  getGpuType,
  listCpuTypes,
  listDataCenters,
  listGpuTypes,
} from '../domain/catalogAnswers.ts';
import type { App } from './app.ts';
import { route } from './route.ts';

/** Routes for the catalog of hardware and data centers. See `templateRoutes` for public templates. */
export function catalogRoutes(app: App): void {
  route(app, operations.listGpuTypes, ({ query }) => ({ gpus: listGpuTypes(query) }));
  route(app, operations.getGpuType, ({ parameters, query }) => getGpuType(parameters.id, query));
  route(app, operations.listCpuTypes, ({ query }) => ({ cpus: listCpuTypes(query) }));
  route(app, operations.getCpuType, ({ parameters, query }) => getCpuType(parameters.id, query));
  route(app, operations.listDataCenters, ({ query }) => ({ dataCenters: listDataCenters(query) }));
  route(app, operations.getDataCenter, ({ parameters, query }) => getDataCenter(parameters.id, query));
}
