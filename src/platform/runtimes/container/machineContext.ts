import path from 'node:path';

/** The parts of this machine that select the container engine. */
export interface MachineContext {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Home directory of the user. */
  readonly home: string;
  readonly platform: NodeJS.Platform;
}

/** Returns the value of a variable. An empty value counts as unset, as in Docker's command line. */
export function variable({ environment }: MachineContext, name: string): string | undefined {
  return environment[name] === '' ? undefined : environment[name];
}

/** Returns the directory of Docker's configuration. */
export function configurationDirectory(machine: MachineContext): string {
  return variable(machine, 'DOCKER_CONFIG') ?? path.join(machine.home, '.docker');
}
