import { operations } from '../../contract/operations.ts';
import { globalVolumeAnswer } from '../domain/globalVolume.ts';
import { changeNetworkVolume, createNetworkVolume, networkVolumeAnswer } from '../domain/networkVolume.ts';
import { pageOf } from '../domain/page.ts';
import { newGlobalVolumeId, newNetworkVolumeId } from '../ids.ts';
import type { Services } from './services.ts';
import type { App } from './app.ts';
import { route } from './route.ts';

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
