import * as z from 'zod';
import { AlertsPart } from './alerts.ts';
import { MAX_COMMAND_WORDS } from './bounds.ts';
import { whereReadable, withBrokenFields } from './brokenFields.ts';
import { CreateEndpointBody } from './endpoint.ts';
import { checkCreateEndpoint, preloadFitsProgram } from './endpointRules.ts';
import { ProcessText } from './environment.ts';
import { checkEnvironments, Environments, withPatchFields } from './environments.ts';
import { fieldFacts } from './fieldFacts.ts';
import { GatePart } from './gate.ts';
import { BuildPart } from './imageBuild.ts';
import { isLocalImage } from './imageReference.ts';
import { LocalSettings, localSettingsOf } from './localSettings.ts';
import { PROCESS_IMAGE_PREFIX } from './processImage.ts';
import { SafetyPart } from './safety.ts';
import { schemaRule } from './schemaRule.ts';
import { checkShape } from './shapeCheck.ts';
import { VerifyPart } from './verification.ts';
import { violation, type FieldError, type Path, type Violation } from './violation.ts';

/*
 * A manifest is a file with the create body of an endpoint, settings for the local platform, the way its image is built, the test that
 * verifies a deployment, the conditions of which the user is told, the gate before a deployment, the places at which effects are seen, and
 * its environments.
 */

const LocalPart = z
  .strictObject({
    directory: ProcessText.min(1)
      .optional()
      .meta({
        description:
          'Directory of the worker, relative to the manifest. Set together with command. Default: the image is used.',
        examples: ['hello'],
      }),
    command: z
      .union([z.array(ProcessText).min(1).max(MAX_COMMAND_WORDS), ProcessText.min(1)])
      .optional()
      .meta({
        description:
          'Command that starts the worker in that directory: a list of words, or a string that is split like a shell command.',
        examples: ['node handler.mjs'],
      }),
    gpu: LocalSettings.shape.gpu,
    preload: LocalSettings.shape.preload,
    inputSchema: z
      .union([z.string().min(1), z.record(z.string(), z.unknown())])
      .optional()
      .meta({
        description:
          'JSON schema for the input of jobs, or its path, relative to the manifest. The editor shows a form, and checks and completes job files with it. Default: the schema that the source of the worker declares.',
        examples: ['hello/input.schema.json'],
      }),
  })
  .refine(
    ({ directory, command }) => (directory === undefined) === (command === undefined),
    schemaRule('localCommandIncomplete', {}),
  )
  .meta({
    description:
      'Settings for the local platform: a directory and a command that run the worker as a process on this machine instead of the image, ' +
      'what it loads once, GPUs, and the schema of inputs. Not sent to any other platform. Default: none.',
    examples: [{ directory: 'hello', command: 'node handler.mjs' }],
  });

export const Manifest = z
  .strictObject({
    ...CreateEndpointBody.shape,
    image: CreateEndpointBody.shape.image.meta({
      description:
        'Reference of the container image. Required unless templateId or x-local.directory is set. With x-build, Build Image sets it.',
    }),
    env: CreateEndpointBody.shape.env.meta({
      description:
        'Environment variables of the workers. Values can contain ${env:NAME}, ${secret:NAME}, and $${ for a literal ${. ' +
        'For LOAD_BALANCER endpoints, PORT and PORT_HEALTH are ports, and HEALTH_CHECK_PATH starts with /. Default: none.',
      examples: [{ LOG_LEVEL: 'info' }, { API_TOKEN: '${secret:API_TOKEN}' }],
    }),
    'x-local': LocalPart.optional(),
    'x-build': BuildPart.optional(),
    'x-verify': VerifyPart.optional(),
    'x-alerts': AlertsPart.optional(),
    'x-gate': GatePart.optional(),
    'x-safety': SafetyPart.optional(),
    'x-environments': Environments.optional(),
  })
  .meta({ title: 'Serverless endpoint', description: 'Settings of a serverless endpoint.' });
export type Manifest = z.infer<typeof Manifest>;

export interface ManifestCheck {
  /** The manifest, or undefined if it does not match the schema. It can break rules that involve several fields. */
  readonly manifest?: Manifest | undefined;
  /** The value for further rules, which call `whereReadable`. Undefined if it is not an object. */
  readonly readable?: Manifest | undefined;
  readonly violations: readonly Violation[];
}

