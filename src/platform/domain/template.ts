import { oneCommand } from '../../contract/endpointRules.ts';
import type { CreateTemplateBody, Template, UpdateTemplateBody } from '../../contract/template.ts';
import { overlay } from './overlay.ts';
import { checkReferences, type Exists } from './references.ts';
import { refuseViolations } from './refusal.ts';

/** A template as it is stored and answered: every default resolved (facts, section 9). */
export type TemplateRecord = Required<Template>;

/** GB. An assumption: answers always have a disk, and its default is not public. */
const DEFAULT_DISK_GB = 50;

/** @throws Refusal 400 with every broken rule */
export function createTemplate(body: CreateTemplateBody, id: string, exists: Exists): TemplateRecord {
  const { name, image } = body;
  return changeTemplate(templateWith({ id, name, image }), body, exists);
}

/** The template with every member that the change gives; `env` and lists are replaced whole. @throws Refusal 400 */
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
