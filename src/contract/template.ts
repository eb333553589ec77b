import * as z from 'zod';
import { MAX_DISK_GB, MAX_LISTED } from './bounds.ts';
import { containerFields } from './container.ts';
import type { CreateEndpointBody } from './endpoint.ts';
import { Environment, ProcessText } from './environment.ts';
import { PageQuery, paginated } from './pagination.ts';
import { CudaVersion, openEnum } from './schema.ts';

/* Templates: /v2/templates and /v2/catalog/templates (facts, section 9; interface document, rule 7). */

const TEMPLATE_CATEGORIES = ['CPU', 'NVIDIA', 'AMD'] as const;

const PersistentMount = z.strictObject({
  size: z.int().min(10).max(MAX_DISK_GB).meta({ description: 'GB' }),
  path: z.string(),
});

/** Templates of others have `registry` null and can be read, but neither changed nor deleted (404). */
export const Template = z.looseObject({
  id: z.string(),
  name: z.string(),
  serverless: z.boolean().meta({ description: 'For serverless endpoints; otherwise for pods.' }),
  public: z.boolean().optional(),
  category: openEnum(TEMPLATE_CATEGORIES).optional(),
  mounts: z.looseObject({ persistent: z.looseObject({ size: z.number(), path: z.string() }).optional() }).optional(),
  startSsh: z.boolean().optional(),
  startJupyter: z.boolean().optional(),
  image: z.string().optional(),
  args: z.string().optional(),
  disk: z.number().optional(),
  env: Environment.optional(),
  ports: z.array(z.string()).optional(),
  registry: z.string().nullable().optional(),
  allowedCudaVersions: z.array(z.string()).optional(),
});
export type Template = z.infer<typeof Template>;

export const TemplateList = z.looseObject({ templates: z.array(Template), ...paginated });

const templateFields = {
  ...containerFields,
  allowedCudaVersions: z.array(CudaVersion).max(MAX_LISTED).optional(),
  category: z.enum(TEMPLATE_CATEGORIES).optional().meta({ default: 'NVIDIA' }),
  mounts: z.strictObject({ persistent: PersistentMount.optional() }).optional(),
  public: z.boolean().optional().meta({ default: false }),
  serverless: z.boolean().optional().meta({ default: false }),
  startJupyter: z.boolean().optional().meta({ default: true }),
  startSsh: z.boolean().optional().meta({ default: true }),
};

export const CreateTemplateBody = z.strictObject({
  ...templateFields,
  name: z.string().min(1),
  image: ProcessText.min(1).meta({ description: 'Container image reference.' }),
});
export type CreateTemplateBody = z.infer<typeof CreateTemplateBody>;

export const UpdateTemplateBody = z.strictObject({ ...templateFields, name: z.string().min(1).optional() });
export type UpdateTemplateBody = z.infer<typeof UpdateTemplateBody>;

export const PublicTemplatesQuery = z.strictObject({
  source: z.enum(['official', 'verified', 'community']).optional().meta({ default: 'official' }),
  ...PageQuery.shape,
});

/** What a template gives to an endpoint. */
type ContainerSettings = Pick<
  CreateEndpointBody,
  'image' | 'args' | 'cmd' | 'entrypoint' | 'disk' | 'ports' | 'env' | 'registry'
>;

/** The container settings of the template, overridden by what the body gives; `env` merged per key with the body winning. */
export function applyTemplateContainer<Body extends ContainerSettings>(body: Body, template: Template): Body {
  const { image, args, disk, ports, registry } = template;
  const namesCommand = body.args !== undefined || body.cmd !== undefined || body.entrypoint !== undefined;
  const settings = { image, disk, ports, registry, ...(namesCommand ? {} : { args }) };
  const env = template.env && { ...template.env, ...body.env };
  return { ...withoutUndefined(settings), ...body, ...(env ? { env } : {}) };
}

/**
 * Rule 7: the template's container settings, and its CUDA versions only for a GPU create that says nothing about CUDA itself. SSH and
 * Jupyter flags are ignored.
 */
export function applyTemplate(body: CreateEndpointBody, template: Template): CreateEndpointBody {
  const merged = applyTemplateContainer(body, template);
  const seedsCuda =
    template.allowedCudaVersions?.length && body.gpu && !body.gpu.allowedCudaVersions && !body.gpu.minCudaVersion;
  if (seedsCuda && merged.gpu) merged.gpu = { ...merged.gpu, allowedCudaVersions: template.allowedCudaVersions };
  return merged;
}

function withoutUndefined<T extends object>(value: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as never;
}
