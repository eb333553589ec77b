import { isIP } from 'node:net';
import path from 'node:path';
import { parseArgs } from 'node:util';
import type { Quotas } from '../../contract/rateLimit.ts';
import type { RateLimitOptions } from '../accounts/rateLimits.ts';
import type { GpuChoice } from '../gpus/machineGpus.ts';
import { isAnyAddress } from '../http/loopback.ts';
import type { ListenAddress } from '../server/server.ts';
import { RUNTIME_CHOICES, type EngineSettings } from '../runtimes/engineSettings.ts';
import { readCapabilities } from '../runtimes/workerCapabilities.ts';
import { StartFailure } from '../startFailure.ts';

export interface Flags {
  readonly port: number;
  /** undefined: loopback. */
  readonly host: string | undefined;
  /** Further address that serves only the metrics. undefined: none. */
  readonly metricsAddress: ListenAddress | undefined;
  /** Address of an OpenTelemetry collector, which is checked when it is used. undefined: that of the environment. */
  readonly otlpEndpoint: string | undefined;
  /** undefined: keep all data in memory. */
  readonly dataDir: string | undefined;
  /** Directory of the volumes' files, without a data directory. undefined: a temporary one. */
  readonly volumesDir: string | undefined;
  readonly apiKey: string | undefined;
  /** File whose first line is the key; `-` is standard input. */
  readonly apiKeyFile: string | undefined;
  /** undefined: two per logical processor, at least 8. */
  readonly maxWorkers: number | undefined;
  /** undefined: 1 GiB. */
  readonly maxLogBytes: number | undefined;
  /** Whether the first start stores a random key of the owner in the data directory, and later starts read it. */
  readonly createApiKey: boolean;
  readonly engine: EngineSettings;
  /** Whether workers in containers and pods run on when the platform stops. */
  readonly keepWorkers: boolean;
  readonly gpus: GpuChoice;
  /** Origin at which callers reach the platform through a proxy. undefined: its own address. */
  readonly publicUrl: URL | undefined;
  readonly rateLimits: RateLimitOptions;
  /** Whether accounts other than the owner's may have process endpoints. */
  readonly allowProcessEndpoints: boolean;
  readonly json: boolean;
  readonly stopWithStdin: boolean;
  readonly help: boolean;
}

