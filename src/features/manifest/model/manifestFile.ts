import * as l10n from '@vscode/l10n';
import { checkHardware, type HardwareCatalog } from '../../../contract/hardwareRules.ts';
import { checkManifest, PROCESS_IMAGE_PREFIX, type Manifest } from '../../../contract/manifest.ts';
import { checkReferences, checkTemplate } from '../../../contract/referenceRules.ts';
import { fieldError, type FieldError } from '../../../contract/violation.ts';
import { envProblems, type KnownNames } from './environment/envProblems.ts';
import { hasReference } from '../../../account/secrets/envReferences.ts';
import { lineAt } from './text/locate.ts';
import { parseManifestFile } from './text/parse.ts';
import type { ManifestLanguage, ParsedFile, ParsedPart } from './text/parsed.ts';
import { problemOfViolation, problemsOf, type Located, type ManifestProblem } from './problem.ts';
import type { MissingReferences, Reference } from './references.ts';

export { parseManifestFile };

/** The platform that a manifest is checked for. */
export interface CheckOptions {
  /** Kind of platform on which the endpoint would be created. */
  readonly target: 'local' | 'hosted';
  /** The platform's hardware, if it is known. Without it, any pool, flavor, and data center is valid. */
  readonly catalog?: HardwareCatalog | undefined;
  /** References that the platform does not have. Any other ID is valid. */
  readonly references?: MissingReferences | undefined;
  /** The names that references in `env` can have, if they are known. Without them, any name is valid. */
  readonly names?: KnownNames | undefined;
}

/** One endpoint of a file, with its problems. */
export interface ManifestPart extends ParsedPart {
  /** The manifest, or undefined if it has errors. */
  readonly manifest: Manifest | undefined;
  /** All problems of this part, those of the text included. */
  readonly problems: readonly ManifestProblem[];
}

export interface ManifestFile {
  readonly text: string;
  readonly language: ManifestLanguage;
  readonly parts: readonly ManifestPart[];
  readonly problems: readonly ManifestProblem[];
}

export interface ReadOptions extends CheckOptions {
  readonly language: ManifestLanguage;
}

/** Parses and checks the text of a manifest file. */
export function readManifestFile(text: string, { language, ...options }: ReadOptions): ManifestFile {
  return checkManifestFile(parseManifestFile(text, language), options);
}

/** Checks a parsed file. A change of the connection does not require another parse. */
export function checkManifestFile({ text, language, parts }: ParsedFile, options: CheckOptions): ManifestFile {
  const checked = parts.map((part) => checkPart(text, part, options));
  return { text, language, parts: checked, problems: checked.flatMap(({ problems }) => problems) };
}

function checkPart(text: string, part: ParsedPart, { target, catalog, references, names }: CheckOptions): ManifestPart {
  const { value, root, index, problems } = part;
  const located = { text, root, index };
  const withErrors = (more: readonly ManifestProblem[]): ManifestPart => ({
    ...part,
    manifest: undefined,
    problems: [...problems, ...more],
  });
  if (value === undefined) return withErrors([]);
  const notAMap = textProblem(value, part, text);
  if (notAMap) return withErrors([notAMap]);

  const inEnv = envProblems(located, value, names);
  const { manifest, violations } = checkManifest(value, { target, isOpen: hasReference });
  if (!manifest)
    return withErrors([...problemsOf(violations, (violation) => problemOfViolation(located, violation)), ...inEnv]);
  const unusable = [
    ...violations,
    ...(catalog ? checkHardware(manifest, catalog) : []),
    ...(references ? checkAccount(manifest, references) : []),
  ];
  const others = [...inEnv, ...hints(located, manifest, target)];
  if (unusable.length > 0)
    return withErrors([...problemsOf(unusable, (violation) => problemOfViolation(located, violation)), ...others]);
  if (inEnv.some(({ severity }) => severity === 'error')) return withErrors(others);
  return { ...part, manifest, problems: [...problems, ...others] };
}

/** Reports the IDs that the platform does not have. */
function checkAccount(manifest: Manifest, { missing, podTemplates }: MissingReferences): FieldError[] {
  const exists = (kind: Reference['kind'], id: string) =>
    !missing.some((reference) => reference.kind === kind && reference.id === id);
  const { templateId } = manifest;
  const template =
    templateId !== undefined && exists('template', templateId)
      ? { serverless: !podTemplates.includes(templateId) }
      : undefined;
  return [
    ...(templateId === undefined ? [] : checkTemplate(templateId, template)),
    ...checkReferences(manifest, exists),
  ];
}

/** Returns the problem of a value that is not a map. */
function textProblem(value: unknown, { index, start }: ParsedPart, text: string): ManifestProblem | undefined {
  const problem = (code: 'emptyFile' | 'notAMap', message: string, at: number): ManifestProblem => ({
    ...lineAt(text, at),
    code,
    message,
    severity: 'error',
    part: index,
  });
  if (value === null)
    return problem('emptyFile', l10n.t('The file is empty: an endpoint needs at least name, type, and scaling'), start);
  if (typeof value === 'object' && !Array.isArray(value)) return undefined;
  const kind = Array.isArray(value) ? l10n.t('a list') : l10n.t('a single value');
  return problem('notAMap', l10n.t`A manifest must contain "name: value" lines, but this is ${kind}`, start);
}

/** Returns problems that do not reject the manifest. */
function hints(located: Located, manifest: Manifest, target: CheckOptions['target']): ManifestProblem[] {
  const { image, 'x-local': local, networkVolumes } = manifest;
  const found: ManifestProblem[] = [];
  if (
    target === 'local' &&
    local?.directory === undefined &&
    image !== undefined &&
    !image.startsWith(PROCESS_IMAGE_PREFIX)
  )
    found.push(problemOfViolation(located, fieldError(['image'], 'containerImageLocally', {}), 'hint'));
  if (networkVolumes) {
    const data = { field: 'networkVolumes', instead: 'mounts.network' };
    const problem = problemOfViolation(located, fieldError(['networkVolumes'], 'deprecatedField', data), 'hint');
    found.push({ ...problem, deprecated: true });
  }
  return found;
}
