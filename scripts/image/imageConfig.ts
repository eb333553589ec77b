/* Settings of the image, which deploy/Dockerfile repeats. */

/** Port of the platform in its container. */
export const PORT = 8787;

/** Users without a name on the machine, so that the platform has no more rights there than any unknown user. */
export const USER_ID = 10_001;

/** Directory of the platform's program. */
export const PROGRAM_DIRECTORY = '/opt/cloud-compute';

/** Mount point of the volume. The platform has a directory of its own on it, because the root of a volume may belong to another user. */
export const DATA_MOUNT = '/data';

export const HOME = '/home/platform';

/** Fails unless the platform accepts requests. */
const HEALTH_CHECK = `fetch('http://127.0.0.1:${PORT}/control/v1/health').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))`;

const NANOSECONDS = 1_000_000_000;

/** The configuration of the image's containers, in the form of Docker. Other engines ignore `Healthcheck`. */
export const containerConfig = {
  User: `${USER_ID}:${USER_ID}`,
  Env: ['PATH=/usr/local/bin:/usr/bin:/bin'],
  Entrypoint: ['node', `${PROGRAM_DIRECTORY}/platform.js`],
  Cmd: [
    ...['--host', '0.0.0.0', '--port', String(PORT)],
    ...['--data-dir', `${DATA_MOUNT}/platform`, '--create-api-key'],
  ],
  WorkingDir: HOME,
  ExposedPorts: { [`${PORT}/tcp`]: {} },
  Volumes: { [DATA_MOUNT]: {} },
  Healthcheck: {
    Test: ['CMD', 'node', '-e', HEALTH_CHECK],
    Interval: 30 * NANOSECONDS,
    Timeout: 5 * NANOSECONDS,
    StartPeriod: 30 * NANOSECONDS,
  },
};