export const USAGE = `Usage: platform [options]

Runs the local platform of Cloud Compute, with endpoints, jobs, workers, logs, and billing. By default, only programs on
this machine can reach it.

Options:
  --port PORT         port to listen on; 0 selects a free port (default: 0)
  --host ADDRESS      IP address to listen on; 0.0.0.0 for all interfaces. Other machines can then reach the platform, and
                      anyone with a key can run programs on this one. Requires a key of at least 16 characters
                      (default: loopback)
  --metrics-address HOST:PORT
                      further address that serves only GET /metrics for Prometheus, and requires a key too; IPv6 in brackets
                      (default: none; the address of the platform serves it)
  --otlp-endpoint URL address of an OpenTelemetry collector that receives traces over OTLP/HTTP, such as
                      http://127.0.0.1:4318 (default: the environment variable OTEL_EXPORTER_OTLP_ENDPOINT, or none)
  --data-dir DIR      directory of the platform's data (default: .cloud-compute)
  --in-memory         keep all data in memory until the platform stops
  --volumes-dir DIR   directory of the files of volumes, which stay after the platform has stopped; for --in-memory
                      (default: a temporary directory)
  --api-key-file PATH file whose first line is the owner's key; - is standard input, where an empty line selects a
                      random key (default: the environment variable CLOUD_COMPUTE_API_KEY, or a random key)
  --api-key KEY       the owner's key, for throwaway platforms only: other programs of the same user can read it in the
                      process list
  --create-api-key    create the owner's key at the first start, and store it in the file api-key of the data directory
  --public-url URL    address at which callers reach the platform, such as that of a proxy or a Service; responses
                      contain it (default: the address that the platform listens on)
  --runtime RUNTIME   engine for images other than "process:DIRECTORY": auto, a container engine; kubernetes, a cluster;
                      or process, none, so that their workers do not start (default: auto)
  --container-engine ADDRESS
                      address of the container engine, in the form of DOCKER_HOST (default: as Docker finds it)
  --kube-context NAME context of the kubeconfig (default: the current one)
  --kube-namespace NAME
                      namespace of the workers (default: that of the context)
  --kube-volume-claim NAME[=DIR]
                      persistent volume claim with the volumes of the platform, which is mounted at the directory DIR
                      (default: none; DIR: the data directory)
  --kube-node-images  run images that the nodes of the cluster have, without asking their registries; any account can
                      then run every image that a node has
  --kube-worker-url URL
                      address of a Service at which pods reach the platform, even after a restart (default: --worker-host)
  --worker-host ADDRESS
                      IP address of this machine at which workers on other machines reach it
  --worker-port PORT  port at which workers in containers and pods reach the platform (default: a free port)
  --forward-ports LIST
                      ports of 127.0.0.1 on this machine that workers in containers also reach, at host.docker.internal
                      or the address of --worker-host, such as 5432,8080 (default: none)
  --worker-capabilities LIST
                      Linux capabilities of all workers in containers and pods in addition to the usual ones, such as
                      SYS_PTRACE,SYS_NICE (default: none)
  --keep-workers      keep workers in containers and pods running when the platform stops: the next platform on
                      the data directory continues with them (default: they end with the platform, unless it is killed)
  --gpus GPUS         GPUs of this machine for workers: auto, those that are found; none; a list of indexes or UUIDs,
                      such as 0,1; or ignore, so that GPU endpoints run without GPUs (default: auto)
  --max-workers N     maximum number of workers of all endpoints; further workers wait as THROTTLED
                      (default: two per logical processor, at least 8)
  --max-log-size MIB  maximum size of the logs of all workers, in MiB; beyond it, the endpoint with the largest logs loses
                      its oldest lines (default: 1024)
  --rate-limits M,H,D management requests per user and minute, hour, and day (default: 60,3000,50000)
  --invocation-rate-limits M,H,D
                      invocations of endpoints and the image model, per user and minute, hour, and day
                      (default: 60000,3000000,50000000)
  --limit-owner       also apply the rate limits to the owner's key
  --allow-process-endpoints
                      let every account create endpoints with an image "process:DIRECTORY", whose workers run as you
                      and can read your files (default: only the owner can create them)
  --json              print the addresses and the key as one line of JSON
  --stop-with-stdin   stop at the end of standard input, or when the last program that shares the platform stops
  --help              print this help and exit

If another platform already uses the data directory, this command prints the addresses of that platform and exits. With
--stop-with-stdin, it shares that platform, which runs until the last program that shares it stops.
`;

const DEFAULT_DATA_DIR = '.cloud-compute';

