import path from 'node:path';
import { parseArgs } from 'node:util';
import { UsageError } from '../startOptions.ts';

export interface ImageBuildOptions {
  /** Full name of the image, with its registry and tag. */
  readonly name: string;
  /** Absolute path. */
  readonly output: string;
}

export const help = `npm run build:image [-- options]

Builds a container image of the platform from files of this machine, which must run
Linux. Needs neither a container engine nor a registry. Prints the file of the archive,
which "docker load", "podman load", and "ctr images import" accept.

  --tag NAME[:TAG]  name of the image (default cloud-compute-platform:VERSION)
  --output FILE     archive (default artifacts/cloud-compute-platform.tar)
  --help            print this text`;

const REPOSITORY = 'cloud-compute-platform';

/**
 * Parses the command line of `npm run build:image`.
 *
 * @param defaults version of the platform, and the folder of the archive
 * @throws UsageError
 */
export function readImageBuildOptions(
  args: readonly string[],
  defaults: { version: string; folder: string },
): ImageBuildOptions | 'help' {
  const { tag, output, help: isHelp } = parse(args);
  if (isHelp) return 'help';
  if (output === '') throw new UsageError('--output needs the name of a file.');
  return {
    name: fullName(tag ?? `${REPOSITORY}:${defaults.version}`, defaults.version),
    output: path.resolve(output ?? path.join(defaults.folder, `${REPOSITORY}.tar`)),
  };
}

const COMPONENT = '[a-z0-9]+(?:(?:\\.|_{1,2}|-+)[a-z0-9]+)*';
const REGISTRY = '(?:localhost|[\\w-]+(?:\\.[\\w-]+)+|[\\w-]+(?=:))(?::\\d+)?';
const NAME = new RegExp(`^(?:(${REGISTRY})/)?(${COMPONENT}(?:/${COMPONENT})*)(?::(\\w[\\w.-]{0,127}))?$`);

/** Adds the default registry and tag, without which engines would add different ones. @throws UsageError */
function fullName(name: string, defaultTag: string): string {
  const [, registry, repository, tag = defaultTag] = NAME.exec(name) ?? [];
  if (repository === undefined) {
    throw new UsageError(`--tag must be a name such as registry.example.com/team/platform:1, not '${name}'.`);
  }
  if (registry !== undefined) return `${registry}/${repository}:${tag}`;
  return `docker.io/${repository.includes('/') ? '' : 'library/'}${repository}:${tag}`;
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        tag: { type: 'string' },
        output: { type: 'string' },
        help: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\n\n${help}`);
  }
}