/** Returns whether the value of an environment variable is only known when the manifest is sent. */
export type IsOpen = (value: string) => boolean;

export interface ManifestRuleOptions {
  /** Kind of platform whose create body is checked. Default: the local one */
  readonly target?: 'local' | 'hosted';
  /** Environment variables with such a value are exempt from the rules that involve several fields. Default: none */
  readonly isOpen?: IsOpen;
}

/**
 * Checks a parsed manifest against its schema, and against the rules that involve several fields, which apply to the create body for the
 * target. A rule that involves a field that does not match the schema is left out.
 */
export function checkManifest(
  value: unknown,
  { target = 'local', isOpen = () => false }: ManifestRuleOptions = {},
): ManifestCheck {
  const { data: manifest, violations: misshapen } = checkShape(Manifest, value);
  const broken = misshapen.map(({ path }) => path);
  if (broken.some(({ length }) => length === 0)) return { violations: misshapen };
  const written = manifest ?? (value as Manifest);
  const body = target === 'hosted' ? hostedCreateBody(written) : localCreateBody(written, (directory) => directory);
  const checked = withBrokenFields(withoutOpen(body, isOpen), bodyPaths(broken, target));
  const violations = [
    ...checkCreateEndpoint(checked).map((found) => (written['x-build'] === undefined ? found : notBuilt(found))),
    ...(target === 'hosted' ? whereReadable(() => imageElsewhere(checked)) : []),
    ...(target === 'hosted' ? whereReadable(() => preloadOfLocalWorker(written, broken)) : []),
    ...whereReadable(() => verifyOfOtherType(withBrokenFields(written, broken))),
    ...whereReadable(() => alertsOfOtherType(withBrokenFields(written, broken))),
    ...whereReadable(() => gateOfOtherType(withBrokenFields(written, broken))),
  ];
  return {
    manifest,
    readable: withBrokenFields(written, broken),
    violations: [
      ...misshapen,
      ...checkEnvironments((value as Manifest)['x-environments']),
      ...violations.map((found) => violationInManifest(found, written, target)),
    ],
  };
}

/** Names the reason for the missing image of a manifest with `x-build`. */
function notBuilt(found: Violation): Violation {
  return found.code === 'imageMissing' ? violation(['image'], 'imageNotBuilt', {}) : found;
}

/** Rejects an image that only the engine of this machine has. */
function imageElsewhere({ image }: Pick<CreateEndpointBody, 'image'>): Violation[] {
  return image !== undefined && isLocalImage(image) ? [violation(['image'], 'imageOnlyLocal', { image })] : [];
}

/** Rejects a preload that the local worker cannot have. No other platform receives it, so its create body does not show it. */
function preloadOfLocalWorker(written: Manifest, broken: readonly Path[]): Violation[] {
  if (written['x-local']?.preload === undefined) return [];
  const body = localCreateBody(written, (directory) => directory);
  return preloadFitsProgram(withBrokenFields(body, bodyPaths(broken, 'local')));
}

/** Rejects the job of an endpoint that takes no jobs, and requests to an endpoint that takes jobs. */
function verifyOfOtherType({ type, 'x-verify': verify }: Pick<Manifest, 'type' | 'x-verify'>): Violation[] {
  if (verify === undefined) return [];
  const { job, input, request } = verify;
  if (type === 'LOAD_BALANCER' && (job ?? input) !== undefined)
    return [violation(['x-verify'], 'verifyNeedsQueue', {})];
  return type === 'QUEUE' && request !== undefined ? [violation(['x-verify'], 'verifyNeedsBalancer', {})] : [];
}

/** Rejects the gate of an endpoint that takes no jobs. */
function gateOfOtherType({ type, 'x-gate': gate }: Pick<Manifest, 'type' | 'x-gate'>): Violation[] {
  return gate !== undefined && type === 'LOAD_BALANCER' ? [violation(['x-gate'], 'gateNeedsQueue', {})] : [];
}

