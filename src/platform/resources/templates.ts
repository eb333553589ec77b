import type { Exists } from '../../contract/referenceRules.ts';
import type { CreateTemplateBody, UpdateTemplateBody } from '../../contract/template.ts';
import { checkProcessImage } from '../domain/processImage.ts';
import { usesTemplate, type AccountContext, refuseInUse } from './context.ts';
import { notFound } from '../domain/refusal.ts';
import { changeTemplate, createTemplate, type TemplateRecord, templateWith } from '../domain/template.ts';
import { newTemplateId } from '../ids.ts';
import type { Collection, Store } from '../store/store.ts';
import type { EndpointRecord } from '../domain/endpoint.ts';

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

/*
 * The public catalog of templates. Every image is publicly available from its vendor, and each template sets the ports, health path,
 * and command that the image needs. All images are containers and cannot run as processes of this machine.
 */

type TemplateSource = 'official' | 'verified' | 'community';

/** Maximum number of templates in the response of a source. */
const PUBLIC_TEMPLATES_MAX = 100;

const template = (given: Pick<TemplateRecord, 'id' | 'name' | 'image'> & Partial<TemplateRecord>): TemplateRecord =>
  templateWith({ public: true, startSsh: false, startJupyter: false, ...given });

const PUBLIC_TEMPLATES: Readonly<Record<TemplateSource, readonly TemplateRecord[]>> = {
  official: [
    template({
      ...{ id: 'webnginx01', name: 'Web server (nginx), load-balanced', image: 'nginx:1.29-alpine' },
      ...{ serverless: true, category: 'CPU', disk: 5, ports: ['80/http'] },
      env: { PORT: '80', PORT_HEALTH: '80', HEALTH_CHECK_PATH: '/' },
    }),
    template({
      ...{ id: 'pytorch281', name: 'PyTorch 2.8, CUDA 12.8', image: 'pytorch/pytorch:2.8.0-cuda12.8-cudnn9-runtime' },
      ...{ args: 'sleep infinity', allowedCudaVersions: ['12.8', '12.9', '13.0'] },
      mounts: { persistent: { size: 20, path: '/workspace' } },
    }),
    template({
      ...{ id: 'ubuntu2404', name: 'Ubuntu 24.04', image: 'ubuntu:24.04' },
      ...{ category: 'CPU', args: 'sleep infinity', disk: 10 },
    }),
  ],
  verified: [
    template({
      ...{ id: 'vllmopenai', name: 'vLLM, OpenAI-compatible server', image: 'vllm/vllm-openai:v0.11.0' },
      ...{ serverless: true, args: '--model Qwen/Qwen2.5-0.5B-Instruct', ports: ['8000/http'] },
      ...{ env: { PORT: '8000', PORT_HEALTH: '8000', HEALTH_CHECK_PATH: '/health' } },
      allowedCudaVersions: ['12.8', '12.9', '13.0'],
    }),
    template({
      ...{ id: 'teicpu0018', name: 'Text Embeddings Inference on CPUs' },
      ...{ image: 'ghcr.io/huggingface/text-embeddings-inference:cpu-1.8', serverless: true, category: 'CPU' },
      ...{ args: '--model-id sentence-transformers/all-MiniLM-L6-v2', disk: 10, ports: ['80/http'] },
      env: { PORT: '80', PORT_HEALTH: '80', HEALTH_CHECK_PATH: '/health' },
    }),
  ],
  community: [
    template({
      ...{ id: 'whoami0111', name: 'whoami: answers with the request it received', image: 'traefik/whoami:v1.11' },
      ...{ serverless: true, category: 'CPU', disk: 1, ports: ['80/http'] },
    }),
  ],
};

/** Returns the templates of a source. */
function publicTemplates(source: TemplateSource): readonly TemplateRecord[] {
  return PUBLIC_TEMPLATES[source];
}

function findPublicTemplate(id: string): TemplateRecord | undefined {
  return Object.values(PUBLIC_TEMPLATES)
    .flat()
    .find((template) => template.id === id);
}
