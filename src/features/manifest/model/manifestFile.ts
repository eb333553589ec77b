import * as l10n from '@vscode/l10n';
import { whereReadable } from '../../../contract/brokenFields.ts';
import { LOCAL_CONNECTION } from '../../../contract/environmentNames.ts';
import { checkHardware, type HardwareCatalog } from '../../../contract/hardwareRules.ts';
import { checkManifest, type Manifest } from '../../../contract/manifest.ts';
import { PROCESS_IMAGE_PREFIX } from '../../../contract/processImage.ts';
import { checkReferences, checkTemplate } from '../../../contract/referenceRules.ts';
import { fieldError, type FieldError, formatPath } from '../../../contract/violation.ts';
import { buildArgumentProblems } from './build/buildProblems.ts';
import { envProblems, type KnownNames } from './environment/envProblems.ts';
import { hasReference } from '../../../account/secrets/envReferences.ts';
import { pinnedWithoutStock, type StockFacts } from './hardware/pinnedHardware.ts';
import { pathsWithUnit } from './fields/fieldSchema.ts';
import { valueAt } from './editing/editedValue.ts';
import { lineAt, nodeAt } from './text/locate.ts';
import { parseManifestFile } from './text/parse.ts';
import { valueOfTree, type ManifestNode } from './text/node.ts';
import type { ManifestLanguage, ParsedFile, ParsedPart } from './text/parsed.ts';
import { isNamed, type NamedConnection } from './patched/connectionMatch.ts';
import { environmentsOf, manifestIn, type ManifestEnvironment } from './patched/environmentsOf.ts';
import { atRemoval, problemsInEnvironments, removalProblems } from './patched/environmentProblems.ts';
import { problemOfViolation, problemsOf, type Located, type ManifestProblem, problemsOfChosen } from './problem.ts';
import type { MissingReferences, Reference } from './references.ts';

export { parseManifestFile };

/** The platform that a manifest is checked for. */
export interface CheckOptions {
  /** Kind of platform on which the endpoint would be created. */
  readonly target: 'local' | 'hosted';
  /** The platform's hardware, if it is known. Without it, any pool, flavor, and data center is valid. */
  readonly catalog?: HardwareCatalog | undefined;
  /** Where the platform has stock, if it is known. Without it, volumes in any data center are valid. */
  readonly stock?: StockFacts | undefined;
  /** References that the platform does not have. Any other ID is valid. */
  readonly references?: MissingReferences | undefined;
  /** The names that references in `env` can have, if they are known. Without them, any name is valid. */
  readonly names?: KnownNames | undefined;
  /** The connection of this platform. An environment for another one is checked without the platform's values. */
  readonly connection?: NamedConnection | undefined;
  /** Name of the chosen environment. A manifest without it stays as it is. */
  readonly environment?: string | undefined;
}