/** @throws StartFailure badFlag */
export function readFlags(args: readonly string[]): Flags {
  const values = parse(args);
  if (values['in-memory'] && values['data-dir'] !== undefined) {
    throw badFlag('--in-memory and --data-dir exclude each other: use one of them');
  }
  if (values['data-dir'] === '') throw badFlag('--data-dir needs a directory');
  if (values['volumes-dir'] !== undefined && !values['in-memory'])
    throw badFlag('--volumes-dir is for --in-memory: the data directory contains the volumes');
  if (values['volumes-dir'] === '') throw badFlag('--volumes-dir needs a directory');
  if (values['api-key'] === '') throw badFlag('--api-key needs a key');
  if (values['api-key-file'] === '') throw badFlag('--api-key-file needs a file');
  if (values['api-key'] !== undefined && values['api-key-file'] !== undefined) {
    throw badFlag('--api-key and --api-key-file exclude each other: use one of them');
  }
  if (values['create-api-key'] && values['in-memory']) {
    throw badFlag('--create-api-key stores the key in the data directory: omit --in-memory');
  }
  if (values['create-api-key'] && (values['api-key'] ?? values['api-key-file']) !== undefined) {
    throw badFlag('--create-api-key excludes other flags for the key: use one of them');
  }
  if (values['keep-workers'] && values['in-memory']) {
    throw badFlag('--keep-workers needs stored data: omit --in-memory');
  }
  const dataDir = values['in-memory'] ? undefined : (values['data-dir'] ?? DEFAULT_DATA_DIR);
  return {
    port: readPort(values.port),
    host: readHost(values.host),
    metricsAddress: readMetricsAddress(values['metrics-address']),
    otlpEndpoint: values['otlp-endpoint'],
    dataDir,
    volumesDir: values['volumes-dir'] === undefined ? undefined : path.resolve(values['volumes-dir']),
    apiKey: values['api-key'],
    apiKeyFile: values['api-key-file'],
    createApiKey: values['create-api-key'],
    publicUrl: readOrigin(values['public-url'], '--public-url'),
    engine: { ...readEngine(values), ...readCluster(values, dataDir), ...readWorkers(values) },
    keepWorkers: values['keep-workers'],
    gpus: readGpus(values.gpus),
    maxWorkers: readMaxWorkers(values['max-workers']),
    maxLogBytes: readMaxLogBytes(values['max-log-size']),
    rateLimits: {
      quotas: readQuotas('--rate-limits', values['rate-limits']),
      invocationQuotas: readQuotas('--invocation-rate-limits', values['invocation-rate-limits']),
      limitOwner: values['limit-owner'],
    },
    allowProcessEndpoints: values['allow-process-endpoints'],
    json: values.json,
    stopWithStdin: values['stop-with-stdin'],
    help: values.help,
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        host: { type: 'string' },
        port: { type: 'string', default: '0' },
        'metrics-address': { type: 'string' },
        'otlp-endpoint': { type: 'string' },
        'data-dir': { type: 'string' },
        'in-memory': { type: 'boolean', default: false },
        'volumes-dir': { type: 'string' },
        'api-key': { type: 'string' },
        'api-key-file': { type: 'string' },
        'create-api-key': { type: 'boolean', default: false },
        'public-url': { type: 'string' },
        runtime: { type: 'string', default: 'auto' },
        'container-engine': { type: 'string' },
        'kube-context': { type: 'string' },
        'kube-namespace': { type: 'string' },
        'kube-volume-claim': { type: 'string' },
        'kube-node-images': { type: 'boolean', default: false },
        'kube-worker-url': { type: 'string' },
        'worker-host': { type: 'string' },
        'worker-port': { type: 'string' },
        'forward-ports': { type: 'string' },
        'worker-capabilities': { type: 'string' },
        'keep-workers': { type: 'boolean', default: false },
        gpus: { type: 'string', default: 'auto' },
        'max-workers': { type: 'string' },
        'max-log-size': { type: 'string' },
        'rate-limits': { type: 'string' },
        'invocation-rate-limits': { type: 'string' },
        'limit-owner': { type: 'boolean', default: false },
        'allow-process-endpoints': { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
        'stop-with-stdin': { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    // Node's message names the flag, but its advice about "--" does not apply here.
    throw badFlag((error as Error).message.split('. To specify')[0] ?? 'bad flags');
  }
}

function readPort(text: string, flag = '--port'): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : NaN;
  if (!(port <= 65_535)) throw badFlag(`${flag} must be a number from 0 to 65535, not '${text}'`);
  return port;
}

function readHost(host: string | undefined): string | undefined {
  if (host !== undefined && !isIP(host)) throw badFlag(`--host must be an IP address of this machine, not '${host}'`);
  return host;
}

function readMetricsAddress(text: string | undefined): ListenAddress | undefined {
  if (text === undefined) return undefined;
  const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:[\]]+)):(\d{1,5})$/.exec(text) ?? [];
  const host = bracketed ?? plain;
  const isAddress = host !== undefined && isIP(host) === (bracketed === undefined ? 4 : 6);
  if (port === undefined || !isAddress)
    throw badFlag(`--metrics-address must be an IP address and a port, such as 127.0.0.1:9464, not '${text}'`);
  return { host, port: readPort(port, '--metrics-address') };
}

function readOrigin(text: string | undefined, flag: string): URL | undefined {
  if (text === undefined) return undefined;
  const url = URL.parse(text);
  const isOrigin = url && /^https?:$/.test(url.protocol) && [url.origin, `${url.origin}/`].includes(url.href);
  const isBare = isOrigin && [url.origin, url.href].includes(text.toLowerCase());
  if (!isBare) throw badFlag(`${flag} must be an address such as https://compute.example.com, not '${text}'`);
  return url;
}

/** Flags with a text that must not be empty. */
const ENGINE_FLAGS = ['container-engine', 'kube-context', 'kube-namespace', 'worker-host'] as const;

