/* Names that are needed before the code of jobs is loaded. */

/** Scheme of the documents that show results of jobs. */
export const JOB_SCHEME = 'cloud-compute-job';
/** Scheme of the documents that show requests and log lines of jobs. */
export const JOB_VIEW_SCHEME = 'cloud-compute-job-view';
/** ID of the jobs view. */
export const JOBS_VIEW = 'cloudCompute.jobs';
/** Name of the stored jobs of a connection. */
export const HISTORY_NAME = 'jobs.recent';

/** Type of the panels of forms. */
export const FORM_VIEW_TYPE = 'cloudCompute.jobForm';
