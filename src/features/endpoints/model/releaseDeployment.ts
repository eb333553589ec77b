/** The deployment that made a release, from the journal of deployments. */
export interface ReleaseDeployment {
  /** Name of the person. */
  readonly by: string;
  /** Commit of the files. Undefined outside of a repository. */
  readonly commit: string | undefined;
  /** Whether files differed from the commit. */
  readonly isDirty: boolean;
  readonly environment: string | undefined;
  /** Result of the last verification of the release. */
  readonly verification: 'verified' | 'failed' | 'none';
}

/** Returns the deployment of a version. Undefined if no journal of the workspace contains it. */
export type DeploymentOfVersion = (version: number) => ReleaseDeployment | undefined;

/** Reads the deployments of an endpoint from the journals of the workspace. */
export type FindDeployments = (endpointId: string) => Promise<DeploymentOfVersion>;
