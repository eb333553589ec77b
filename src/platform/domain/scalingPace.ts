/* How fast the decisions of the autoscaler are made and carried out. */

/** Minimum time between two scaling decisions, in ms. Work arrives and ends far more often than workers can start. */
export const SCALING_PAUSE_MS = 20;

/** Maximum number of workers that are created in one turn of the event loop, by any number of decisions. */
export const MAX_CREATED_PER_TURN = 10;

/** Maximum number of workers that wait for a free slot on this machine. All others are only counted. */
export const MAX_QUEUED_WORKERS = 50;
