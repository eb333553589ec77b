import path from 'node:path';
import { parse } from 'yaml';
import * as z from 'zod';
import { StartError } from '../../runtime.ts';

/** A file of `KUBECONFIG`. */
export interface ConfigFile {
  readonly path: string;
  readonly text: string;
}

/** A context of the configuration, with its cluster and user. Paths are absolute. */
export interface KubeContext {
  /** Name of the context. */
  readonly name: string;
  /** Such as `https://10.0.0.1:6443`. */
  readonly server: string;
  readonly namespace: string;
  readonly cluster: Cluster;
  readonly user: User;
}

/** A PEM text, or the path of a file with it. */
export type Pem = { readonly text: string } | { readonly file: string };

export interface Cluster {
  readonly ca: Pem | undefined;
  readonly insecure: boolean;
  /** Name in the certificate of the server, if it differs from the host. */
  readonly serverName: string | undefined;
}

export interface User {
  readonly token: string | undefined;
  /** Preferred to `token`, because the file is renewed. */
  readonly tokenFile: string | undefined;
  readonly certificate: { readonly cert: Pem; readonly key: Pem } | undefined;
  readonly basic: { readonly username: string; readonly password: string } | undefined;
  readonly exec: ExecPlugin | undefined;
}

/** A program that prints credentials. */
export interface ExecPlugin {
  readonly apiVersion: string;
  /** An absolute path, or a name in PATH. */
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Explains how to install the program. */
  readonly installHint: string | undefined;
  /** Whether the program receives the cluster. */
  readonly provideClusterInfo: boolean;
}

export interface ContextChoice {
  /** Default: the current context of the configuration. */
  readonly context?: string | undefined;
  /** Default: the namespace of the context, or `default`. */
  readonly namespace?: string | undefined;
}

/** An empty text counts as a missing one. */
const text = z
  .string()
  .nullish()
  .transform((value) => (value === null || value === '' ? undefined : value));
const ClusterEntry = z.looseObject({
  server: z.string(),
  'certificate-authority': text,
  'certificate-authority-data': text,
  'insecure-skip-tls-verify': z.boolean().nullish(),
  'tls-server-name': text,
  'proxy-url': text,
});
const ExecEntry = z.looseObject({
  apiVersion: z.string(),
  command: z.string(),
  args: z.array(z.string()).nullish(),
  env: z.array(z.looseObject({ name: z.string(), value: z.string() })).nullish(),
  installHint: text,
  provideClusterInfo: z.boolean().nullish(),
});
const UserEntry = z.looseObject({
  token: text,
  tokenFile: text,
  'client-certificate': text,
  'client-certificate-data': text,
  'client-key': text,
  'client-key-data': text,
  username: text,
  password: text,
  exec: ExecEntry.nullish(),
  'auth-provider': z.looseObject({ name: text }).nullish(),
  as: text,
});
const ContextEntry = z.looseObject({ cluster: z.string(), user: text, namespace: text });

const Config = z.looseObject({
  clusters: z.array(z.looseObject({ name: z.string(), cluster: ClusterEntry.nullish() })).nullish(),
  users: z.array(z.looseObject({ name: z.string(), user: UserEntry.nullish() })).nullish(),
  contexts: z.array(z.looseObject({ name: z.string(), context: ContextEntry.nullish() })).nullish(),
  'current-context': text,
});

/** An entry and the directory of its file, to which its paths are relative. */
interface Located<Entry> {
  readonly entry: Entry;
  readonly directory: string;
}

interface Merged {
  readonly clusters: Map<string, Located<z.infer<typeof ClusterEntry>>>;
  readonly users: Map<string, Located<z.infer<typeof UserEntry>>>;
  readonly contexts: Map<string, Located<z.infer<typeof ContextEntry>>>;
  current: string | undefined;
}

/**
 * Returns the chosen context of the joined files. If several files define an entry, the first one counts.
 *
 * @throws StartError with the reason and the remedy
 */
