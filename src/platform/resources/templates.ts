import type { Exists } from '../../contract/referenceRules.ts';
import type { CreateTemplateBody, UpdateTemplateBody } from '../../contract/template.ts';
import {
  findPublicTemplate,
  PUBLIC_TEMPLATES_MAX,
  publicTemplates,
  type TemplateSource,
} from '../domain/publicTemplates.ts';
import { checkProcessImage } from '../domain/processImage.ts';
import { usesTemplate } from '../domain/references.ts';
import { notFound } from '../domain/refusal.ts';
import { changeTemplate, createTemplate, type TemplateRecord } from '../domain/template.ts';
import { newTemplateId } from '../ids.ts';
import type { Collection } from '../store/resourceStore.ts';
import type { Store } from '../store/store.ts';
import type { EndpointRecord } from '../domain/endpoint.ts';
import type { AccountContext } from './context.ts';
import { refuseInUse } from './inUse.ts';

/** Templates of an account, and public templates. */
export class Templates {
  readonly #store: Store;
  readonly #own: Collection<TemplateRecord>;
  readonly #endpoints: () => EndpointRecord[];
  readonly #exists: Exists;
  readonly #mayRunProcesses: boolean;

  constructor({ store, own, endpoints, mayRunProcesses }: AccountContext, exists: Exists) {
    this.#store = store;
    this.#own = own.templates;
    this.#endpoints = endpoints;
    this.#exists = exists;
    this.#mayRunProcesses = mayRunProcesses;
  }

  list(): TemplateRecord[] {
    return this.#own.list();
  }

  /** Returns the public templates of a source. Public templates of accounts belong to the community source. */
  catalog(source: TemplateSource): TemplateRecord[] {
    const shared = source === 'community' ? this.#store.resources.listPublicTemplates() : [];
    return [...publicTemplates(source), ...shared].slice(0, PUBLIC_TEMPLATES_MAX);
  }

  /** Finds a template of the account, or a public one. */
  find(id: string): TemplateRecord | undefined {
    return (
      this.#own.get(id) ??
      findPublicTemplate(id) ??
      this.#store.resources.listPublicTemplates().find((shared) => shared.id === id)
    );
  }

  /** @throws Refusal 404 */
  get(id: string): TemplateRecord {
    const template = this.find(id);
    if (!template) throw notFound(`template '${id}'`);
    return template;
  }

  /** @throws Refusal 400; 403 for a process image that the account may not use */
  create(body: CreateTemplateBody): TemplateRecord {
    checkProcessImage(body.image, this.#mayRunProcesses);
    const template = createTemplate(body, newTemplateId(), this.#exists);
    this.#own.insert(template);
    return template;
  }

  /** @throws Refusal 400; 403 as for `create`; 404, also for another account's template */
  update(id: string, change: UpdateTemplateBody): TemplateRecord {
    checkProcessImage(change.image, this.#mayRunProcesses);
    const template = changeTemplate(this.#getOwn(id), change, this.#exists);
    this.#own.update(template);
    return template;
  }

  /** @throws Refusal 400 while an endpoint that was created from it exists; 404, also for another account's template */
  delete(id: string): void {
    const { name } = this.#getOwn(id);
    refuseInUse(
      `template '${name}'`,
      this.#endpoints().filter((endpoint) => usesTemplate(endpoint, id)),
    );
    this.#own.delete(id);
  }

  #getOwn(id: string): TemplateRecord {
    const template = this.#own.get(id);
    if (!template) throw notFound(`template '${id}'`);
    return template;
  }
}
