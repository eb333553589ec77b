import { operations } from '../../contract/operations.ts';
import { pageOf } from '../domain/page.ts';
import { Refusal } from '../domain/refusal.ts';
import { registryAnswer } from '../domain/registry.ts';
import { isRegistryId } from '../ids.ts';
import type { Services } from './services.ts';
import type { App } from './app.ts';
import { route } from './route.ts';

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
