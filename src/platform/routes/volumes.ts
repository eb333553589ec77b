import { operations } from '../../contract/operations.ts';
import { globalVolumeAnswer } from '../domain/globalVolume.ts';
import { changeNetworkVolume, createNetworkVolume, networkVolumeAnswer } from '../domain/networkVolume.ts';
import { pageOf } from '../domain/page.ts';
import { newGlobalVolumeId, newNetworkVolumeId } from '../ids.ts';
import type { Services } from '../services.ts';
import type { App } from './app.ts';
import { route } from './route.ts';

/** Network volumes (facts, section 9). */
export function networkVolumeRoutes(app: App, { resources: { networkVolumes }, clock }: Services): void {
  route(app, operations.listNetworkVolumes, ({ query }) => {
    const { page, pagination } = pageOf('networkVolumes', networkVolumes.list(), query);
    return { networkVolumes: page.map(networkVolumeAnswer), pagination };
  });
  route(app, operations.createNetworkVolume, ({ body }) =>
    networkVolumeAnswer(networkVolumes.add(createNetworkVolume(body, { id: newNetworkVolumeId(), now: clock.now() }))),
  );
  route(app, operations.getNetworkVolume, ({ parameters }) => networkVolumeAnswer(networkVolumes.get(parameters.id)));
  route(app, operations.updateNetworkVolume, ({ parameters, body }) =>
    networkVolumeAnswer(networkVolumes.update(parameters.id, (volume) => changeNetworkVolume(volume, body))),
  );
  route(app, operations.deleteNetworkVolume, async ({ parameters }) => {
    await networkVolumes.delete(parameters.id);
    return undefined;
  });
}

/** Global volumes (facts, section 2a). */
export function globalVolumeRoutes(app: App, { resources: { globalVolumes }, clock }: Services): void {
  route(app, operations.listGlobalVolumes, ({ query }) => {
    const { page, pagination } = pageOf('globalVolumes', globalVolumes.list(), query);
    return { globalVolumes: page.map(globalVolumeAnswer), pagination };
  });
  route(app, operations.createGlobalVolume, ({ body: { name } }) =>
    globalVolumeAnswer(globalVolumes.add({ id: newGlobalVolumeId(), name, createdAt: clock.now() })),
  );
  route(app, operations.getGlobalVolume, ({ parameters }) => globalVolumeAnswer(globalVolumes.get(parameters.id)));
  route(app, operations.deleteGlobalVolume, async ({ parameters }) => {
    await globalVolumes.delete(parameters.id);
    return undefined;
  });
}
