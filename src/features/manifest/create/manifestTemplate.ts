/** Content of a new manifest: an endpoint that runs on the local platform, with comments for hosted platforms. */
export const manifestTemplate = `# A serverless endpoint. Press "Create Endpoint" above, or run the command from the Command Palette.
name: hello
type: QUEUE # jobs wait in a queue; with LOAD_BALANCER, HTTP requests go directly to a worker
scaling:
  type: QUEUE_DELAY
  queueDelay: 4 # seconds a job may wait before a worker is added

# The image that a hosted platform runs.
# image: registry.example.com/hello:1.0
cpu:
  - id: cpu3c
    vcpuCount: 2
workers:
  min: 0
  max: 3
  idleTimeout: 10 # seconds

# The command that the local platform runs instead. The directory is relative to this file.
x-local:
  directory: .
  command: python3 handler.py
`;

/** Returns a name for a new manifest that is not in `taken`. */
export function newManifestName(taken: readonly string[]): string {
  const name = (number: number) => (number === 1 ? 'hello.endpoint.yaml' : `hello-${number}.endpoint.yaml`);
  let number = 1;
  while (taken.includes(name(number))) number++;
  return name(number);
}
