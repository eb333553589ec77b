import type { CreateRegistryBody } from '../../contract/registry.ts';
import { violation } from '../../contract/violation.ts';
import type { Clock } from '../time/clock.ts';
import { usesRegistry, type AccountContext, refuseInUse } from './context.ts';
import { notFound, refuseViolations } from '../domain/refusal.ts';
import type { RegistryCredentials, RegistryRecord } from '../domain/registry.ts';
import { newRegistryId } from '../ids.ts';
import type { ResourceStore, Store } from '../store/store.ts';
import type { EndpointRecord } from '../domain/endpoint.ts';
import type { SecretBox } from '../secrets/secretBox.ts';

/** Container registry credentials of an account. The v1 and v2 APIs use the same records. */
export class Registries {
  readonly #store: Store;
  readonly #own: ResourceStore;
  readonly #endpoints: () => EndpointRecord[];
  readonly #clock: Clock;
  readonly #secrets: SecretBox;

  constructor({ store, own, endpoints, clock }: AccountContext, secrets: SecretBox) {
    this.#store = store;
    this.#own = own;
    this.#endpoints = endpoints;
    this.#clock = clock;
    this.#secrets = secrets;
  }

  list(): RegistryRecord[] {
    return this.#own.registries.list();
  }

  /** @throws Refusal 404 */
  get(id: string): RegistryRecord {
    const registry = this.#own.registries.get(id);
    if (!registry) throw notFound(`container registry credential '${id}'`);
    return registry;
  }

  /**
   * Returns the credentials for pulling an image. They must not be logged or appear in a response.
   *
   * @throws Refusal 404; Error if they were encrypted with another key
   */
  credentials(id: string): RegistryCredentials {
    return JSON.parse(this.#secrets.open(this.get(id).sealed, id)) as RegistryCredentials;
  }

  /** @throws Refusal 400 if the name is taken */
  create({ name, username, password }: CreateRegistryBody): RegistryRecord {
    if (this.list().some((registry) => registry.name === name)) {
      throw refuseViolations([violation(['name'], 'registryNameTaken', { name })]);
    }
    const id = newRegistryId();
    const credentials: RegistryCredentials = { username, password };
    const sealed = this.#secrets.seal(JSON.stringify(credentials), id);
    const registry: RegistryRecord = { id, name, createdAt: this.#clock.now(), sealed };
    this.#own.registries.insert(registry);
    return registry;
  }

  /** Deletes the credential, and removes it from templates. @throws Refusal 400 while an endpoint uses it; 404 */
  delete(id: string): void {
    const { name } = this.get(id);
    refuseInUse(
      `container registry credential '${name}'`,
      this.#endpoints().filter((endpoint) => usesRegistry(endpoint, id)),
    );
    const { registries, templates } = this.#own;
    this.#store.transaction(() => {
      for (const template of templates.list()) {
        if (template.registry === id) templates.update({ ...template, registry: null });
      }
      registries.delete(id);
    });
  }
}
