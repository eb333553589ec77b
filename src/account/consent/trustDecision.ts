import type { Endpoint, UpdateEndpointBody } from '../../contract/endpoint.ts';
import { PROCESS_IMAGE_PREFIX } from '../../contract/processImage.ts';

/*
 * Workspace trust depends on the act. A `process:` image makes a platform run a command on its own machine, and any address can lead to
 * this machine. An untrusted workspace therefore has the same rules for every kind of connection.
 */

/** A command that a platform runs as a process on its own machine, outside any container. */
export interface ProcessCommand {
  readonly directory: string;
  /** Empty when the text names no command. */
  readonly command: string;
  /** Names of its environment variables, which can name files to load. */
  readonly environment: readonly string[];
}

export interface Act {
  /**
   * `workspaceFile`: a file, possibly from another author. `typed`: text in the editor itself, such as an unsaved document or an edited
   * endpoint, which comes from the user or from the platform.
   */
  readonly source: 'workspaceFile' | 'typed';
  readonly process: ProcessCommand | undefined;
  /** References in `env`, whose values the act sends. Default: none. */
  readonly references?: readonly SentReference[];
}

/** A variable of the editor's environment or a secret, whose value is sent. */
export interface SentReference {
  readonly kind: 'env' | 'secret';
  readonly name: string;
}

export interface Circumstances {
  /** Whether the workspace is trusted. */
  readonly trusted: boolean;
  /** `own`: the user's own local platform, whose purpose is to run processes. Undefined: no platform is chosen yet. */
  readonly platform: 'own' | 'other' | undefined;
  /** Whether the user has already agreed to `process:` endpoints on this connection. */
  readonly agreed: boolean;
}

export type TrustDecision =
  | { readonly kind: 'allow' }
  /** The act needs a trusted workspace. */
  | { readonly kind: 'refuse' }
  /** The user must agree to this command first. */
  | { readonly kind: 'ask'; readonly process: ProcessCommand };

/**
 * Decides whether an act is allowed. An untrusted workspace creates nothing from its files, starts no command, and sends no values of
 * references. A typed command is refused too, because it runs in a directory with untrusted files.
 */
export function decideTrust(
  { source, process, references = [] }: Act,
  { trusted, platform, agreed }: Circumstances,
): TrustDecision {
  if (!trusted)
    return source === 'workspaceFile' || process || references.length > 0 ? { kind: 'refuse' } : { kind: 'allow' };
  return process && platform === 'other' && !agreed ? { kind: 'ask', process } : { kind: 'allow' };
}

type Worker = Pick<UpdateEndpointBody, 'image' | 'args' | 'entrypoint' | 'cmd' | 'env'>;

/** Returns the command that an endpoint with this body runs as a process. Undefined when its image is not a `process:` image. */
export function processOf({ image, args, entrypoint = [], cmd = [], env = {} }: Worker): ProcessCommand | undefined {
  if (image?.startsWith(PROCESS_IMAGE_PREFIX) !== true) return undefined;
  const words = args === undefined || args === '' ? [...entrypoint, ...cmd].join(' ') : args;
  return { directory: image.slice(PROCESS_IMAGE_PREFIX.length), command: words, environment: Object.keys(env) };
}

/** Members that decide how a process starts. The environment is one of them, because it can name files to load. */
const PROCESS_FIELDS = ['image', 'args', 'entrypoint', 'cmd', 'env', 'templateId'] as const;

/** Returns the command that an endpoint runs as a process after a change. Undefined when the change does not affect a process. */
export function processOfChange(body: UpdateEndpointBody, current: Endpoint): ProcessCommand | undefined {
  if (PROCESS_FIELDS.every((member) => body[member] === undefined)) return undefined;
  const replacesCommand = body.args !== undefined || body.entrypoint !== undefined || body.cmd !== undefined;
  const { args, entrypoint, cmd } = replacesCommand ? body : current;
  return processOf({ image: body.image ?? current.image, args, entrypoint, cmd, env: body.env ?? current.env });
}

/** The references to whose values the user has agreed, by connection ID. Each is `kind:name`. */
export type AgreedValues = Readonly<Record<string, readonly string[]>>;

/** Returns the references to whose values the user has not agreed for this connection. */
export function notAgreed(
  agreed: AgreedValues,
  connectionId: string,
  references: readonly SentReference[],
): readonly SentReference[] {
  const known = new Set(Object.hasOwn(agreed, connectionId) ? agreed[connectionId] : []);
  return references.filter((reference) => !known.has(keyOf(reference)));
}

/** Adds references to those of a connection. */
export function withAgreement(
  agreed: AgreedValues,
  connectionId: string,
  references: readonly SentReference[],
): AgreedValues {
  const known = Object.hasOwn(agreed, connectionId) ? (agreed[connectionId] ?? []) : [];
  return { ...agreed, [connectionId]: [...new Set([...known, ...references.map(keyOf)])] };
}

function keyOf({ kind, name }: SentReference): string {
  return `${kind}:${name}`;
}
