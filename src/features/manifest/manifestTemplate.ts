/** What a new manifest starts with: a complete endpoint that runs here, and what it takes to run elsewhere as comments. */
export const manifestTemplate = `# A serverless endpoint: press "Create Endpoint" above, or run it from the command palette.
name: hello
type: QUEUE # jobs wait in a queue; LOAD_BALANCER: HTTP requests go straight to a worker
scaling:
  type: QUEUE_DELAY
  queueDelay: 4 # seconds a job may wait before a worker is added

# What a hosted platform runs.
# image: registry.example.com/hello:1.0
cpu:
  - id: cpu3c
    vcpuCount: 2
workers:
  min: 0
  max: 3
  idleTimeout: 10 # seconds

# What the local platform runs instead: a command in a directory, relative to this file.
x-local:
  directory: .
  command: python3 handler.py
`;

/** Name of a new manifest in a folder that has these files already. */
export function newManifestName(taken: readonly string[]): string {
  const name = (number: number) => (number === 1 ? 'hello.endpoint.yaml' : `hello-${number}.endpoint.yaml`);
  let number = 1;
  while (taken.includes(name(number))) number++;
  return name(number);
}
