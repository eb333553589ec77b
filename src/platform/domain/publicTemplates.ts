import { templateWith, type TemplateRecord } from './template.ts';

/*
 * The public catalog of templates. Every image is publicly available from its vendor, and each template sets the ports, health path,
 * and command that the image needs. All images are containers and cannot run as processes of this machine.
 */

export type TemplateSource = 'official' | 'verified' | 'community';

/** Maximum number of templates in the response of a source. */
export const PUBLIC_TEMPLATES_MAX = 100;

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
export function publicTemplates(source: TemplateSource): readonly TemplateRecord[] {
  return PUBLIC_TEMPLATES[source];
}

export function findPublicTemplate(id: string): TemplateRecord | undefined {
  return Object.values(PUBLIC_TEMPLATES)
    .flat()
    .find((template) => template.id === id);
}