/** Rejects a duration that endpoints of the type do not have. */
function alertsOfOtherType({ type, 'x-alerts': alerts }: Pick<Manifest, 'type' | 'x-alerts'>): Violation[] {
  const of = alerts?.p99?.of;
  if (of === undefined || of === 'coldStart' || (of === 'latency') === (type === 'LOAD_BALANCER')) return [];
  return [violation(['x-alerts', 'p99', 'of'], 'alertOfOtherType', { of, type })];
}

/** Returns the fields of the create body for broken fields of the manifest. */
function bodyPaths(broken: readonly Path[], target: 'local' | 'hosted'): readonly Path[] {
  const isOfLocalWorker = target === 'local' && broken.some(([first]) => first === 'x-local');
  return isOfLocalWorker ? [...broken, ['image'], ['args'], ['entrypoint'], ['cmd']] : broken;
}

/** Removes the environment variables whose values are not known yet. */
function withoutOpen<Body extends Pick<CreateEndpointBody, 'env'>>(body: Body, isOpen: IsOpen): Body {
  if (!body.env) return body;
  const known = Object.entries<unknown>(body.env).filter(([, value]) => typeof value !== 'string' || !isOpen(value));
  return { ...body, env: Object.fromEntries(known) };
}

/**
 * Maps a violation in a create body to the manifest that the body was made from. The image and the command of a local worker come from
 * `x-local`.
 */
export function violationInManifest<Found extends FieldError>(
  violation: Found,
  manifest: Manifest,
  target: 'local' | 'hosted',
): Found {
  const [first, ...rest] = violation.path;
  if (target === 'hosted' || manifest['x-local']?.directory === undefined) return violation;
  if (first === 'image') return { ...violation, path: ['x-local', 'directory'] };
  if (first === 'args' || first === 'entrypoint') return { ...violation, path: ['x-local', 'command'] };
  return first === 'cmd' ? { ...violation, path: ['x-local', 'command', ...rest] } : violation;
}

/** Returns the create body for a hosted platform, which receives no section of a file. */
export function hostedCreateBody(manifest: Manifest): CreateEndpointBody {
  return sectionsOf(manifest).body;
}

/** Splits a manifest into the create body, the section that the local platform uses, and those that no platform receives. */
export function sectionsOf(manifest: Manifest) {
  const {
    'x-local': local,
    'x-build': build,
    'x-verify': verify,
    'x-alerts': alerts,
    'x-gate': gate,
    'x-safety': safety,
    'x-environments': environments,
    ...body
  } = manifest;
  const onlyInFiles = {
    'x-build': build,
    'x-verify': verify,
    'x-alerts': alerts,
    'x-gate': gate,
    'x-safety': safety,
    'x-environments': environments,
  };
  return { local, body, onlyInFiles };
}

/**
 * Returns the create body for the local platform. The directory and the command of `x-local` replace the image and its command.
 *
 * @param resolveDirectory makes the directory of the manifest absolute
 */
export function localCreateBody(
  manifest: Manifest,
  resolveDirectory: (directory: string) => string,
): CreateEndpointBody {
  const { local, body } = sectionsOf(manifest);
  const received = localSettingsOf(local);
  const settings = received && { 'x-local': received };
  if (local?.directory === undefined || local.command === undefined) return { ...body, ...settings };
  const { args, entrypoint, cmd, ...rest } = body;
  const localCommand = typeof local.command === 'string' ? { args: local.command } : { cmd: local.command };
  return {
    ...rest,
    image: PROCESS_IMAGE_PREFIX + resolveDirectory(local.directory),
    ...localCommand,
    ...settings,
  };
}

/** Returns the JSON Schema of a manifest, for editors. */
export function manifestJsonSchema(): object {
  const schema = z.toJSONSchema(Manifest, {
    target: 'draft-7',
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      const { unit, refersTo, costs, holdsVariables } = fieldFacts.get(zodSchema) ?? {};
      if (unit) jsonSchema['x-unit'] = unit;
      if (refersTo) jsonSchema['x-refers-to'] = refersTo;
      if (costs) jsonSchema['x-costs'] = true;
      if (holdsVariables) jsonSchema['x-variables'] = true;
      // zod adds the bounds of a safe integer, which editors would show.
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    },
  });
  return withPatchFields(schema);
}
