import * as z from 'zod';
import { MAX_COMMAND_WORDS } from './bounds.ts';
import { CreateEndpointBody } from './endpoint.ts';
import { checkCreateEndpoint } from './endpointRules.ts';
import { checkShape } from './shapeCheck.ts';
import type { Violation } from './violation.ts';

/* A manifest: an endpoint's create body in a file, with a part of its own for the local platform. */

/** Prefix of an image that is a directory of this machine whose command runs as a host process. */
export const PROCESS_IMAGE_PREFIX = 'process:';

const LocalPart = z
  .strictObject({
    directory: z.string().min(1).meta({ description: "The worker's directory, relative to this file." }),
    command: z
      .union([z.array(z.string()).min(1).max(MAX_COMMAND_WORDS), z.string().min(1)])
      .meta({ description: 'The command that starts the worker there: words, or one shell-like string.' }),
  })
  .meta({ description: 'How the local platform runs this worker on your machine. Never sent to any other platform.' });

export const Manifest = z
  .strictObject({ ...CreateEndpointBody.shape, 'x-local': LocalPart.optional() })
  .meta({ title: 'Serverless endpoint', description: 'The create body of a serverless endpoint.' });
export type Manifest = z.infer<typeof Manifest>;

export type ManifestCheck =
  | { readonly manifest: Manifest; readonly violations: readonly [] }
  | { readonly manifest?: undefined; readonly violations: readonly Violation[] };

/** Checks a parsed manifest: its shape first, and the rules across its members once the shape is right. */
export function checkManifest(value: unknown): ManifestCheck {
  const { data: manifest, violations: misshapen } = checkShape(Manifest, value);
  if (!manifest) return { violations: misshapen };
  const violations = checkCreateEndpoint(withLocalImage(manifest));
  return violations.length > 0 ? { violations } : { manifest, violations: [] };
}

/** A manifest that names a local worker needs no image to be complete. */
function withLocalImage(manifest: Manifest): CreateEndpointBody {
  const { 'x-local': local, ...body } = manifest;
  return local && body.image === undefined ? { ...body, image: PROCESS_IMAGE_PREFIX + local.directory } : body;
}

/** The create body for a hosted platform: the manifest without its local part. */
export function hostedCreateBody(manifest: Manifest): CreateEndpointBody {
  const { 'x-local': local, ...body } = manifest;
  return body;
}

/**
 * The create body for the local platform: where the manifest has a local part, a process image of that directory with that command.
 *
 * @param resolveDirectory makes the manifest's directory absolute
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

/** JSON Schema of the manifest, for editors. */
export function manifestJsonSchema(): object {
  return z.toJSONSchema(Manifest, {
    target: 'draft-7',
    io: 'input',
    unrepresentable: 'any',
    override: ({ jsonSchema }) => {
      // zod writes the bounds of a safe integer; editors would show them.
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    },
  });
}
