import * as z from 'zod';
import type { CreateEndpointBody } from './endpoint.ts';

/** The part of a template that a create body takes over (interface document, rule 7). */
export const Template = z.looseObject({
  id: z.string(),
  name: z.string(),
  serverless: z.boolean(),
  image: z.string().optional(),
  args: z.string().optional(),
  disk: z.number().optional(),
  env: z.record(z.string(), z.string()).optional(),
  ports: z.array(z.string()).optional(),
  registry: z.string().nullable().optional(),
  allowedCudaVersions: z.array(z.string()).optional(),
});
export type Template = z.infer<typeof Template>;

/**
 * Rule 7: the container settings of the template, overridden by what the body gives; `env` merged per key with the body
 * winning; CUDA versions only for a GPU create that says nothing about CUDA itself. SSH and Jupyter flags are ignored.
 */
export function applyTemplate(body: CreateEndpointBody, template: Template): CreateEndpointBody {
  const { image, args, disk, ports, registry } = template;
  const namesCommand = body.args !== undefined || body.cmd !== undefined || body.entrypoint !== undefined;
  const settings = { image, disk, ports, registry, ...(namesCommand ? {} : { args }) };
  const merged: CreateEndpointBody = { ...withoutUndefined(settings), ...body };
  if (template.env) merged.env = { ...template.env, ...body.env };
  const seedsCuda =
    template.allowedCudaVersions?.length && body.gpu && !body.gpu.allowedCudaVersions && !body.gpu.minCudaVersion;
  if (seedsCuda && merged.gpu) merged.gpu = { ...merged.gpu, allowedCudaVersions: template.allowedCudaVersions };
  return merged;
}

function withoutUndefined<T extends object>(value: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as never;
}
