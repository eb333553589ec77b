import * as z from 'zod';
import { ResourceId } from '../../contract/control/resourceId.ts';
import { oneCommand } from '../../contract/endpointRules.ts';
import { checkReferences, type Exists } from '../../contract/referenceRules.ts';
import { CreateTemplateBody, type UpdateTemplateBody } from '../../contract/template.ts';
import { overlay, Gigabytes, Texts } from './recordFields.ts';
import { refuseViolations } from './refusal.ts';

const settings = CreateTemplateBody.shape;

/** A template in the store and in responses, with every default resolved. */
export const TemplateRecord = z.object({
  id: ResourceId,
  name: settings.name,
  image: settings.image,
  args: settings.args.unwrap(),
  disk: Gigabytes,
  mounts: z.object({ persistent: z.object({ size: Gigabytes, path: z.string() }).optional() }),
  ports: settings.ports.unwrap(),
  env: settings.env.unwrap(),
  registry: settings.registry.unwrap(),
  serverless: z.boolean(),
  public: z.boolean(),
  category: settings.category.unwrap(),
  startSsh: z.boolean(),
  startJupyter: z.boolean(),
  allowedCudaVersions: Texts,
});
export type TemplateRecord = Readonly<z.infer<typeof TemplateRecord>>;

/** Default disk size in GB. It is an assumption: responses always include a disk, and the default is not public. */
const DEFAULT_DISK_GB = 50;

/** @throws Refusal 400 with every broken rule */
export function createTemplate(body: CreateTemplateBody, id: string, exists: Exists): TemplateRecord {
  const { name, image } = body;
  return changeTemplate(templateWith({ id, name, image }), body, exists);
}

/** Applies a change to a template. `env` and lists are replaced as a whole. @throws Refusal 400 */
export function changeTemplate(template: TemplateRecord, change: UpdateTemplateBody, exists: Exists): TemplateRecord {
  const violations = [...oneCommand({ args: change.args }), ...checkReferences({ registry: change.registry }, exists)];
  if (violations.length > 0) throw refuseViolations(violations);
  return overlay(template, change);
}

export function templateWith(
  given: Pick<TemplateRecord, 'id' | 'name' | 'image'> & Partial<TemplateRecord>,
): TemplateRecord {
  return {
    args: '',
    disk: DEFAULT_DISK_GB,
    mounts: {},
    ports: [],
    env: {},
    registry: null,
    serverless: false,
    public: false,
    category: 'NVIDIA',
    startSsh: true,
    startJupyter: true,
    allowedCudaVersions: [],
    ...given,
  };
}