/** One endpoint of a file, with its problems. */
export interface ManifestPart extends ParsedPart {
  /** The part before its check. */
  readonly parsed: ParsedPart;
  /** The manifest in the chosen environment, or undefined if it has errors, there or itself. */
  readonly manifest: Manifest | undefined;
  /** All problems of this part, those of the text and of its environments included. */
  readonly problems: readonly ManifestProblem[];
  readonly environments: readonly ManifestEnvironment[];
  /** The chosen environment. Undefined if none is chosen, or if the manifest does not have it. */
  readonly environment?: ManifestEnvironment | undefined;
  /** Tree of the part in the chosen environment. */
  readonly patched?: ManifestNode | undefined;
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

function checkPart(text: string, part: ParsedPart, options: CheckOptions): ManifestPart {
  const { value, root, index, problems } = part;
  const none = { parsed: part, manifest: undefined, environments: [] };
  if (value === undefined) return { ...part, ...none };
  const notAMap = textProblem(value, part, text);
  if (notAMap) return { ...part, ...none, problems: [...problems, notAMap] };

  const environments = environmentsOf(root);
  const base = checkManifestOf(text, part, options);
  const checks = environments.map((environment) => {
    const patched = manifestIn(environment, root);
    const inEnvironment = { ...part, root: patched, value: valueOfTree(patched) };
    const checked = checkManifestOf(text, inEnvironment, optionsIn(environment, options));
    const found = checked.problems.map((problem) => atRemoval({ text, root: patched, index }, problem, environment));
    const removals = removalProblems({ text, root, index }, environment);
    return { environment, patched, ...checked, problems: [...found, ...removals] };
  });
  const chosen = checks.find(({ environment }) => environment.name === options.environment);
  const all = [...problems, ...base.problems, ...problemsInEnvironments(base.problems, checks)];
  const checked: ManifestPart = {
    ...{ ...part, parsed: part, problems: all, environments, environment: chosen?.environment },
    ...{ patched: chosen?.patched, manifest: (chosen ?? base).manifest },
  };
  const isUsable = problemsOfChosen(checked).every(({ severity }) => severity !== 'error');
  return isUsable ? checked : { ...checked, manifest: undefined };
}

/** Returns the options for an environment. The values of a platform apply to environments with its connection. */
function optionsIn({ connection: written }: ManifestEnvironment, options: CheckOptions): CheckOptions {
  const { connection, names } = options;
  if (written === undefined || (connection && isNamed(written, connection))) return options;
  return { target: written === LOCAL_CONNECTION ? 'local' : 'hosted', names };
}

/** Checks one manifest, the one of an environment or the one without any. */
function checkManifestOf(
  text: string,
  { value, root, index }: ParsedPart,
  { target, catalog, stock, references, names }: CheckOptions,
): { readonly manifest: Manifest | undefined; readonly problems: readonly ManifestProblem[] } {
  const located = { text, root, index };
  const { manifest, readable, violations } = checkManifest(value, { target, isOpen: hasReference });
  const unusable: readonly FieldError[] = [
    ...violations,
    ...(readable && catalog ? checkHardware(readable, catalog) : []),
    ...(readable && references ? checkAccount(readable, references) : []),
  ];
  const problems = [
    ...problemsOf(unusable, (violation) => problemOfViolation(located, violation)),
    ...envProblems(located, value, names),
    ...buildArgumentProblems(located, value),
    ...(readable ? hints(located, readable, target) : []),
    ...(readable && stock ? pinnedWithoutStock(readable, stock) : []).map((violation) =>
      problemOfViolation(located, violation, 'warning'),
    ),
  ];
  return { manifest, problems };
}

/** Reports the IDs that the platform does not have. */
function checkAccount(manifest: Manifest, { missing, podTemplates }: MissingReferences): readonly FieldError[] {
  const exists = (kind: Reference['kind'], id: string) =>
    !missing.some((reference) => reference.kind === kind && reference.id === id);
  const template = () => {
    const { templateId } = manifest;
    if (templateId === undefined) return [];
    const isKnown = exists('template', templateId);
    return checkTemplate(templateId, isKnown ? { serverless: !podTemplates.includes(templateId) } : undefined);
  };
  return [...whereReadable(template), ...checkReferences(manifest, exists)];
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
function hints(located: Located, manifest: Manifest, target: CheckOptions['target']): readonly ManifestProblem[] {
  const container = () => {
    const { image, 'x-local': local } = manifest;
    const isContainer = image !== undefined && !image.startsWith(PROCESS_IMAGE_PREFIX);
    return target === 'local' && isContainer && local?.directory === undefined
      ? [problemOfViolation(located, fieldError(['image'], 'containerImageLocally', {}), 'hint')]
      : [];
  };
  const deprecated = (): ManifestProblem[] => {
    if (!manifest.networkVolumes) return [];
    const data = { field: 'networkVolumes', instead: 'mounts.network' };
    const problem = problemOfViolation(located, fieldError(['networkVolumes'], 'deprecatedField', data), 'hint');
    return [{ ...problem, deprecated: true }];
  };
  // The expected execution time of a job can be short.
  const times = pathsWithUnit('ms').filter(([first]) => first !== 'x-verify');
  const shortTimes = times.map((path) => () => {
    const value = valueAt(manifest, path);
    return typeof value === 'number' && isShortTime(value)
      ? [problemOfViolation(located, fieldError(path, 'shortTime', { value }), 'warning')]
      : [];
  });
  return [container, deprecated, ...shortTimes].flatMap(whereReadable);
}

/** Returns whether a number of milliseconds looks like seconds or minutes, such as 60 or 3600. */
function isShortTime(ms: number): boolean {
  return ms < 1_000 || (ms < 10_000 && ms % 500 !== 0);
}

/** Violations that the service reported for one endpoint of a file. Each one applies until the value of its field changes. */
export class ReportedViolations {
  readonly #part: number;
  readonly #violations: readonly { readonly violation: FieldError; readonly value: string }[];

  /** @param file the file that was sent */
  constructor(file: ManifestFile, part: number, violations: readonly FieldError[]) {
    this.#part = part;
    this.#violations = violations.map((violation) => ({ violation, value: fieldText(file.parts[part], violation) }));
  }

  /** Adds the violations of unchanged fields to the problems of a later version of the file. */
  addTo(file: ManifestFile): ManifestFile {
    const part = file.parts[this.#part];
    if (!part) return file;
    // An error of the editor's own check of the same field already states the reason.
    const own = new Set(
      part.problems.flatMap(({ violation, severity }) =>
        severity === 'error' && violation ? [formatPath(violation.path)] : [],
      ),
    );
    const current = this.#violations.filter(
      ({ violation, value }) => !own.has(formatPath(violation.path)) && fieldText(part, violation) === value,
    );
    if (current.length === 0) return file;
    const located = { text: file.text, root: part.patched ?? part.root, index: part.index };
    const reported = problemsOf(
      current.map(({ violation }) => violation),
      (violation) => problemOfViolation(located, violation),
    );
    const parts = file.parts.map((one) => (one === part ? { ...one, problems: [...one.problems, ...reported] } : one));
    return { ...file, parts, problems: parts.flatMap(({ problems }) => problems) };
  }
}

/** Returns the value of the field as text. A missing field has no text. */
function fieldText(part: ManifestPart | undefined, { path }: FieldError): string {
  const node = nodeAt(part?.patched ?? part?.root, path);
  return node
    ? JSON.stringify(valueOfTree(node), (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value))
    : '';
}
