import { operations } from '../../contract/operations.ts';
import { pageOf } from '../domain/page.ts';
import type { Services, App } from './services.ts';
import { route } from './route.ts';
import { Refusal } from '../domain/refusal.ts';
import { registryAnswer } from '../domain/registry.ts';
import { isRegistryId, newGlobalVolumeId, newNetworkVolumeId } from '../ids.ts';
import {
  globalVolumeAnswer,
  changeNetworkVolume,
  createNetworkVolume,
  networkVolumeAnswer,
} from '../domain/networkVolume.ts';
import {
  getCpuType,
  getDataCenter,
  getGpuType,
  listCpuTypes,
  listDataCenters,
  listGpuTypes,
} from '../domain/catalogAnswers.ts';

/** Routes for private and public templates. */
export function templateRoutes(app: App, { resources }: Services): void {
  route(app, operations.listTemplates, ({ accountId, query }) => {
    const { page, pagination } = pageOf('templates', resources.of(accountId).templates.list(), query);
    return { templates: page, pagination };
  });
  route(app, operations.createTemplate, ({ accountId, body }) => resources.of(accountId).templates.create(body));
  route(app, operations.getTemplate, ({ accountId, parameters }) =>
    resources.of(accountId).templates.get(parameters.id),
  );
  route(app, operations.updateTemplate, ({ accountId, parameters, body }) =>
    resources.of(accountId).templates.update(parameters.id, body),
  );
  route(app, operations.deleteTemplate, ({ accountId, parameters }) => {
    resources.of(accountId).templates.delete(parameters.id);
    return undefined;
  });
  route(app, operations.listPublicTemplates, ({ accountId, query }) => ({
    templates: resources.of(accountId).templates.catalog(query.source ?? 'official'),
  }));
}

/** Routes for container registry credentials. The v1 and v2 APIs use the same records. */
export function registryRoutes(app: App, { resources }: Services): void {
  route(app, operations.listRegistries, ({ accountId, query }) => {
    const { page, pagination } = pageOf('registries', resources.of(accountId).registries.list(), query);
    return { registries: page.map(registryAnswer), pagination };
  });
  route(app, operations.createRegistry, ({ accountId, body }) =>
    registryAnswer(resources.of(accountId).registries.create(body)),
  );
  route(app, operations.getRegistry, ({ accountId, parameters }) =>
    registryAnswer(resources.of(accountId).registries.get(parameters.id)),
  );
  route(app, operations.deleteRegistry, ({ accountId, parameters }) => {
    resources.of(accountId).registries.delete(parameters.id);
    return undefined;
  });

  route(app, operations.listContainerRegistryAuths, ({ accountId }) =>
    resources.of(accountId).registries.list().map(registryAnswer),
  );
  route(app, operations.createContainerRegistryAuth, ({ accountId, body }) =>
    registryAnswer(resources.of(accountId).registries.create(body)),
  );
  route(app, operations.getContainerRegistryAuth, ({ accountId, parameters }) =>
    registryAnswer(resources.of(accountId).registries.get(validId(parameters.containerRegistryAuthId))),
  );
  route(app, operations.deleteContainerRegistryAuth, ({ accountId, parameters }) => {
    resources.of(accountId).registries.delete(validId(parameters.containerRegistryAuthId));
    return undefined;
  });
}

/** The v1 API distinguishes malformed IDs from unknown ones. @throws Refusal 400 */
function validId(id: string): string {
  if (!isRegistryId(id)) throw new Refusal(400, `'${id}' is not the id of a container registry credential`);
  return id;
}

/** Routes for network volumes. */
export function networkVolumeRoutes(app: App, { resources, clock }: Services): void {
  route(app, operations.listNetworkVolumes, ({ accountId, query }) => {
    const { page, pagination } = pageOf('networkVolumes', resources.of(accountId).networkVolumes.list(), query);
    return { networkVolumes: page.map(networkVolumeAnswer), pagination };
  });
  route(app, operations.createNetworkVolume, ({ accountId, body }) =>
    networkVolumeAnswer(
      resources
        .of(accountId)
        .networkVolumes.add(createNetworkVolume(body, { id: newNetworkVolumeId(), now: clock.now() })),
    ),
  );
  route(app, operations.getNetworkVolume, ({ accountId, parameters }) =>
    networkVolumeAnswer(resources.of(accountId).networkVolumes.get(parameters.id)),
  );
  route(app, operations.updateNetworkVolume, ({ accountId, parameters, body }) =>
    networkVolumeAnswer(
      resources.of(accountId).networkVolumes.update(parameters.id, (volume) => changeNetworkVolume(volume, body)),
    ),
  );
  route(app, operations.deleteNetworkVolume, async ({ accountId, parameters }) => {
    await resources.of(accountId).networkVolumes.delete(parameters.id);
    return undefined;
  });
}

/** Routes for global volumes. */
export function globalVolumeRoutes(app: App, { resources, clock }: Services): void {
  route(app, operations.listGlobalVolumes, ({ accountId, query }) => {
    const { page, pagination } = pageOf('globalVolumes', resources.of(accountId).globalVolumes.list(), query);
    return { globalVolumes: page.map(globalVolumeAnswer), pagination };
  });
  route(app, operations.createGlobalVolume, ({ accountId, body: { name } }) =>
    globalVolumeAnswer(
      resources.of(accountId).globalVolumes.add({ id: newGlobalVolumeId(), name, createdAt: clock.now() }),
    ),
  );
  route(app, operations.getGlobalVolume, ({ accountId, parameters }) =>
    globalVolumeAnswer(resources.of(accountId).globalVolumes.get(parameters.id)),
  );
  route(app, operations.deleteGlobalVolume, async ({ accountId, parameters }) => {
    await resources.of(accountId).globalVolumes.delete(parameters.id);
    return undefined;
  });
}

/** Routes for the catalog of hardware and data centers. See `templateRoutes` for public templates. */
export function catalogRoutes(app: App): void {
  route(app, operations.listGpuTypes, ({ query }) => ({ gpus: listGpuTypes(query) }));
  route(app, operations.getGpuType, ({ parameters, query }) => getGpuType(parameters.id, query));
  route(app, operations.listCpuTypes, ({ query }) => ({ cpus: listCpuTypes(query) }));
  route(app, operations.getCpuType, ({ parameters, query }) => getCpuType(parameters.id, query));
  route(app, operations.listDataCenters, ({ query }) => ({ dataCenters: listDataCenters(query) }));
  route(app, operations.getDataCenter, ({ parameters, query }) => getDataCenter(parameters.id, query));
}
