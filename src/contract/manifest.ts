import * as z from 'zod';
import { MAX_COMMAND_WORDS } from './bounds.ts';
import { CreateEndpointBody } from './endpoint.ts';
import { checkCreateEndpoint } from './endpointRules.ts';
import { checkShape } from './shapeCheck.ts';
import type { Violation } from './violation.ts';

/* A manifest is a file with the create body of an endpoint, and settings for the local platform. */

/** Prefix of an image that names a directory of this machine. The command runs in that directory as a process. */
export const PROCESS_IMAGE_PREFIX = 'process:';

const LocalPart = z
  .strictObject({
    directory: z
      .string()
      .min(1)
      .meta({ description: 'Directory of the worker, relative to the manifest.', examples: ['hello'] }),
    command: z.union([z.array(z.string()).min(1).max(MAX_COMMAND_WORDS), z.string().min(1)]).meta({
      description:
        'Command that starts the worker in that directory: a list of words, or a string that is split like a shell command.',
      examples: ['node handler.mjs'],
    }),
  })
  .meta({
    description:
      'Directory and command with which the local platform runs the worker as a process on this machine. ' +
      'Not sent to any other platform. Default: none.',
    examples: [{ directory: 'hello', command: 'node handler.mjs' }],
  });

export const Manifest = z
  .strictObject({
    ...CreateEndpointBody.shape,
    image: CreateEndpointBody.shape.image.meta({
      description: 'Reference of the container image. Required unless templateId or x-local is set.',
    }),
    env: CreateEndpointBody.shape.env.meta({
      description:
        'Environment variables of the workers. Values can contain ${env:NAME}, ${secret:NAME}, and $${ for a literal ${. Default: none.',
      examples: [{ API_TOKEN: '${secret:API_TOKEN}' }],
    }),
    'x-local': LocalPart.optional(),
  })
  .meta({ title: 'Serverless endpoint', description: 'Settings of a serverless endpoint.' });
export type Manifest = z.infer<typeof Manifest>;

export type ManifestCheck =
  | { readonly manifest: Manifest; readonly violations: readonly [] }
  | { readonly manifest?: undefined; readonly violations: readonly Violation[] };

/** Returns whether the value of an environment variable is only known when the manifest is sent. */
export type IsOpen = (value: string) => boolean;

/**
 * Checks a parsed manifest against its schema, and then against the rules that involve several fields.
 *
 * @param isOpen environment variables with such a value are exempt from the rules. Default: none
 */
export function checkManifest(value: unknown, isOpen: IsOpen = () => false): ManifestCheck {
  const { data: manifest, violations: misshapen } = checkShape(Manifest, value);
  if (!manifest) return { violations: misshapen };
  const violations = checkCreateEndpoint(withoutOpen(withLocalImage(manifest), isOpen));
  return violations.length > 0 ? { violations } : { manifest, violations: [] };
}

/** Removes the environment variables whose values are not known yet. */
export function withoutOpen<Body extends Pick<CreateEndpointBody, 'env'>>(body: Body, isOpen: IsOpen): Body {
  if (!body.env) return body;
  return { ...body, env: Object.fromEntries(Object.entries(body.env).filter(([, value]) => !isOpen(value))) };
}

/** Adds an image to a manifest with `x-local`, because such a manifest is complete without one. */
function withLocalImage(manifest: Manifest): CreateEndpointBody {
  const { 'x-local': local, ...body } = manifest;
  return local && body.image === undefined ? { ...body, image: PROCESS_IMAGE_PREFIX + local.directory } : body;
}

/** Returns the create body for a hosted platform, without `x-local`. */
export function hostedCreateBody(manifest: Manifest): CreateEndpointBody {
  const { 'x-local': local, ...body } = manifest;
  return body;
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
  const { 'x-local': local, ...body } = manifest;
  if (!local) return body;
  const { args, entrypoint, cmd, ...rest } = body;
  const localCommand = typeof local.command === 'string' ? { args: local.command } : { cmd: local.command };
  return { ...rest, image: PROCESS_IMAGE_PREFIX + resolveDirectory(local.directory), ...localCommand };
}

/** Returns the JSON Schema of a manifest, for editors. */
export function manifestJsonSchema(): object {
  return z.toJSONSchema(Manifest, {
    target: 'draft-7',
    io: 'input',
    unrepresentable: 'any',
    override: ({ jsonSchema }) => {
      // zod adds the bounds of a safe integer, which editors would show.
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    },
  });
}
