import type { Endpoint, UpdateEndpointBody } from '../../contract/endpoint.ts';
import { PROCESS_IMAGE_PREFIX } from '../../contract/manifest.ts';

/*
 * Workspace trust follows what is done. A `process:` image makes a platform run a command on its own machine, and any address may be
 * one of this machine: so the kind of a connection decides nothing in a workspace that is not trusted.
 */

/** A command that a platform would run as a process of its machine, outside of any container. */
export interface ProcessCommand {
  readonly directory: string;
  /** As far as the text says it; the rest is the endpoint's own. */
  readonly command: string;
  /** Names of its environment variables, which can name files to load. */
  readonly environment: readonly string[];
}

export interface Act {
  /**
   * `workspaceFile`: a file, which somebody else may have written. `typed`: a text of the editor itself, such as an unsaved one or an
   * endpoint being edited, which a person wrote or the platform answered.
   */
  readonly source: 'workspaceFile' | 'typed';
  readonly process: ProcessCommand | undefined;
}

export interface Circumstances {
  /** Whether the workspace is trusted. */
  readonly trusted: boolean;
  /** Whether the act is sent to our own local platform, which is there to run processes. Undefined: nothing is sent yet. */
  readonly platform: 'own' | 'other' | undefined;
  /** Whether a person has agreed to `process:` endpoints on this connection before. */
  readonly agreed: boolean;
}

export type TrustDecision =
  | { readonly kind: 'allow' }
  /** Only trusting the workspace helps. */
  | { readonly kind: 'refuse' }
  /** A person has to agree to this command first. */
  | { readonly kind: 'ask'; readonly process: ProcessCommand };

/**
 * Whether an act may be done. Without trust nothing is made from a workspace's files, and nothing starts a command: also a typed one
 * would run in a directory whose files nobody vouches for.
 */
export function decideTrust({ source, process }: Act, { trusted, platform, agreed }: Circumstances): TrustDecision {
  if (!trusted) return source === 'workspaceFile' || process ? { kind: 'refuse' } : { kind: 'allow' };
  return process && platform === 'other' && !agreed ? { kind: 'ask', process } : { kind: 'allow' };
}

type Worker = Pick<UpdateEndpointBody, 'image' | 'args' | 'entrypoint' | 'cmd' | 'env'>;

/** The command that an endpoint with this body runs as a process; undefined when it runs none. */
export function processOf({ image, args, entrypoint = [], cmd = [], env = {} }: Worker): ProcessCommand | undefined {
  if (image?.startsWith(PROCESS_IMAGE_PREFIX) !== true) return undefined;
  const words = args === undefined || args === '' ? [...entrypoint, ...cmd].join(' ') : args;
  return { directory: image.slice(PROCESS_IMAGE_PREFIX.length), command: words, environment: Object.keys(env) };
}

/** What a process is started with. */
const STARTED_WITH = ['image', 'args', 'entrypoint', 'cmd', 'env', 'templateId'] as const;

/** The command that a change makes an endpoint run as a process; undefined when it starts none, or the one it has. */
export function processOfChange(body: UpdateEndpointBody, current: Endpoint): ProcessCommand | undefined {
  if (STARTED_WITH.every((member) => body[member] === undefined)) return undefined;
  const replacesCommand = body.args !== undefined || body.entrypoint !== undefined || body.cmd !== undefined;
  const { args, entrypoint, cmd } = replacesCommand ? body : current;
  return processOf({ image: body.image ?? current.image, args, entrypoint, cmd, env: body.env ?? current.env });
}
