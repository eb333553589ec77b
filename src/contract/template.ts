import * as z from 'zod';
import { MAX_DISK_GB, MAX_LISTED } from './bounds.ts';
import { containerFields } from './container.ts';
import type { CreateEndpointBody } from './endpoint.ts';
import { Environment, ProcessText } from './environment.ts';
import { PageQuery, paginated } from './pagination.ts';
import { CudaVersion, openEnum } from './schema.ts';

/* Templates: /v2/templates and /v2/catalog/templates. */

const TEMPLATE_CATEGORIES = ['CPU', 'NVIDIA', 'AMD'] as const;

const PersistentMount = z.strictObject({
  size: z.int().min(10).max(MAX_DISK_GB).meta({ description: 'Size in GB.' }),
  path: z.string().meta({ description: 'Absolute path at which pods mount the volume.' }),
});

/** A template of another account is read-only: changing or deleting it fails with a 404. Its `registry` is null. */
export const Template = z.looseObject({
  id: z.string().meta({ description: 'ID of the template.' }),
  name: z.string().meta({ description: 'Display name.' }),
  serverless: z.boolean().meta({ description: 'true: for serverless endpoints. false: for pods.' }),
  public: z.boolean().optional().meta({ description: 'true: any account can use the template.' }),
  category: openEnum(TEMPLATE_CATEGORIES).optional().meta({ description: 'Kind of hardware.' }),
  mounts: z
    .looseObject({
      persistent: z
        .looseObject({
          size: z.number().meta({ description: 'Size in GB.' }),
          path: z.string().meta({ description: 'Absolute path at which pods mount the volume.' }),
        })
        .optional()
        .meta({ description: 'Persistent volume.' }),
    })
    .optional()
    .meta({ description: 'Volumes of pods.' }),
  startSsh: z.boolean().optional().meta({ description: 'true: pods start an SSH server.' }),
  startJupyter: z.boolean().optional().meta({ description: 'true: pods start Jupyter.' }),
  image: z.string().optional().meta({ description: 'Reference of the container image.' }),
  args: z.string().optional().meta({ description: 'Command of the container as one string.' }),
  disk: z.number().optional().meta({ description: 'Size of the container disk in GB.' }),
  env: Environment.optional().meta({ description: 'Environment variables of the workers.' }),
  ports: z.array(z.string()).optional().meta({ description: 'Exposed ports, each as port/protocol.' }),
  registry: z
    .string()
    .nullable()
    .optional()
    .meta({ description: 'ID of the container registry credential. null or omitted: no credential.' }),
  allowedCudaVersions: z
    .array(z.string())
    .optional()
    .meta({ description: 'CUDA versions of the hosts on which workers can run. Omitted: any version.' }),
});
export type Template = z.infer<typeof Template>;

export const TemplateList = z.looseObject({
  templates: z.array(Template).meta({ description: 'Templates of the list.' }),
  ...paginated,
});

const templateFields = {
  ...containerFields,
  allowedCudaVersions: z
    .array(CudaVersion)
    .max(MAX_LISTED)
    .optional()
    .meta({
      description: 'CUDA versions of the hosts on which workers can run. Default: any version.',
      examples: [['12.4', '12.6']],
    }),
  category: z
    .enum(TEMPLATE_CATEGORIES)
    .optional()
    .meta({ description: 'Kind of hardware. Default: NVIDIA.', default: 'NVIDIA' }),
  mounts: z
    .strictObject({ persistent: PersistentMount.optional().meta({ description: 'Persistent volume. Default: none.' }) })
    .optional()
    .meta({ description: 'Volumes of pods. Default: none.' }),
  public: z.boolean().optional().meta({ description: 'true: any account can use it. Default: false.', default: false }),
  serverless: z
    .boolean()
    .optional()
    .meta({ description: 'true: for serverless endpoints. false: for pods. Default: false.', default: false }),
  startJupyter: z.boolean().optional().meta({ description: 'true: pods start Jupyter. Default: true.', default: true }),
  startSsh: z
    .boolean()
    .optional()
    .meta({ description: 'true: pods start an SSH server. Default: true.', default: true }),
};

export const CreateTemplateBody = z.strictObject({
  ...templateFields,
  name: z.string().min(1).meta({ description: 'Display name.' }),
  image: ProcessText.min(1).meta({
    description: 'Reference of the container image.',
    examples: ['registry.example.com/hello:1.0'],
  }),
});
export type CreateTemplateBody = z.infer<typeof CreateTemplateBody>;

export const UpdateTemplateBody = z.strictObject({
  ...templateFields,
  name: z.string().min(1).optional().meta({ description: 'Display name. Default: no change.' }),
});
export type UpdateTemplateBody = z.infer<typeof UpdateTemplateBody>;

export const PublicTemplatesQuery = z.strictObject({
  source: z
    .enum(['official', 'verified', 'community'])
    .optional()
    .meta({ description: 'Publisher of the templates. Default: official.', default: 'official' }),
  ...PageQuery.shape,
});

/** Settings that an endpoint takes from a template. */
type ContainerSettings = Pick<
  CreateEndpointBody,
  'image' | 'args' | 'cmd' | 'entrypoint' | 'disk' | 'ports' | 'env' | 'registry'
>;

/** Returns the body with the template's container settings. Fields of the body take precedence, and so does each variable in its `env`. */
export function applyTemplateContainer<Body extends ContainerSettings>(body: Body, template: Template): Body {
  const { image, args, disk, ports, registry } = template;
  const namesCommand = body.args !== undefined || body.cmd !== undefined || body.entrypoint !== undefined;
  const settings = { image, disk, ports, registry, ...(namesCommand ? {} : { args }) };
  const env = template.env && { ...template.env, ...body.env };
  return { ...withoutUndefined(settings), ...body, ...(env ? { env } : {}) };
}

/**
 * Returns a create body with the settings of a template. The template's CUDA versions apply only to a GPU endpoint whose body has no
 * CUDA constraint. SSH and Jupyter flags are ignored.
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