export function contextIn(files: readonly ConfigFile[], { context, namespace }: ContextChoice): KubeContext {
  const merged = mergeOf(files);
  const name = context ?? merged.current;
  if (name === undefined) {
    throw new StartError(
      'the kubeconfig has no current context. Select one with --kube-context or "kubectl config use-context".',
    );
  }
  const found = merged.contexts.get(name)?.entry;
  if (!found) {
    const known = [...merged.contexts.keys()].join(', ') || 'none';
    throw new StartError(`the kubeconfig has no context ${name}. Select one with --kube-context: ${known}.`);
  }
  const cluster = merged.clusters.get(found.cluster);
  if (!cluster) throw new StartError(`the kubeconfig has no cluster ${found.cluster}. Correct its context ${name}.`);
  const user = merged.users.get(found.user ?? '');
  if (found.user && !user)
    throw new StartError(`the kubeconfig has no user ${found.user}. Correct its context ${name}.`);
  return {
    name,
    server: cluster.entry.server,
    namespace: namespace ?? found.namespace ?? 'default',
    cluster: clusterOf(cluster, name),
    user: user ? userOf(user, name) : NOBODY,
  };
}

const NOBODY: User = {
  ...{ token: undefined, tokenFile: undefined, certificate: undefined, basic: undefined, exec: undefined },
};

function mergeOf(files: readonly ConfigFile[]): Merged {
  const merged: Merged = { clusters: new Map(), users: new Map(), contexts: new Map(), current: undefined };
  for (const file of files) {
    const directory = path.dirname(path.resolve(file.path));
    const config = configIn(file);
    merged.current ??= config['current-context'];
    const add = <Entry>(to: Map<string, Located<Entry>>, name: string, entry: Entry | null | undefined): void => {
      if (entry && !to.has(name)) to.set(name, { entry, directory });
    };
    for (const { name, cluster } of config.clusters ?? []) add(merged.clusters, name, cluster);
    for (const { name, user } of config.users ?? []) add(merged.users, name, user);
    for (const { name, context } of config.contexts ?? []) add(merged.contexts, name, context);
  }
  return merged;
}

function configIn({ path: file, text: content }: ConfigFile): z.infer<typeof Config> {
  let value: unknown;
  try {
    value = parse(content) ?? {};
  } catch (cause) {
    // The message of the parser contains lines of the file, which can be secrets.
    throw new StartError(`the kubeconfig ${file} is not valid YAML. Correct it.`, { cause: (cause as Error).name });
  }
  const parsed = Config.safeParse(value);
  if (parsed.success) return parsed.data;
  const at = parsed.error.issues[0]?.path.join('.') ?? '';
  throw new StartError(`the kubeconfig ${file} has an invalid value at ${at}. Correct it.`);
}

function clusterOf({ entry, directory }: Located<z.infer<typeof ClusterEntry>>, context: string): Cluster {
  if (entry['proxy-url']) throw unsupported(context, 'proxy-url', 'Use a cluster that is reachable without a proxy');
  return {
    ca: pemOf(entry['certificate-authority-data'], entry['certificate-authority'], directory),
    insecure: entry['insecure-skip-tls-verify'] ?? false,
    serverName: entry['tls-server-name'],
  };
}

function userOf({ entry, directory }: Located<z.infer<typeof UserEntry>>, context: string): User {
  // Requests without the impersonation would have other rights than intended.
  if (entry.as) throw unsupported(context, 'impersonation ("as")', 'Use a context without it');
  if (entry['auth-provider']) throw unsupported(context, 'auth-provider', 'Use an "exec" plugin');
  const cert = pemOf(entry['client-certificate-data'], entry['client-certificate'], directory);
  const key = pemOf(entry['client-key-data'], entry['client-key'], directory);
  const { username, password, exec } = entry;
  return {
    token: entry.token,
    tokenFile: entry.tokenFile ? path.resolve(directory, entry.tokenFile) : undefined,
    certificate: cert && key && { cert, key },
    basic: username ? { username, password: password ?? '' } : undefined,
    exec: exec ? pluginOf(exec, directory) : undefined,
  };
}

function unsupported(context: string, feature: string, remedy: string): StartError {
  return new StartError(`the context ${context} of the kubeconfig uses ${feature}, which is not supported. ${remedy}.`);
}

function pluginOf(exec: z.infer<typeof ExecEntry>, directory: string): ExecPlugin {
  const isPath = /[\\/]/.test(exec.command);
  return {
    apiVersion: exec.apiVersion,
    command: isPath ? path.resolve(directory, exec.command) : exec.command,
    args: exec.args ?? [],
    env: Object.fromEntries((exec.env ?? []).map(({ name, value }) => [name, value])),
    installHint: exec.installHint,
    provideClusterInfo: exec.provideClusterInfo ?? false,
  };
}

/** Embedded data takes precedence over a file. */
function pemOf(data: string | undefined, file: string | undefined, directory: string): Pem | undefined {
  if (data) return { text: Buffer.from(data, 'base64').toString() };
  return file ? { file: path.resolve(directory, file) } : undefined;
}
