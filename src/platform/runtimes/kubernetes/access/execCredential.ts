import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import * as z from 'zod';
import type { Clock } from '../../../time/clock.ts';
import type { ClientCertificate } from '../../../../machine/engine/engineApi.ts';
import { StartError } from '../../runtime.ts';
import type { ExecPlugin, KubeContext } from './kubeconfig.ts';

/** Credentials that a plugin printed. */
export interface Credential {
  readonly token?: string | undefined;
  readonly certificate?: ClientCertificate | undefined;
}

const API_VERSIONS = ['client.authentication.k8s.io/v1', 'client.authentication.k8s.io/v1beta1'];
/** Time that a plugin has, in ms. It may wait for a remote service, but not for input. */
const TIMEOUT_MS = 60_000;
/** Credentials that expire within this time are renewed, in ms. */
const MARGIN_MS = 10_000;
const MAX_OUTPUT = 1_048_576;

const Printed = z.looseObject({
  kind: z.literal('ExecCredential'),
  apiVersion: z.string(),
  status: z.looseObject({
    expirationTimestamp: z.iso.datetime({ offset: true }).optional(),
    token: z.string().optional(),
    clientCertificateData: z.string().optional(),
    clientKeyData: z.string().optional(),
  }),
});

/** Credentials of a plugin, which are kept until they expire. Requests at the same time run the plugin once. */
export class ExecCredential {
  readonly #plugin: ExecPlugin;
  readonly #cluster: Pick<KubeContext, 'server' | 'cluster'>;
  readonly #environment: NodeJS.ProcessEnv;
  readonly #clock: Clock;
  #cached: { readonly credential: Promise<Credential>; expiresAt: number } | undefined;

  /** @throws StartError if the version of the plugin's format is unknown */
  constructor(
    plugin: ExecPlugin,
    { cluster, environment, clock }: { cluster: KubeContext; environment: NodeJS.ProcessEnv; clock: Clock },
  ) {
    if (!API_VERSIONS.includes(plugin.apiVersion)) {
      throw new StartError(
        `the credential plugin ${plugin.command} uses ${plugin.apiVersion}. Change it in the kubeconfig to ${API_VERSIONS.join(' or ')}.`,
      );
    }
    this.#plugin = plugin;
    this.#cluster = cluster;
    this.#environment = environment;
    this.#clock = clock;
  }

  /** @throws StartError if the plugin fails */
  async get(): Promise<Credential> {
    if (this.#cached && this.#clock.now() < this.#cached.expiresAt) return this.#cached.credential;
    const running = this.#run();
    const cached = { credential: running.then(({ credential }) => credential), expiresAt: Infinity };
    this.#cached = cached;
    try {
      cached.expiresAt = (await running).expiresAt;
    } catch (error) {
      if (this.#cached === cached) this.#cached = undefined;
      throw error;
    }
    return cached.credential;
  }

  /** Discards credentials that the cluster did not accept. */
  discard(): void {
    this.#cached = undefined;
  }

  async #run(): Promise<{ credential: Credential; expiresAt: number }> {
    const { command, args, env, apiVersion } = this.#plugin;
    let stdout: string;
    try {
      ({ stdout } = await promisify(execFile)(command, [...args], {
        env: { ...this.#environment, ...env, KUBERNETES_EXEC_INFO: this.#info() },
        ...{ timeout: TIMEOUT_MS, maxBuffer: MAX_OUTPUT, windowsHide: true },
      }));
    } catch (error) {
      throw this.#failure(error as NodeJS.ErrnoException & { stderr?: string });
    }
    const printed = printedIn(stdout);
    if (printed?.apiVersion !== apiVersion) {
      throw new StartError(
        `the credential plugin ${command} did not print an ExecCredential of ${apiVersion}. Update it.`,
      );
    }
    const { expirationTimestamp, token, clientCertificateData: cert, clientKeyData: key } = printed.status;
    const expires = expirationTimestamp === undefined ? Infinity : Date.parse(expirationTimestamp) - MARGIN_MS;
    return { credential: { token, certificate: cert && key ? { cert, key } : undefined }, expiresAt: expires };
  }

  #info(): string {
    const { apiVersion, provideClusterInfo } = this.#plugin;
    const { server, cluster } = this.#cluster;
    const given = {
      server,
      'tls-server-name': cluster.serverName,
      'insecure-skip-tls-verify': cluster.insecure,
      'certificate-authority-data':
        cluster.ca && 'text' in cluster.ca ? Buffer.from(cluster.ca.text).toString('base64') : undefined,
    };
    const spec = { interactive: false, ...(provideClusterInfo && { cluster: given }) };
    return JSON.stringify({ apiVersion, kind: 'ExecCredential', spec });
  }

  /** The error of Node contains the arguments, which can be secrets. The last line of the plugin says how to log in. */
  #failure({ code, stderr = '' }: NodeJS.ErrnoException & { stderr?: string }): StartError {
    const { command, installHint } = this.#plugin;
    if (code === 'ENOENT') {
      return new StartError(
        `the credential plugin ${command} of the kubeconfig was not found. ${installHint ?? 'Install it, or add it to the PATH.'}`,
      );
    }
    const lastLine = stderr.trim().split('\n').at(-1)?.slice(0, 300) ?? '';
    const last = lastLine === '' ? `it ended with ${code ?? 'an error'}` : lastLine;
    return new StartError(`the credential plugin ${command} failed: ${last}. Log in to the cluster again.`);
  }
}

function printedIn(stdout: string): z.infer<typeof Printed> | undefined {
  try {
    return Printed.safeParse(JSON.parse(stdout)).data;
  } catch {
    return undefined;
  }
}
