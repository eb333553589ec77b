import type { CreateTemplateBody, UpdateTemplateBody } from '../../contract/template.ts';
import {
  findPublicTemplate,
  PUBLIC_TEMPLATES_MAX,
  publicTemplates,
  type TemplateSource,
} from '../domain/publicTemplates.ts';
import { usesTemplate, type Exists } from '../domain/references.ts';
import { notFound } from '../domain/refusal.ts';
import { changeTemplate, createTemplate, type TemplateRecord } from '../domain/template.ts';
import { newTemplateId } from '../ids.ts';
import type { Store } from '../store/store.ts';
import { refuseInUse } from './inUse.ts';

/** Templates, own and public (interface document, rule 7; facts, section 9). */
export class Templates {
  readonly #store: Store;
  readonly #exists: Exists;

  constructor(store: Store, exists: Exists) {
    this.#store = store;
    this.#exists = exists;
  }

  list(): TemplateRecord[] {
    return this.#store.templates.list();
  }

  /** What a source offers; own templates that are public are the community's. */
  catalog(source: TemplateSource): TemplateRecord[] {
    const own = source === 'community' ? this.list().filter((template) => template.public) : [];
    return [...publicTemplates(source), ...own].slice(0, PUBLIC_TEMPLATES_MAX);
  }

  /** Own or public. */
  find(id: string): TemplateRecord | undefined {
    return this.#store.templates.get(id) ?? findPublicTemplate(id);
  }

  /** @throws Refusal 404 */
  get(id: string): TemplateRecord {
    const template = this.find(id);
    if (!template) throw notFound(`template '${id}'`);
    return template;
  }

  /** @throws Refusal 400 */
  create(body: CreateTemplateBody): TemplateRecord {
    const template = createTemplate(body, newTemplateId(), this.#exists);
    this.#store.templates.insert(template);
    return template;
  }

  /** @throws Refusal 400; 404 also for templates of others */
  update(id: string, change: UpdateTemplateBody): TemplateRecord {
    const template = changeTemplate(this.#own(id), change, this.#exists);
    this.#store.templates.update(template);
    return template;
  }

  /** @throws Refusal 400 while an endpoint that was made from it is there; 404 also for templates of others */
  delete(id: string): void {
    const { name } = this.#own(id);
    refuseInUse(
      `template '${name}'`,
      this.#store.listEndpoints().filter((endpoint) => usesTemplate(endpoint, id)),
    );
    this.#store.templates.delete(id);
  }

  #own(id: string): TemplateRecord {
    const template = this.#store.templates.get(id);
    if (!template) throw notFound(`template '${id}'`);
    return template;
  }
}