function readEngine(
  values: Readonly<Partial<Record<(typeof ENGINE_FLAGS)[number], string>> & { runtime: string }>,
): EngineSettings {
  const runtime = RUNTIME_CHOICES.find((choice) => choice === values.runtime);
  if (!runtime) throw badFlag(`--runtime must be ${RUNTIME_CHOICES.join(', ')}, not '${values.runtime}'`);
  for (const name of ENGINE_FLAGS) if (values[name] === '') throw badFlag(`--${name} needs a value`);
  const workerHost = values['worker-host'];
  if (workerHost !== undefined && (!isIP(workerHost) || isAnyAddress(workerHost))) {
    throw badFlag(`--worker-host must be an IP address of this machine, not '${workerHost}'`);
  }
  return {
    ...{ runtime, workerHost, containerEngine: values['container-engine'] },
    ...{ kubeContext: values['kube-context'], kubeNamespace: values['kube-namespace'] },
  };
}

function readWorkers(
  values: Readonly<{ 'worker-port'?: string; 'forward-ports'?: string; 'worker-capabilities'?: string }>,
): Pick<EngineSettings, 'workerPort' | 'forwardedPorts' | 'workerCapabilities'> {
  const { 'worker-port': port, 'forward-ports': forwarded, 'worker-capabilities': listed } = values;
  const workerCapabilities = listed === undefined ? undefined : readCapabilities(listed);
  if (listed !== undefined && !workerCapabilities) {
    throw badFlag(`--worker-capabilities must be a list such as SYS_PTRACE,SYS_NICE, not '${listed}'`);
  }
  return {
    ...(workerCapabilities && { workerCapabilities }),
    ...(port !== undefined && { workerPort: readPort(port, '--worker-port') }),
    ...(forwarded !== undefined && {
      forwardedPorts: forwarded.split(',').map((one) => readPort(one === '0' ? '' : one, '--forward-ports')),
    }),
  };
}

function readCluster(
  values: Readonly<{ 'kube-volume-claim'?: string; 'kube-node-images': boolean; 'kube-worker-url'?: string }>,
  dataDir: string | undefined,
): Pick<EngineSettings, 'kubeVolumeClaim' | 'kubeNodeImages' | 'kubeWorkerUrl'> {
  const claim = values['kube-volume-claim'];
  const kubeWorkerUrl = readOrigin(values['kube-worker-url'], '--kube-worker-url');
  const always = { kubeNodeImages: values['kube-node-images'], ...(kubeWorkerUrl && { kubeWorkerUrl }) };
  if (claim === undefined) return always;
  const [, name, directory = dataDir] = /^([a-z0-9][-a-z0-9.]*)(?:=(.+))?$/.exec(claim) ?? [];
  if (name === undefined) throw badFlag(`--kube-volume-claim must be a name, or NAME=DIRECTORY, not '${claim}'`);
  if (directory === undefined) throw badFlag('--kube-volume-claim needs NAME=DIRECTORY with --in-memory');
  return { ...always, kubeVolumeClaim: { name, directory: path.resolve(directory) } };
}

function readGpus(text: string): GpuChoice {
  if (text === 'auto' || text === 'none' || text === 'ignore') return text;
  const listed = text.split(',');
  const isGpu = (id: string): boolean => /^(?:\d{1,3}|GPU-[\w-]{1,100})$/.test(id);
  if (listed.every(isGpu) && new Set(listed).size === listed.length) return listed;
  throw badFlag(`--gpus must be auto, none, ignore, or a list of indexes or UUIDs such as 0,1, not '${text}'`);
}

function readMaxWorkers(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^[1-9]\d{0,4}$/.test(text)) throw badFlag(`--max-workers must be a number from 1 to 99999, not '${text}'`);
  return Number(text);
}

const MIB = 1_048_576;

function readMaxLogBytes(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const size = /^[1-9]\d{0,6}$/.test(text) ? Number(text) : NaN;
  if (!(size >= 16)) throw badFlag(`--max-log-size must be a number of MiB from 16 to 9999999, not '${text}'`);
  return size * MIB;
}

function readQuotas(flag: string, text: string | undefined): Quotas | undefined {
  if (text === undefined) return undefined;
  const [, minute, hour, day] = /^([1-9]\d{0,8}),([1-9]\d{0,8}),([1-9]\d{0,8})$/.exec(text) ?? [];
  if (day === undefined) throw badFlag(`${flag} must be three numbers above 0, such as 60,3000,50000, not '${text}'`);
  return { minute: Number(minute), hour: Number(hour), day: Number(day) };
}

export const badFlag = (message: string): StartFailure => new StartFailure('badFlag', `${message} (see --help)`);
